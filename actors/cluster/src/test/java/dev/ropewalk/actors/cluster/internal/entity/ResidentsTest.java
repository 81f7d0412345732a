package dev.ropewalk.actors.cluster.internal.entity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Rule A7: the entities of a cord, whose shards come and go. */
@Timeout(60) // on one thread, because the bytes of that thread are counted
class ResidentsTest {
    private static final int MANY = 50_000;

    /** Of a node that has all shards. */
    private static final class Owner implements Ownership {
        private static final int NEVER = Integer.MAX_VALUE;

        /** So many looks at it go well. */
        int failsIn = NEVER;

        @Override
        public boolean mayWork(int shard, long nowNs) {
            return true;
        }

        @Override
        public long epoch(int shard) {
            return 1;
        }

        @Override
        public boolean isShared() {
            if (failsIn == 0) {
                failsIn = NEVER;
                throw new StackOverflowError("planted");
            }
            failsIn--;
            return true;
        }
    }

    private final Owner owner = new Owner();
    private final List<String> came = new ArrayList<>();

    private EntityHome<String> home(ActorSystem system) {
        EntityHome<String> home =
                new EntityHome<>(
                        new EntityHome.Place(
                                system, system.supervise("host", Supervision.oneForOne()), owner),
                        null,
                        "word",
                        null,
                        new Running(Duration.ofHours(1), false),
                        (_, _) -> key -> Actor.handler(() -> keeping(key)));
        for (int shard = 0; shard < Shards.COUNT; shard++) {
            home.take(shard);
        }
        return home;
    }

    private Behavior<String> keeping(String key) {
        return word -> {
            came.add(key + " " + word);
            return Behavior.same();
        };
    }

    private static long allocatedBytes() {
        com.sun.management.ThreadMXBean threads =
                (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        return threads.getCurrentThreadAllocatedBytes();
    }

    private static String keyIn(int shard) {
        int i = 0;
        while (Shards.of("k" + i) != shard) {
            i++;
        }
        return "k" + i;
    }

    /** Its name would be taken for ever. */
    @Test
    void A7_anActorThatRunsWhenItsStartFailsIsEndedSoThatTheNextOneStarts() {
        TestCord.run(
                () -> {
                    came.clear();
                    try (ActorSystem system = ActorSystem.start("system")) {
                        EntityHome<String> home = home(system);
                        ActorRef<String> a = home.local("a");
                        owner.failsIn = 1; // the first look is that of the address
                        a.tell("lost");
                        assertEquals(Owner.NEVER, owner.failsIn, "it has failed");
                        Fiber.sleep(Duration.ofSeconds(1));
                        a.tell("one");
                        Fiber.sleep(Duration.ofSeconds(1));
                        assertEquals(List.of("a one"), came);
                        assertEquals(1, home.size());
                        home.checkInvariants();
                    }
                });
    }

    /** All shards of a node may end at once, so each must not look through all. */
    @Test
    void A7_theEndOfAShardLooksAtItsOwnEntitiesAlone() {
        TestCord.run(
                1,
                false,
                () -> {
                    try (ActorSystem system = ActorSystem.start("system")) {
                        EntityHome<String> home = home(system);
                        for (int i = 0; i < MANY; i++) {
                            home.ref("k" + i).tell("begin");
                        }
                        Fiber.sleep(Duration.ofSeconds(1));
                        home.lose(0, ActorRef::terminate, () -> {});
                        Fiber.sleep(Duration.ofSeconds(1));
                        home.take(0);
                        home.ref(keyIn(0)).tell("begin");
                        Fiber.sleep(Duration.ofSeconds(1));
                        int others = home.size() - 1;
                        assertTrue(others > MANY * 9 / 10);
                        long before = allocatedBytes();
                        home.lose(0, ActorRef::terminate, () -> {});
                        long bytes = allocatedBytes() - before;
                        assertTrue(bytes < 3 * MANY, () -> bytes + " bytes beside " + others);
                        Fiber.sleep(Duration.ofSeconds(1));
                        assertEquals(others, home.size());
                        home.checkInvariants();
                    }
                });
    }
}
