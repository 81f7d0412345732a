package dev.ropewalk.actors.cluster.internal.lease;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.actors.cluster.store.WriteResult;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.testing.TestCords;
import dev.ropewalk.fibers.testing.VirtualCords;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * Processes that want to own one thing, while they are killed and frozen, their clocks differ, and
 * the store is slow, crashes and loses replies. An owner works each 10 ms if its lease is held. The
 * book: once a later owner has worked, no earlier one does; in the calm at the end one works.
 */
final class LeaseGame {
    private static final String CLUSTER = "c";
    private static final String OWNER = "c/owner";
    private static final int STEPS = 40;

    private final long seed;
    private final SplittableRandom random;
    private final LeaseTiming timing;
    private final UnaryOperator<Store> wrapped;
    private @Nullable MemoryStore made;
    private final Set<String> deadLives = new HashSet<>();
    private final List<Contender> contenders = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private long lastEpoch;
    private String lastWorker = "nobody";
    private long works;
    private long owners;

    /** One node of the game, in its present incarnation. */
    private final class Contender {
        private final String name;
        private final double rate;
        private @Nullable Cord cord;
        private @Nullable Membership membership;

        Contender(String name, double rate) {
            this.name = name;
            this.rate = rate;
        }

        void start(VirtualCords run) {
            Cord started = run.start(name);
            run.clockRate(started, rate);
            cord = started;
            WaitCell begun = new WaitCell();
            started.spin(
                    "main",
                    () -> {
                        Fiber.current().detach(); // its end by a kill is no failure of the game
                        begun.give(true);
                        Membership made =
                                new Membership(
                                        wrapped.apply(store()), CLUSTER, name, "host", 1, timing);
                        membership = made;
                        Fiber.spin("keeps", made::keep);
                        Fiber.spin("observes", made::observe);
                        Owning owning = new Owning(made);
                        Fiber.spin("takes", owning::take);
                        owning.work();
                    });
            begun.await("the start of " + name);
        }

        void kill(VirtualCords run) {
            if (cord != null) {
                run.kill(cord);
                cord = null;
                membership = null;
            }
        }

        /** On its own clock. */
        void check() {
            Cord at = Objects.requireNonNull(cord);
            Membership there = Objects.requireNonNull(membership);
            at.spin(
                            "checks",
                            () -> {
                                there.checkInvariants();
                                if (!there.lease().isHeld() || !there.trouble().isEmpty()) {
                                    violations.add(name + " in the calm: " + there.trouble());
                                }
                                if (there.live().size() != contenders.size()) {
                                    violations.add(name + " sees " + there.live().keySet());
                                }
                            })
                    .await();
        }

        /** The thing that this process knows of itself: under which life and epoch it owns. */
        private final class Owning {
            private final Membership mine;
            private @Nullable Lease lease;
            private long epoch;

            Owning(Membership mine) {
                this.mine = mine;
            }

            void take() {
                while (true) {
                    try {
                        look();
                    } catch (StoreException again) {
                        // the store is down or slow
                    }
                    Fiber.sleep(Duration.ofMillis(100 + Cord.current().nextInt(200)));
                }
            }

            private void look() {
                StoreEntry entry = store().read(OWNER);
                Lease now = mine.lease();
                String[] owner = new String(entry.value(), UTF_8).split(" ");
                String me = name + " " + Long.toHexString(now.life());
                if (entry.isPresent() && String.join(" ", owner).equals(me)) {
                    own(now, entry.revision());
                } else if (now.isHeld() && (!entry.isPresent() || isGone(owner))) {
                    WriteResult taken =
                            store().replace(OWNER, entry.revision(), me.getBytes(UTF_8));
                    if (taken instanceof WriteResult.Written(long revision)) {
                        own(now, revision);
                    }
                }
            }

            private boolean isGone(String[] owner) {
                StoreEntry entry = store().read(CLUSTER + "/node/" + owner[0]);
                Register there = entry.isPresent() ? Register.read(entry.value()) : null;
                return there == null
                        || there.state() == Register.State.DEAD
                        || there.life() != Long.parseUnsignedLong(owner[1], 16);
            }

            private void own(Lease under, long revision) {
                if (revision != epoch) {
                    owners++;
                }
                lease = under;
                epoch = revision;
            }

            void work() {
                while (true) {
                    Lease under = lease;
                    if (under != null && under.isHeld()) {
                        worked(name, epoch);
                    }
                    Fiber.sleep(Duration.ofMillis(10));
                }
            }
        }
    }

