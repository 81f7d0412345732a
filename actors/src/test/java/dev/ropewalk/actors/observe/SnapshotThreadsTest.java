package dev.ropewalk.actors.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.actors.testkit.Peek;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** Rule A6: a snapshot misses no change, on several cords, and with others who take some. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class SnapshotThreadsTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static Actor<String> idle() {
        return Actor.handler(() -> _ -> Behavior.same());
    }

    private static ActorSystem system(int cords) {
        return ActorSystem.start(
                Tree.oneForOne("system"), ActorSystemOptions.defaults().withCords(cords));
    }

    private static ActorPhase phase(SystemSnapshot seen, String path) {
        return seen.actors().stream()
                .filter(glance -> glance.path().equals(path))
                .map(ActorGlance::phase)
                .findFirst()
                .orElseThrow();
    }

    /** It is asked for portions, and the other one must not take its time. */
    @Test
    void A6_aCordThatIsStuckHidesNoActorOfAnother() {
        int many = 3_500;
        CountDownLatch goOn = new CountDownLatch(1);
        CountDownLatch keeps = new CountDownLatch(1);
        try (Cord home = Cord.start("home");
                Cord crowded = Cord.start("crowded");
                Cord stuck = Cord.start("stuck");
                ActorSystem system =
                        ActorSystem.start(
                                Tree.oneForOne("system"),
                                ActorSystemOptions.defaults()
                                        .over(List.of(home, stuck, crowded)))) {
            system.root().spin(stuck, "alone", idle());
            for (int i = 0; i < many; i++) {
                system.root().spin(crowded, "a" + i, idle());
            }
            while (up(system) < many + 1) {
                Thread.onSpinWait();
            }
            Fiber<?> keeper =
                    stuck.spin(
                            "keeps",
                            () -> {
                                keeps.countDown();
                                await(goOn);
                            });
            await(keeps);
            try {
                SystemSnapshot seen = system.snapshot(Duration.ofSeconds(5));
                assertEquals(List.of("stuck"), seen.silent());
                assertEquals(many, seen.actors().size());
            } finally {
                goOn.countDown();
            }
            keeper.await();
            SystemSnapshot later = system.snapshot();
            assertEquals(List.of(), later.silent());
            assertEquals(many + 1, later.actors().size());
            assertEquals(1, later.visited(), "the others were seen, and have not changed");
        }
    }

    /** How many actors are, by a dump: a snapshot would have seen them. */
    private static long up(ActorSystem system) {
        return system.dump().root().children().stream()
                .filter(each -> each instanceof ActorDump actor && actor.phase() == ActorPhase.UP)
                .count();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException over) {
            Thread.currentThread().interrupt();
        }
    }

    /** Suspends and resumes the actor in turn, and sees each change. */
    private static void misses(ActorSystem system, ActorRef<?> ref, int steps) {
        ActorInspector inspector = ActorInspector.of(ref);
        for (int step = 0; step < steps; step++) {
            boolean isSuspended = step % 2 == 0;
            if (isSuspended) {
                inspector.suspend();
            } else {
                inspector.resume();
            }
            assertEquals(
                    isSuspended ? ActorPhase.SUSPENDED : ActorPhase.UP,
                    phase(system.snapshot(), ref.path()),
                    "step " + step);
        }
    }

    /** Those that take them at once share what they have seen. */
    @Test
    void A6_snapshotsOfTwoThreadsMissNoChange() throws InterruptedException {
        AtomicBoolean isOver = new AtomicBoolean();
        try (ActorSystem system = system(1)) {
            for (int i = 0; i < 1_000; i++) {
                system.spin("other" + i, idle());
            }
            ActorRef<String> ref = system.start("one", idle());
            system.snapshot();
            Thread other =
                    new Thread(
                            () -> {
                                while (!isOver.get()) {
                                    system.snapshot();
                                }
                            });
            other.start();
            try {
                misses(system, ref, 1_000);
            } finally {
                isOver.set(true);
                other.join();
            }
        }
    }

    private static void missesOverCords(int steps) {
        try (ActorSystem system = system(4)) {
            List<ActorRef<String>> refs = new ArrayList<>();
            for (Cord cord : system.cords()) {
                refs.add(system.root().start(cord, "on " + cord.name(), idle()));
            }
            system.snapshot();
            misses(system, refs.get(1), steps);
        }
    }

    /** Cords that have nothing to tell answer beside the one that has. */
    @Test
    void A6_snapshotsOverCordsMissNoChange() {
        missesOverCords(1_000);
    }

    @Test
    @Tag("stress")
    void A6_stress_snapshotsOverCordsMissNoChange() {
        missesOverCords(200_000);
    }

    @Test
    void A6_cordsThatHaveEndedLeaveNothingBehind() {
        try (ActorSystem system = system(1)) {
            system.snapshot();
            for (int i = 0; i < 20; i++) {
                try (Cord cord = Cord.start(CordOptions.named("c" + i))) {
                    ActorRef<String> ref = system.root().start(cord, "a" + i, idle());
                    assertEquals(ActorPhase.UP, phase(system.snapshot(), ref.path()));
                    ref.stop();
                    assertTrue(ref.awaitEnd(SECOND));
                }
                assertEquals(List.of(), system.snapshot().actors());
            }
            assertTrue(Peek.cordsOfSnapshots(system) <= 2);
        }
    }
}
