package dev.ropewalk.actors.cluster.internal.shard;

import dev.ropewalk.actors.cluster.internal.lease.LeaseTiming;
import dev.ropewalk.actors.cluster.internal.lease.Membership;
import dev.ropewalk.actors.cluster.internal.shard.ShardTable.Owner;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.store.StoreEntry;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCords;
import dev.ropewalk.fibers.testing.VirtualCords;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/**
 * Processes that share 256 shards, while they are killed, frozen, leave and come with another
 * version, their clocks differ, and the store is slow, crashes and loses replies. A node works each
 * 40 ms for each shard that it may work for. The books: once a later owner of a shard has worked,
 * no earlier one does; an epoch has one owner; epochs in the table grow; in the calm at the end
 * each shard has one owner, and the nodes have the fair share within 1.
 */
final class ShardGame {
    private static final String CLUSTER = "c";
    private static final String TABLE = CLUSTER + "/shards";
    private static final int STEPS = 40;
    private static final Duration TICK = Duration.ofMillis(40);
    private static final Duration CALM_TICK = Duration.ofMillis(200);

    private final long seed;
    private final SplittableRandom random;
    private final LeaseTiming leases;
    private final ShardTiming timing;
    private final UnaryOperator<Store> wrapped;
    private @Nullable MemoryStore made;
    private final List<Contender> contenders = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private final long[] lastEpoch = new long[Shards.COUNT];
    private final String[] lastWorker = new String[Shards.COUNT];
    private @Nullable ShardTable lastTable;
    private boolean isCalm;
    private long works;
    private long moves;

    /** One node of the game, in its present incarnation. */
    private final class Contender {
        private final String name;
        private final double rate;
        private String version = "1";
        private int incarnation;
        private @Nullable Cord cord;
        private @Nullable Membership membership;
        private @Nullable Shards shards;

        Contender(String name, double rate) {
            this.name = name;
            this.rate = rate;
        }

        void start(VirtualCords run) {
            Cord started = run.start(name);
            run.clockRate(started, rate);
            cord = started;
            incarnation++;
            String who = name + " #" + incarnation;
            WaitCell begun = new WaitCell();
            started.spin(
                    "main",
                    () -> {
                        Fiber.current().detach(); // its end by a kill is no failure of the game
                        begun.give(true);
                        Store store = wrapped.apply(store());
                        Membership joining =
                                new Membership(store, CLUSTER, name, "host", 1, leases);
                        Running running = new Running(who);
                        Shards mine = new Shards(store, CLUSTER, joining, version, running, timing);
                        mine.take();
                        running.shards = mine;
                        membership = joining;
                        shards = mine;
                        Fiber.spin("keeps", joining::keep);
                        Fiber.spin("observes", joining::observe);
                        Fiber.spin("moves", mine::run);
                        running.work();
                    });
            begun.await("the start of " + name);
        }

        void kill(VirtualCords run) {
            if (cord != null) {
                run.kill(cord);
                cord = null;
                membership = null;
                shards = null;
            }
        }

        void leave(VirtualCords run) {
            Cord at = cord;
            Membership leaving = membership;
            Shards mine = shards;
            if (at == null || leaving == null || mine == null) {
                return;
            }
            long limitMs = 500L + random.nextInt(8_000);
            at.spin(
                            "leaves",
                            () -> {
                                mine.leave(Duration.ofMillis(limitMs));
                                for (int shard = 0; shard < Shards.COUNT; shard++) {
                                    if (mine.isHeld(shard, Waits.nanoTime())) {
                                        violations.add(name + " has left and holds " + shard);
                                    }
                                }
                                leaving.leave().await("the end", 2_000_000_000L);
                            })
                    .awaitEnd(Duration.ofMinutes(3)); // it may be frozen
            kill(run);
        }