    LeaseGame(long seed) {
        this(seed, new LeaseTiming(), store -> store);
    }

    /** With a fault that is planted. */
    LeaseGame(long seed, LeaseTiming timing, UnaryOperator<Store> wrapped) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.timing = timing;
        this.wrapped = wrapped;
    }

    private MemoryStore store() {
        return Objects.requireNonNull(made);
    }

    /** A life that was declared dead does not come back. */
    private void registered(String key) {
        StoreEntry entry = store().peek(key);
        Register there = entry.isPresent() ? Register.read(entry.value()) : null;
        if (there != null) {
            String life = key + " " + there.life();
            if (there.state() == Register.State.DEAD) {
                deadLives.add(life);
            } else if (deadLives.contains(life)) {
                violations.add(life + " is UP after it was DEAD");
            }
        }
    }

    private void worked(String name, long epoch) {
        works++;
        if (epoch < lastEpoch) {
            violations.add(name + " works with " + epoch + " after " + lastWorker);
        }
        if (epoch > lastEpoch) {
            lastEpoch = epoch;
            lastWorker = name + " with " + epoch;
        }
    }

    /** The violations that were found. */
    List<String> play() {
        TestCords.run(1, seed, random.nextBoolean(), _ -> run(VirtualCords.current()));
        return violations;
    }

    long works() {
        return works;
    }

    long owners() {
        return owners;
    }

    private void run(VirtualCords run) {
        made = MemoryStore.on(run.start("store"));
        store().watch(CLUSTER + "/node/", this::registered);
        int count = 2 + random.nextInt(4);
        for (int i = 1; i <= count; i++) {
            Contender made = new Contender("n" + i, 0.99 + 0.02 * random.nextDouble());
            contenders.add(made);
            made.start(run);
        }
        for (int i = 0; i < STEPS; i++) {
            befall(run);
            Fiber.sleep(Duration.ofMillis(200 + random.nextInt(2_500)));
        }
        calm();
        contenders.forEach(each -> each.kill(run));
        store().checkInvariants();
    }

    private void befall(VirtualCords run) {
        Contender one = contenders.get(random.nextInt(contenders.size()));
        switch (random.nextInt(9)) {
            case 0 -> {
                one.kill(run);
                if (random.nextBoolean()) {
                    Fiber.sleep(Duration.ofMillis(random.nextInt(8_000)));
                }
                one.start(run);
            }
            case 1, 2 -> {
                if (one.cord != null) {
                    run.freeze(one.cord, Duration.ofMillis(freezeMs()));
                }
            }
            case 3 -> store().cut(one.name);
            case 4 -> store().heal(one.name);
            case 5 -> {
                store().crash();
                Fiber.sleep(Duration.ofMillis(random.nextInt(6_000)));
                store().recover();
            }
            case 6 -> store().loseOneIn(random.nextInt(3) == 0 ? 0 : 3 + random.nextInt(30));
            case 7 -> {
                int max = 1 + random.nextInt(random.nextInt(3) == 0 ? 6_000 : 300);
                store().delay(Duration.ofMillis(max / 4), Duration.ofMillis(max));
            }
            default -> {
                if (one.membership != null && random.nextInt(4) == 0) {
                    leave(one, run);
                }
            }
        }
    }

    /** Often about as long as others wait before they declare a life dead. */
    private int freezeMs() {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(40_000);
            case 1 -> random.nextInt(10_000);
            default -> 2_500 + random.nextInt(2_000);
        };
    }

    private void leave(Contender one, VirtualCords run) {
        Cord cord = one.cord;
        Membership leaving = one.membership;
        if (cord == null || leaving == null) {
            return;
        }
        cord.spin("leaves", () -> leaving.leave().await("the end", 2_000_000_000L)).await();
        one.kill(run);
        one.start(run);
    }

    private void calm() {
        store().recover();
        store().loseOneIn(0);
        store().delay(Duration.ofMillis(1), Duration.ofMillis(50));
        contenders.forEach(each -> store().heal(each.name));
        Fiber.sleep(Duration.ofSeconds(60)); // frozen ones thaw, and leases of lost lives end
        long before = works;
        Fiber.sleep(Duration.ofSeconds(2));
        if (works == before) {
            violations.add("nobody works in the calm");
        }
        contenders.forEach(Contender::check);
    }
}
