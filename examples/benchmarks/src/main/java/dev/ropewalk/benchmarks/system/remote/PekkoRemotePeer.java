package dev.ropewalk.benchmarks.system.remote;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;

import dev.ropewalk.benchmarks.measure.Latencies;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.benchmarks.system.remote.PekkoWords.Question;
import dev.ropewalk.benchmarks.system.remote.PekkoWords.Told;
import dev.ropewalk.benchmarks.system.remote.PekkoWords.Total;
import dev.ropewalk.benchmarks.system.remote.PekkoWords.Word;
import dev.ropewalk.benchmarks.system.remote.Words.Note;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorRefResolver;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Two actor systems of Pekko, with Artery over TCP. Its queues drop what they have no room for, so
 * they are wide, and a producer has {@link #WINDOW} messages on the way at most.
 */
public final class PekkoRemotePeer implements Peer {
    private static final long LIMIT_SECONDS = 80;
    private static final Duration ASK_LIMIT = Duration.ofSeconds(30);

    private static final long WINDOW = 50_000;

    /** After so many messages the producer asks how far the other side is. */
    private static final long MARK = 5 * Sizes.BURST;

    private static final String SETTINGS =
            """
            pekko {
              loglevel = OFF
              stdout-loglevel = OFF
              log-dead-letters = off
              use-slf4j = off
              actor {
                provider = remote
                serializers.words = "BYTES"
                serialization-bindings {
                  "WORD" = words
                  "NOTE" = words
                }
              }
              remote.use-unsafe-remote-features-outside-cluster = on
              remote.artery {
                transport = tcp
                canonical.hostname = "127.0.0.1"
                canonical.port = 0
                advanced.outbound-message-queue-size = 131072
              }
            }
            """
                    .replace("BYTES", PekkoWords.Bytes.class.getName())
                    .replace("WORD", Word.class.getName())
                    .replace("NOTE", Note.class.getName());

    private @Nullable Pair pair;
    private @Nullable Pair ofTwoProcesses;

    @Override
    public Map<String, Program> programs() {
        return Map.of(
                "processes_tell",
                n -> ofTwoProcesses().run(1, adder -> new Producer(adder, n).behavior()),
                "processes_ask",
                n -> ofTwoProcesses().run(1, adder -> new Asker(adder, n, true).behavior()),
                "processes_ask_64",
                n -> askers(ofTwoProcesses(), n),
                "remote_tell",
                n -> pair().run(1, adder -> new Producer(adder, n).behavior()),
                "remote_ask",
                n -> pair().run(1, adder -> new Asker(adder, n, true).behavior()),
                "remote_ask_p99",
                n -> pair().run(1, adder -> new Asker(adder, n, true).behavior()),
                "remote_ask_64",
                n -> askers(pair(), n));
    }

    private static long askers(Pair pair, long n)
            throws ExecutionException, InterruptedException, TimeoutException {
        long each = n / Sizes.REMOTE_ASKERS;
        return pair.run(Sizes.REMOTE_ASKERS, adder -> new Asker(adder, each, false).behavior());
    }

    private Pair pair() throws ExecutionException, InterruptedException, TimeoutException {
        if (pair == null) {
            There there = There.open();
            pair = new Pair(there.adder, () -> end(there.system));
        }
        return pair;
    }

    private Pair ofTwoProcesses() {
        if (ofTwoProcesses == null) {
            OtherProcess other = new OtherProcess(Other.class);
            ofTwoProcesses = new Pair(other.address(), other::close);
        }
        return ofTwoProcesses;
    }

    /** The process of the other system. */
    static final class Other {
        private Other() {}

        public static void main(String[] arguments) throws Exception {
            OtherProcess.serve(() -> There.open().adder);
        }
    }

    private static Config config() {
        return ConfigFactory.parseString(SETTINGS).withFallback(ConfigFactory.load());
    }

    /** The system with the adder, and the address of that. */
    private record There(ActorSystem<?> system, String adder) {
        static There open() throws ExecutionException, InterruptedException, TimeoutException {
            CompletableFuture<String> address = new CompletableFuture<>();
            ActorSystem<?> system =
                    ActorSystem.create(
                            Behaviors.setup(
                                    context -> {
                                        ActorRef<Word> adder =
                                                context.spawn(new Adder().behavior(), "adder");
                                        address.complete(
                                                ActorRefResolver.get(context.getSystem())
                                                        .toSerializationFormat(adder));
                                        return Behaviors.empty();
                                    }),
                            "there",
                            config());
            return new There(system, address.get(LIMIT_SECONDS, TimeUnit.SECONDS));
        }
    }

    private static void end(ActorSystem<?> system) {
        system.terminate();
        system.getWhenTerminated()
                .toCompletableFuture()
                .orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    @Override
    public void close() {
        for (Pair each : new @Nullable Pair[] {pair, ofTwoProcesses}) {
            if (each != null) {
                each.end();
            }
        }
    }

    // ---------------------------------------------------------------- the two systems

    /** Makes the first actor of a program, which answers with a {@link Done}. */
    @FunctionalInterface
    private interface Main {
        Behavior<Object> behavior(ActorRef<Word> adder);
    }

    /** Ends a program, or one of its actors. */
    private record Done(long value) {}

    private record Start(int actors, Main main, CompletableFuture<Long> answer) {}

    private static final class Pair {
        private final Runnable endThere;
        private final ActorSystem<Start> here;

        /** With the address of the adder, and an end of its system. */
        Pair(String address, Runnable endThere) {
            this.endThere = endThere;
            here =
                    ActorSystem.create(
                            Behaviors.setup(
                                    context -> {
                                        ActorRef<Word> adder =
                                                ActorRefResolver.get(context.getSystem())
                                                        .resolveActorRef(address);
                                        return guardian(context, adder);
                                    }),
                            "here",
                            config());
        }

        private static Behavior<Start> guardian(ActorContext<Start> context, ActorRef<Word> adder) {
            return Behaviors.receiveMessage(
                    start -> {
                        context.spawnAnonymous(
                                Behaviors.<Object>setup(
                                        run -> {
                                            for (int i = 0; i < start.actors(); i++) {
                                                run.spawnAnonymous(start.main().behavior(adder))
                                                        .tell(run.getSelf());
                                            }
                                            return new Ends(start).behavior();
                                        }));
                        return Behaviors.same();
                    });
        }

        long run(int actors, Main main)
                throws ExecutionException, InterruptedException, TimeoutException {
            CompletableFuture<Long> answer = new CompletableFuture<>();
            here.tell(new Start(actors, main, answer));
            return answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }

        void end() {
            PekkoRemotePeer.end(here);
            endThere.run();
        }
    }

    // ---------------------------------------------------------------- actors

    /** Adds up what the actors of a program have done. */
    private static final class Ends {
        private final Start start;
        private int ended;
        private long sum;

        Ends(Start start) {
            this.start = start;
        }

        Behavior<Object> behavior() {
            return Behaviors.receiveMessage(
                    message -> {
                        if (message instanceof Done(long value)) {
                            sum += value;
                            ended++;
                        }
                        if (ended < start.actors()) {
                            return Behaviors.same();
                        }
                        start.answer().complete(sum);
                        return Behaviors.stopped();
                    });
        }
    }

    private static final class Adder {
        private long sum;

        Behavior<Word> behavior() {
            return Behaviors.receiveMessage(
                    word -> {
                        switch (word) {
                            case Told(Note note) -> sum += note.value();
                            case Question(Note note, var replyTo) ->
                                    replyTo.tell(Note.of(note.value()));
                            case Total(var replyTo) -> {
                                replyTo.tell(Note.of(sum));
                                sum = 0;
                            }
                        }
                        return Behaviors.same();
                    });
        }
    }

    /** Tells in bursts; gets who is told of its end first. */
    private static final class Producer {
        private static final String GO_ON = "go on";

        private final ActorRef<Word> adder;
        private final long last;
        private @Nullable ActorRef<Object> caller;
        private long told;
        private long marks;
        private long arrived;
        private boolean isStalled;

        Producer(ActorRef<Word> adder, long last) {
            this.adder = adder;
            this.last = last;
        }

        Behavior<Object> behavior() {
            return Behaviors.setup(
                    context -> {
                        ActorRef<Note> replyTo = context.getSelf().narrow();
                        return Behaviors.receiveMessage(
                                message -> {
                                    if (message instanceof Note note) {
                                        if (marks == 0) {
                                            Objects.requireNonNull(caller)
                                                    .tell(new Done(note.value()));
                                            return Behaviors.stopped();
                                        }
                                        marks--;
                                        arrived = note.value();
                                        if (isStalled) {
                                            burst(context, replyTo);
                                        }
                                    } else {
                                        if (message instanceof ActorRef<?> from) {
                                            caller = from.unsafeUpcast();
                                        }
                                        burst(context, replyTo);
                                    }
                                    return Behaviors.same();
                                });
                    });
        }

        private void burst(ActorContext<Object> context, ActorRef<Note> replyTo) {
            isStalled = told - arrived > WINDOW;
            if (isStalled) {
                return;
            }
            long end = Math.min(last, told + Sizes.BURST);
            while (told < end) {
                adder.tell(new Told(Note.of(++told)));
            }
            if (told == last) {
                adder.tell(new Total(replyTo));
                return;
            }
            if (told % MARK == 0) {
                marks++;
                adder.tell(new Question(Note.of(told), replyTo));
            }
            context.getSelf().tell(GO_ON);
        }
    }

    /** Asks again when it has the reply. */
    private static final class Asker {
        private final ActorRef<Word> adder;
        private final long last;
        private final boolean isTimed;
        private @Nullable ActorRef<Object> caller;
        private long asked;
        private long beganNs;
        private long sum;

        Asker(ActorRef<Word> adder, long last, boolean isTimed) {
            this.adder = adder;
            this.last = last;
            this.isTimed = isTimed;
        }

        Behavior<Object> behavior() {
            return Behaviors.setup(
                    context ->
                            Behaviors.receiveMessage(
                                    message -> {
                                        if (message instanceof ActorRef<?> from) {
                                            caller = from.unsafeUpcast();
                                        } else if (message instanceof Note note) {
                                            sum += note.value();
                                            if (isTimed) {
                                                Latencies.add(beganNs);
                                            }
                                        } else {
                                            throw new IllegalStateException("failed: " + message);
                                        }
                                        if (asked == last) {
                                            Objects.requireNonNull(caller).tell(new Done(sum));
                                            return Behaviors.stopped();
                                        }
                                        ask(context);
                                        return Behaviors.same();
                                    }));
        }

        private void ask(ActorContext<Object> context) {
            long value = ++asked;
            beganNs = isTimed ? Latencies.begin() : 0;
            context.ask(
                    Note.class,
                    adder,
                    ASK_LIMIT,
                    replyTo -> Question.of(value, replyTo),
                    (note, failure) -> failure == null ? note : failure);
        }
    }
}