        /** On its own clock; so many shards that it owns. */
        int check(String[] owners) {
            Cord at = Objects.requireNonNull(cord);
            Shards mine = Objects.requireNonNull(shards);
            return at.spin(
                            "checks",
                            () -> {
                                mine.checkInvariants();
                                if (!mine.trouble().isEmpty()) {
                                    violations.add(name + " in the calm: " + mine.trouble());
                                }
                                int count = 0;
                                for (int shard = 0; shard < Shards.COUNT; shard++) {
                                    if (mine.isOwned(shard)) {
                                        count++;
                                        owners[shard] += name;
                                    }
                                }
                                return count;
                            })
                    .await();
        }

        boolean knows(String[] owners) {
            Shards mine = Objects.requireNonNull(shards);
            for (int shard = 0; shard < Shards.COUNT; shard++) {
                if (!owners[shard].equals(mine.owner(shard))) {
                    return false;
                }
            }
            return true;
        }
    }

    /** The actors of a node: whether those of a shard run, and under which epoch. */
    private final class Running implements ShardHandler {
        private final String who;
        private final long[] epochs = new long[Shards.COUNT];
        private final WaitCell[] finishing = new WaitCell[Shards.COUNT];
        private @Nullable Shards shards;

        Running(String who) {
            this.who = who;
        }

        private Shards shards() {
            return Objects.requireNonNull(shards);
        }

        @Override
        public void giveAway(int shard, Duration limit) {
            if (shards().isOwned(shard) || epochs[shard] == 0) {
                violations.add(who + " is to give away " + shard + " in the wrong state");
            }
            WaitCell cell = new WaitCell();
            finishing[shard] = cell;
            long limitMs = isCalm ? 10 : Math.min(limit.toMillis(), 1_500);
            cell.await("the last messages", 1_000_000L * Cord.current().nextInt((int) limitMs + 1));
            epochs[shard] = 0;
            moves++;
        }

        @Override
        public void lost(int shard) {
            epochs[shard] = 0;
            WaitCell cell = finishing[shard];
            if (cell != null) {
                cell.give(true);
            }
        }

        @Override
        public void taken(int shard) {
            if (epochs[shard] != 0) {
                violations.add(who + " has taken " + shard + " that runs");
            }
            epochs[shard] = shards().epoch(shard);
        }

        @Override
        public void changed() {
            // the work looks by itself
        }

        void work() {
            while (true) {
                for (int shard = 0; shard < Shards.COUNT; shard++) {
                    boolean isOwned = shards().isOwned(shard);
                    if (isOwned && epochs[shard] == 0) {
                        violations.add(who + " owns " + shard + ", where nothing runs");
                    }
                    if (isOwned
                            || (epochs[shard] != 0 && shards().isHeld(shard, Waits.nanoTime()))) {
                        worked(who, shard, epochs[shard]);
                    }
                }
                Fiber.sleep(isCalm ? CALM_TICK : TICK);
            }
        }
    }

    ShardGame(long seed) {
        this(seed, new LeaseTiming(), new ShardTiming(), store -> store);
    }

