package dev.ropewalk.benchmarks.system.pekko;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;

import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.ActorContext;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Pekko's typed actors; all programs run in one actor system. */
public final class PekkoPeer implements Peer {
    private static final long LIMIT_SECONDS = 80;

    private static final String QUIET =
            """
            pekko.loglevel = OFF
            pekko.stdout-loglevel = OFF
            pekko.log-dead-letters = off
            pekko.use-slf4j = off
            """;

    private static final String ONE_THREAD =
            """
            pekko.actor.default-dispatcher {
              executor = fork-join-executor
              fork-join-executor {
                parallelism-min = 1
                parallelism-max = 1
              }
              throughput = 100
            }
            pekko.scheduler.tick-duration = 1ms
            """;

    /** Two dispatchers of one thread: a program says which actors are at the far end. */
    private static final String APART =
            """
            pekko.actor.default-dispatcher {
              executor = thread-pool-executor
              thread-pool-executor.fixed-pool-size = 1
            }
            far-dispatcher {
              type = Dispatcher
              executor = thread-pool-executor
              thread-pool-executor.fixed-pool-size = 1
            }
            """;

    private static final String FAR = "far-dispatcher";

    private final ActorSystem<PekkoGuardian.Message> system;
    private final Map<String, Program> programs = new HashMap<>();

    private PekkoPeer(String settings) {
        Config config = ConfigFactory.parseString(settings).withFallback(ConfigFactory.load());
        system = ActorSystem.create(PekkoGuardian.create(), "benchmarks", config);
        if (config.hasPath(FAR)) {
            add("pingpong_apart", PekkoMessages::pingPong);
            add("counting_apart", PekkoMessages::counting);
            add("fanin_apart", PekkoMessages::fanIn);
            return;
        }
        add("pingpong", PekkoMessages::pingPong);
        add("pingpong_free", PekkoMessages::pingPong);
        add("ring", PekkoMessages::ring);
        add("counting", PekkoMessages::counting);
        add("counting_free", PekkoMessages::counting);
        add("fanin", PekkoMessages::fanIn);
        add("fanin_free", PekkoMessages::fanIn);
        add("forkjoin_create", PekkoForkJoin::create);
        add("forkjoin_msg", PekkoForkJoin::messages);
        add("skynet", PekkoSkynet::program);
        add("skynet_free", PekkoSkynet::program);
        add("big", PekkoBig::program);
        add("bank", PekkoBank::program);
        add("bank_messages", PekkoBank::program);
        add("timers", PekkoTimers::program);
        add("mem", PekkoIdle::program);
    }

    /** {@return the defaults, but silent} */
    public static PekkoPeer asItComes() {
        return new PekkoPeer(QUIET);
    }

    /** {@return one thread for all actors, longer turns, a finer clock} */
    public static PekkoPeer tuned() {
        return new PekkoPeer(QUIET + ONE_THREAD);
    }

    /** {@return two threads, one for each end of a program} */
    public static PekkoPeer apart() {
        return new PekkoPeer(QUIET + APART);
    }

    @Override
    public Map<String, Program> programs() {
        return Map.copyOf(programs);
    }

    @Override
    public void close() {
        system.terminate();
        system.getWhenTerminated()
                .toCompletableFuture()
                .orTimeout(LIMIT_SECONDS, TimeUnit.SECONDS)
                .join();
    }

    private void add(String name, Main main) {
        programs.put(name, operations -> run(operations, main));
    }

    private long run(long operations, Main main)
            throws ExecutionException, InterruptedException, TimeoutException {
        CompletableFuture<Long> answer = new CompletableFuture<>();
        CountDownLatch ended = new CountDownLatch(1);
        system.tell(
                new PekkoGuardian.Start(
                        caller -> main.behavior(operations, caller), answer, ended));
        long value = answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        if (!ended.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new TimeoutException("the actors do not end");
        }
        return value;
    }

    /** {@return where the far end of a program runs, if it is to be apart} */
    static Props far(ActorContext<?> context) {
        return context.getSystem().settings().config().hasPath(FAR)
                ? DispatcherSelector.fromConfig(FAR)
                : Props.empty();
    }

    /**
     * {@return how many messages a producer sends for each one that it gets, so that a turn of its
     * dispatcher, which is so many messages, is a burst}
     */
    static int burst(ActorContext<?> context) {
        int throughput =
                context.getSystem()
                        .settings()
                        .config()
                        .getInt("pekko.actor.default-dispatcher.throughput");
        return Sizes.BURST / throughput;
    }

    /** A program: its first actor, which makes the others. */
    @FunctionalInterface
    private interface Main {
        Behavior<?> behavior(long operations, ActorRef<PekkoGuardian.Answer> caller);
    }
}
