package dev.ropewalk.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.util.stream.Collectors.joining;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.channels.Channel;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A process starts fast because it loads nothing for what its program does not use. With all of
 * Ropewalk and its libraries on the class path; {@code .ci/start-time} tells how long it takes.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class StartTest {
    private static final Pattern LOADED =
            Pattern.compile("\\[class,load *\\] ([^ /]+)(?:/0x[0-9a-f]+)? +source: ");

    /**
     * What no start loads. The recorder's class itself tells whether there is a recording, and the
     * JDK's management, which alone tells whether a thread holds a monitor, looks at LogManager.
     */
    private static final List<String> NEVER =
            List.of(
                    "jdk.jfr.(?!FlightRecorder$)",
                    "jdk.internal.event.Event$",
                    "org.slf4j.",
                    "io.netty.",
                    "com.esotericsoftware.",
                    "java.util.logging.(?!LogManager$)",
                    "java.util.regex.",
                    "java.util.Formatter",
                    "java.net.http.",
                    "dev.ropewalk.fibers.(blocking|coroutine|recurring|scheduler|sync|testing|io)\\.",
                    "dev.ropewalk.fibers.internal.(task|reactor|dump|io)\\.",
                    "dev.ropewalk.fibers.internal.platform.Virtual",
                    "dev.ropewalk.channels.http.",
                    "dev.ropewalk.channels.(pipeline|select|broadcast|flow)\\.",
                    "dev.ropewalk.actors.(testing|server)\\.");

    /** The first one of each of these takes as long as some twenty classes. */
    private static final List<String> DYNAMIC =
            List.of(
                    "java.lang.runtime.SwitchBootstraps",
                    "java.lang.runtime.ObjectMethods",
                    "java.lang.invoke.StringConcatFactory");

    static final class OneFiber {
        private OneFiber() {}

        public static void main(String[] args) {
            Cord.run(() -> System.out.println(Fiber.spin("one", () -> "done").await()));
        }
    }

    static final class OneChannel {
        private OneChannel() {}

        public static void main(String[] args) {
            Cord.run(
                    () -> {
                        Channel<String> channel = Channel.rendezvous();
                        Fiber.spin("sender", () -> channel.send("done"));
                        System.out.println(channel.receive());
                    });
        }
    }

    /** One that fails, is started again, and answers: all of its life has events. */
    static final class OneActor {
        sealed interface Message {}

        record Fail() implements Message {}

        record Ask(Recipient<String> replyTo) implements Message {}

        private OneActor() {}

        static Supervision rules() {
            return Supervision.oneForOne().intensity(2, Duration.ofDays(1)).onFailure(_ -> {});
        }

        static Behavior<Message> behavior() {
            return message -> {
                if (message instanceof Ask(Recipient<String> replyTo)) {
                    replyTo.tell("done");
                    return Behavior.same();
                }
                throw new IllegalStateException("planted");
            };
        }

        static void live(ActorSystem system, String name) {
            ActorRef<Message> actor = system.spin(name, Actor.handler(_ -> behavior()));
            actor.tell(new Fail());
            System.out.println(actor.ask(Ask::new));
        }

        public static void main(String[] args) {
            Supervision rules = rules();
            Cord.run(
                    () -> {
                        try (ActorSystem system = ActorSystem.start("system", rules, _ -> {})) {
                            live(system, "one");
                        }
                    });
        }
    }

    /** Nobody records until the first actor has lived. */
    static final class RecordedLater {
        private RecordedLater() {}

        public static void main(String[] args) {
            Supervision rules = OneActor.rules();
            Cord.run(
                    () -> {
                        try (ActorSystem system = ActorSystem.start("system", rules, _ -> {})) {
                            OneActor.live(system, "before");
                            try (Recording recording = new Recording()) {
                                recording.start();
                                OneActor.live(system, "after");
                                recording.stop();
                                recording.dump(Path.of(args[0]));
                            }
                        }
                    });
        }
    }

    /** The watchdog reports, and nobody records. */
    static final class Stuck {
        private Stuck() {}

        public static void main(String[] args) {
            CountDownLatch told = new CountDownLatch(1);
            CordOptions options =
                    CordOptions.named("stuck")
                            .withStuckLimit(Duration.ofMillis(50))
                            .withStuckHandler(_ -> told.countDown());
            Cord.run(options, () -> told.await());
            System.out.println("done");
        }
    }

    @TempDir private Path folder;

    private static String run(Class<?> main, String... args)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("@" + System.getProperty("ropewalk.args.file"));
        command.add("-Xlog:class+load");
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(args));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        String told = output.lines().filter(l -> !l.contains("class,load")).collect(joining("\n"));
        assertEquals(0, process.waitFor(), told);
        assertTrue(told.contains("done"), told);
        return output;
    }

    private static Set<String> loaded(Class<?> main) throws IOException, InterruptedException {
        Set<String> names = new TreeSet<>();
        Matcher matcher = LOADED.matcher(run(main));
        while (matcher.find()) {
            names.add(matcher.group(1));
        }
        assertTrue(names.contains(main.getName()), () -> "the log was not understood: " + names);
        return names;
    }

    private static void assertNone(Set<String> loaded, List<String> forbidden) {
        Set<String> wrong = new TreeSet<>();
        for (String each : forbidden) {
            Pattern pattern = Pattern.compile(each.replaceAll("\\.(?=\\w|$)", "\\\\."));
            loaded.stream().filter(name -> pattern.matcher(name).lookingAt()).forEach(wrong::add);
        }
        assertEquals(Set.of(), wrong, "loaded, though the program does not use them");
    }

    @Test
    void F2_oneFiberLoadsNothingThatItDoesNotUse() throws IOException, InterruptedException {
        Set<String> loaded = loaded(OneFiber.class);
        assertNone(loaded, NEVER);
        assertNone(loaded, DYNAMIC);
        assertNone(loaded, List.of("dev.ropewalk.fibers.supervision.", "dev.ropewalk.channels."));
    }

    @Test
    void F2_oneChannelLoadsNothingThatItDoesNotUse() throws IOException, InterruptedException {
        Set<String> loaded = loaded(OneChannel.class);
        assertNone(loaded, NEVER);
        assertNone(loaded, DYNAMIC);
        assertNone(loaded, List.of("dev.ropewalk.actors."));
    }

    @Test
    void A6_theFirstActorLoadsNothingThatItDoesNotUse() throws IOException, InterruptedException {
        assertNone(loaded(OneActor.class), NEVER);
    }

    @Test
    void F13_aReportWithoutARecordingLoadsNoEvent() throws IOException, InterruptedException {
        assertNone(loaded(Stuck.class), List.of("jdk.jfr.(?!FlightRecorder$)", "org.slf4j."));
    }

    @Test
    void A6_aRecordingThatStartsAfterTheFirstActorHasTheEvents()
            throws IOException, InterruptedException {
        Path file = folder.resolve("later.jfr");
        run(RecordedLater.class, file.toString());
        List<String> events = new ArrayList<>();
        for (RecordedEvent each : RecordingFile.readAllEvents(file)) {
            String type = each.getEventType().getName();
            boolean isOfActors = each.hasField("actor") || each.hasField("recipient");
            if (type.startsWith("dev.ropewalk.") && isOfActors) { // a busy machine has others
                String name = each.hasField("actor") ? "actor" : "recipient";
                String told = each.getString(name).replaceAll("#[0-9]+$", "");
                events.add(type.substring("dev.ropewalk.".length()) + " " + told);
            }
        }
        assertEquals(
                List.of(
                        "ActorStart system/after",
                        "DeadLetter system/after",
                        "ActorFailure system/after",
                        "ActorRestart system/after"),
                events);
    }
}