    /** With a fault that is planted. */
    ShardGame(long seed, LeaseTiming leases, ShardTiming timing, UnaryOperator<Store> wrapped) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.leases = leases;
        this.timing = timing;
        this.wrapped = wrapped;
        Arrays.fill(lastWorker, "nobody");
    }

    private MemoryStore store() {
        return Objects.requireNonNull(made);
    }

    private void worked(String who, int shard, long epoch) {
        works++;
        if (epoch < lastEpoch[shard]) {
            violations.add(
                    who + " works in " + shard + " with " + epoch + " after " + lastWorker[shard]);
        } else if (epoch > lastEpoch[shard]) {
            lastEpoch[shard] = epoch;
            lastWorker[shard] = who + " with " + epoch;
        } else if (!lastWorker[shard].startsWith(who)) {
            violations.add(who + " works in " + shard + " with the epoch of " + lastWorker[shard]);
        }
    }

    /** Each write of the table. */
    private void written() {
        StoreEntry entry = store().peek(TABLE);
        ShardTable before = lastTable;
        ShardTable now = ShardTable.read(entry);
        if (before != null) {
            for (int shard = 0; shard < Shards.COUNT; shard++) {
                Owner owner = now.owner(shard);
                boolean isSame = Objects.equals(owner, before.owner(shard));
                long epoch = now.epoch(shard);
                boolean isRight =
                        isSame
                                ? epoch == before.epoch(shard)
                                : owner == null || epoch == now.revision();
                if (!isRight) {
                    violations.add("the table has epoch " + epoch + " of shard " + shard);
                }
            }
        }
        lastTable = now;
    }

    /** The violations that were found. */
    List<String> play() {
        TestCords.run(1, seed, random.nextBoolean(), _ -> run(VirtualCords.current()));
        return violations;
    }

    long works() {
        return works;
    }

    long moves() {
        return moves;
    }

    private void run(VirtualCords run) {
        made = MemoryStore.on(run.start("store"));
        store().watch(TABLE, _ -> written());
        int count = 2 + random.nextInt(4);
        for (int i = 1; i <= count; i++) {
            Contender next = new Contender("n" + i, 0.99 + 0.02 * random.nextDouble());
            contenders.add(next);
            next.start(run);
        }
        for (int i = 0; i < STEPS && violations.isEmpty(); i++) {
            befall(run);
            Fiber.sleep(Duration.ofMillis(200 + random.nextInt(2_500)));
        }
        if (violations.isEmpty()) {
            calm(run);
        }
        contenders.forEach(each -> each.kill(run));
        store().checkInvariants();
    }

    private void befall(VirtualCords run) {
        Contender one = contenders.get(random.nextInt(contenders.size()));
        switch (random.nextInt(10)) {
            case 0 -> {
                one.kill(run);
                if (random.nextBoolean()) {
                    Fiber.sleep(Duration.ofMillis(random.nextInt(8_000)));
                }
                one.version = random.nextInt(4) == 0 ? "2" : one.version;
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
                if (random.nextBoolean()) {
                    store().crash();
                } else {
                    store().failWrites();
                }
                Fiber.sleep(Duration.ofMillis(random.nextInt(6_000)));
                store().recover();
            }
            case 6 -> store().loseOneIn(random.nextInt(3) == 0 ? 0 : 3 + random.nextInt(30));
            case 7 -> {
                int max = 1 + random.nextInt(random.nextInt(3) == 0 ? 6_000 : 300);
                store().delay(Duration.ofMillis(max / 4), Duration.ofMillis(max));
            }
            case 8 -> Fiber.sleep(Duration.ofSeconds(5)); // time for moves
            default -> {
                one.leave(run);
                one.version = random.nextInt(4) == 0 ? "2" : one.version;
                Fiber.sleep(Duration.ofMillis(random.nextInt(3_000)));
                one.kill(run);
                one.start(run);
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

    private void calm(VirtualCords run) {
        store().recover();
        store().loseOneIn(0);
        store().delay(Duration.ofMillis(1), Duration.ofMillis(20));
        contenders.forEach(each -> store().heal(each.name));
        isCalm = true;
        Fiber.sleep(Duration.ofSeconds(60)); // frozen ones thaw, and leases of lost lives end
        for (Contender each : contenders) {
            if (each.version.equals("1")) { // the deployment of the new program ends
                each.leave(run);
                each.version = "2";
                each.start(run);
                Fiber.sleep(Duration.ofSeconds(2));
            }
        }
        Fiber.sleep(Duration.ofSeconds(60));
        String[] owners = new String[Shards.COUNT];
        Arrays.fill(owners, "");
        List<Integer> counts = contenders.stream().map(each -> each.check(owners)).toList();
        int sum = counts.stream().mapToInt(Integer::intValue).sum();
        int min = counts.stream().mapToInt(Integer::intValue).min().orElseThrow();
        int max = counts.stream().mapToInt(Integer::intValue).max().orElseThrow();
        if (sum != Shards.COUNT || max - min > 1) {
            violations.add("in the calm: " + counts + " at " + Waits.nanoTime());
        }
        if (!contenders.stream().allMatch(each -> each.knows(owners))) {
            violations.add("in the calm, nodes know other owners");
        }
    }
}
