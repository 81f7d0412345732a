package dev.ropewalk.actors.cluster;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityContext;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.cluster.internal.entity.WayTiming;
import dev.ropewalk.actors.cluster.internal.ref.Counts;
import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Nodes whose entities move: fibers of all of them tell and ask the entities, which tell and pay
 * each other, while nodes leave, are killed and frozen, links are cut and reset, handlers take
 * long, and the store is slow, crashes and loses replies. Then comes a calm, and the books must
 * balance (rules A7 and A8).
 *
 * <p>The books: the numbers of one sender to one key grow; the epoch under which a key is worked
 * for never goes down, and no reply is of an earlier one; an ask ends within its limit; an addition
 * that was acknowledged counts once, another one at most once, and the sum is exact; each account
 * is a register ({@link Histories}), and an addition of which it has told counts; after the calm
 * all nodes find each key at one place. In a mild game nodes only leave and come: nothing is lost
 * there, and no ask fails.
 */
final class MovesGame {
    sealed interface Word {}

    record Note(long id, String sender, long number) implements Word {}

    record Numbered(String sender, long number, Recipient<Answer> replyTo) implements Word {}

    /** Takes so long. */
    record Where(int ms, Recipient<Answer> replyTo) implements Word {}

    record Nap(int ms) implements Word {}

    /** Of an addition, which its account tells. */
    record Said(long id) implements Word {}

    /** Tells another one a note. */
    record Pass(String to) implements Word {}

    /**
     * Of whom, and when.
     *
     * @param atNs on the clock of the game
     */
    record Answer(String key, String node, long epoch, long atNs) {}

    sealed interface Account {}

    /** Takes so long. */
    record Add(long id, int ms, Recipient<Long> replyTo) implements Account, Request<Long> {}

    record Pay(long id, String to, Recipient<Long> replyTo) implements Account, Request<Long> {}

    record Credit(long id) implements Account {}

    record Get(Recipient<Balance> replyTo) implements Account, Request<Balance> {}

    /**
     * The state of an account.
     *
     * @param added the numbers of the additions, and of what others have paid
     */
    record Balance(long cents, List<Long> added) {
        Balance {
            added = List.copyOf(added);
        }

        Balance minus(long id) {
            return new Balance(cents - amount(id), added);
        }

        Balance plus(long id) {
            List<Long> all = new ArrayList<>(added);
            all.add(id);
            return new Balance(cents + amount(id), all);
        }
    }

    private static final int WORDS = 10;
    private static final int ACCOUNTS = 6;
    private static final int SPEAKERS = 2;
    private static final int STEPS = 14;
    private static final long FIRST = 1_000;
    private static final Duration LIMIT = Duration.ofSeconds(5);
    private static final Duration LONG_LIMIT = Duration.ofSeconds(30);
    private static final Duration LONG = Duration.ofMinutes(2);
    private static final Duration LATE = Duration.ofMillis(100);

    private final long seed;
    private final SplittableRandom random;
    private final WayTiming timing;
    private final UnaryOperator<Store> stores;
    private final boolean isMild;

    // ---- the books, which all nodes share, because they share the thread

    private final List<OneNode> processes = new ArrayList<>();
    private final Map<String, OneNode> current = new HashMap<>();
    private final Deque<String> steps = new ArrayDeque<>();
    private final List<String> violations = new ArrayList<>();

    /** By sender and key. */
    private final Map<String, Long> told = new HashMap<>();

    private final Map<String, Long> came = new HashMap<>();
    private final Map<Long, String> notes = new LinkedHashMap<>();

    /** By kind and key: when each epoch was worked in first. */
    private final Map<String, Deque<Worked>> worked = new HashMap<>();

    private final Set<Long> payments = new HashSet<>();
    private final Set<Long> acknowledged = new HashSet<>();
    private final Set<Long> said = new HashSet<>();
    private final Histories histories = new Histories();
    private long lastId;
    private long handled;
    private long replies;
    private boolean isCalm;
    private @Nullable Cord clock;

    private record Worked(long epoch, long fromNs, String node) {}

    /** One incarnation of a node. */
    private static final class OneNode {
        private final String name;
        private final int number;
        private @Nullable Node node;
        private @Nullable Entities<Word> words;
        private @Nullable Entities<Account> accounts;
        private boolean isQuiet;
        private int speaking;
        private int asking;
        private int freezes;
        private long thawNs;

        /** Something happens to it. */
        private boolean isBusy;

        OneNode(String name, int number) {
            this.name = name;
            this.number = number;
        }

        Node node() {
            return Objects.requireNonNull(node);
        }

        ActorRef<Word> word(String key) {
            return Objects.requireNonNull(words).ref(key);
        }

        ActorRef<Account> account(String key) {
            return Objects.requireNonNull(accounts).ref(key);
        }

        @Override
        public String toString() {
            return name + "." + number;
        }
    }

    MovesGame(long seed) {
        this(seed, new WayTiming(), UnaryOperator.identity());
    }

    /** With a fault that is planted, also in the store as a node sees it. */
    MovesGame(long seed, WayTiming timing, UnaryOperator<Store> stores) {
        this.stores = stores;
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.timing = timing;
        this.isMild = random.nextInt(3) == 0;
    }

    /** The violations that were found, and the last steps. */
    List<String> play() {
        SimCluster.run(3, seed, random.nextBoolean(), this::start, this::play);
        if (violations.isEmpty()) {
            return List.of();
        }
        List<String> all = new ArrayList<>(violations.subList(0, Math.min(5, violations.size())));
        all.add("seed=" + seed + ", mild=" + isMild + ", the last steps:");
        all.addAll(steps);
        return all;
    }

    long handled() {
        return handled;
    }

    long replies() {
        return replies;
    }

    private void violated(String what) {
        violations.add(nowMs() + " ms: " + what);
    }

    private long nowNs() {
        return Objects.requireNonNull(clock).nanoTime();
    }

    private long nowMs() {
        return nowNs() / 1_000_000;
    }

    private void step(String what) {
        steps.add(nowMs() + " ms: " + what);
        if (steps.size() > 16) {
            steps.remove();
        }
    }

    // ---------------------------------------------------------------- a process

    private Node start(NodeOptions options) {
        OneNode made = new OneNode(options.name(), processes.size());
        processes.add(made);
        ActorSystem system =
                ActorSystem.start(
                        Tree.oneForOne("system"),
                        ActorSystemOptions.defaults()
                                .withDeadLetters(letter -> reported(made, letter)));
        Node node =
                Node.start(
                        system,
                        options.withDiscovery(Discovery.of())
                                .withStore(stores.apply(MemoryStore.current()))
                                .withWays(timing)
                                .withQueue(random.nextInt(3) == 0 ? 2_048 : 1 << 20)
                                .withProtocol(Protocol.of(Word.class, Account.class)));
        made.node = node;
        made.words =
                node.entities(
                        EntityKind.of("w", Word.class, key -> word(made, key))
                                .idle(Duration.ofSeconds(2)));
        made.accounts =
                node.entities(
                        EntityKind.durable(
                                        "a",
                                        Account.class,
                                        Balance.class,
                                        self -> account(made, self))
                                .idle(Duration.ofSeconds(3)));
        current.put(made.name, made);
        for (int i = 0; i < SPEAKERS; i++) {
            String name = made + "-" + i;
            SplittableRandom own = random.split();
            made.speaking++;
            Fiber.spin("speaks as " + name, () -> speak(made, name, own));
        }
        return node;
    }

    private void reported(OneNode at, DeadLetter letter) {
        boolean isOurs = letter.message() instanceof Word || letter.message() instanceof Account;
        if (isMild && isOurs) {
            violated(at + " has a dead letter: " + letter);
        }
    }

    // ---------------------------------------------------------------- entities

    private Actor<Word> word(OneNode at, String key) {
        return Actor.handler(
                (ActorContext<Word> self) ->
                        word -> {
                            take(at, key, self.self().number(), word);
                            return Behavior.same();
                        });
    }

    private void take(OneNode at, String key, long actor, Word word) {
        long epoch = works(at, "w", key);
        switch (word) {
            case Note(long id, String sender, long number) -> {
                notes.remove(id);
                comes(at, key, sender, number);
            }
            case Numbered(String sender, long number, var replyTo) -> {
                comes(at, key, sender, number);
                replyTo.tell(new Answer(key, at.name, epoch, nowNs()));
            }
            case Where(int ms, var replyTo) -> {
                if (ms > 0) {
                    Fiber.sleep(Duration.ofMillis(ms));
                }
                replyTo.tell(new Answer(key, at.name, epoch, nowNs()));
            }
            case Said(long id) -> said.add(id);
            case Nap(int ms) -> Fiber.sleep(Duration.ofMillis(ms));
            case Pass(String to) -> tellNote(at, key + "-" + at + "-" + actor, to);
        }
    }

    private void comes(OneNode at, String key, String sender, long number) {
        Long before = came.put(sender + " to " + key, number);
        if (before != null && before >= number) {
            violated(key + " at " + at + " got " + number + " after " + before + " from " + sender);
        }
    }

    /** {@return the epoch} */
    private long works(OneNode at, String kind, String key) {
        handled++;
        long epoch = at.node().entities().epoch(Shards.of(key));
        Deque<Worked> all = worked.computeIfAbsent(kind + "/" + key, _ -> new ArrayDeque<>());
        Worked last = all.peekLast();
        if (last == null || epoch > last.epoch) {
            all.add(new Worked(epoch, nowNs(), at.toString()));
        } else if (epoch < last.epoch) {
            violated(
                    kind + "/" + key + " at " + at + " works in epoch " + epoch + " after " + last);
        } else if (epoch == last.epoch && !last.node.equals(at.toString())) {
            violated(kind + "/" + key + " at " + at + " works in the epoch of " + last);
        }
        return epoch;
    }

    private Server<Account, Balance> account(OneNode at, EntityContext<Account> self) {
        return Server.<Account, Balance>of(new Balance(FIRST, List.of()))
                .call(
                        Add.class,
                        (now, add) -> {
                            works(at, "a", self.key());
                            if (add.ms > 0) {
                                Fiber.sleep(Duration.ofMillis(add.ms));
                            }
                            at.word("said " + add.id % WORDS).tell(new Said(add.id));
                            return Reply.of(add.id, now.plus(add.id));
                        })
                .call(
                        Pay.class,
                        (now, pay) -> {
                            works(at, "a", self.key());
                            self.deliver(at.account(pay.to), new Credit(pay.id));
                            return Reply.of(now.cents, now.minus(pay.id));
                        })
                .cast(
                        Credit.class,
                        (now, credit) -> {
                            works(at, "a", self.key());
                            return now.plus(credit.id);
                        })
                .call(Get.class, (now, _) -> Reply.of(now, now));
    }

    private static long amount(long id) {
        return 1 + id % 7;
    }

    // ---------------------------------------------------------------- those that speak

    private void speak(OneNode self, String name, SplittableRandom own) {
        while (!self.isQuiet && !isCalm) {
            Fiber.sleep(Duration.ofMillis(1 + own.nextInt(own.nextInt(3) == 0 ? 800 : 80)));
            if (clock != null && self.words != null) { // all nodes have started
                say(self, name, own);
            }
        }
        self.speaking--;
    }

    private void say(OneNode self, String name, SplittableRandom own) {
        String key = "k" + own.nextInt(WORDS);
        Duration limit = isMild || own.nextInt(3) > 0 ? LIMIT : LONG_LIMIT;
        switch (own.nextInt(10)) {
            case 0, 1, 2 -> {
                int count = own.nextInt(10) == 0 ? 60 : 1 + own.nextInt(8);
                for (int i = 0; i < count; i++) {
                    tellNote(self, name, key);
                }
            }
            case 3, 4 -> askLater(self, name, key, limit);
            case 5 -> {
                int ms = isMild || own.nextInt(4) > 0 ? 0 : own.nextInt(6_000);
                ask(
                        self,
                        () -> "where " + key,
                        limit,
                        self.word(key),
                        to -> new Where(ms, to),
                        this::replied);
            }
            case 6 -> self.word(key).tell(new Pass("k" + own.nextInt(WORDS)));
            case 7, 8 -> {
                long id = ++lastId;
                int ms = own.nextInt(5) > 0 ? 0 : own.nextInt(isMild ? 100 : 5_000);
                String account = "a" + own.nextInt(ACCOUNTS);
                histories.writes(account, id);
                ask(
                        self,
                        () -> "add " + id,
                        limit,
                        self.account(account),
                        (Recipient<Long> to) -> new Add(id, ms, to),
                        done -> {
                            acknowledged.add(done);
                            histories.acknowledged(account, done);
                        });
                if (id % 2 == 0) {
                    read(self, account, limit);
                }
            }
            default -> {
                String to = "a" + own.nextInt(ACCOUNTS);
                long id = ++lastId;
                payments.add(id);
                histories.writes(to, id);
                ask(
                        self,
                        () -> "pay " + to,
                        limit,
                        self.account("a" + own.nextInt(ACCOUNTS)),
                        (Recipient<Long> r) -> new Pay(id, to, r),
                        _ -> {});
            }
        }
    }

    private void read(OneNode self, String account, Duration limit) {
        Histories.Before before = histories.begins(account);
        ask(
                self,
                () -> "read " + account,
                limit,
                self.account(account),
                Get::new,
                (Balance read) -> {
                    String wrong = histories.returned(before, read.added);
                    if (!wrong.isEmpty()) {
                        violated("at " + self + " register " + wrong);
                    }
                });
    }

    private long next(String sender, String key) {
        return told.merge(sender + " to " + key, 1L, Long::sum);
    }

    private void tellNote(OneNode self, String sender, String key) {
        long id = ++lastId;
        long number = next(sender, key);
        notes.put(id, sender + " to " + key + " number " + number + " at " + nowMs() + " ms");
        self.word(key).tell(new Note(id, sender, number));
    }

    @FunctionalInterface
    private interface Told {
        String text();
    }

    private <M, R> void ask(
            OneNode self,
            Told what,
            Duration limit,
            ActorRef<M> to,
            Function<Recipient<R>, M> question,
            Consumer<R> taken) {
        self.asking++;
        Fiber.spin(
                        "asks",
                        () -> {
                            Open open = new Open(self, what, limit);
                            try {
                                R reply = to.<R>ask(question, limit);
                                replies++;
                                taken.accept(reply);
                            } catch (AskException failed) {
                                open.failed(failed);
                            }
                            open.over();
                        })
                .detach();
    }

    @SuppressWarnings("FutureReturnValueIgnored") // the code runs when it is complete
    private void askLater(OneNode self, String sender, String key, Duration limit) {
        self.asking++;
        Open open = new Open(self, () -> "numbered of " + sender + " to " + key, limit);
        long number = next(sender, key);
        self.word(key)
                .<Answer>askLater(to -> new Numbered(sender, number, to), limit)
                .whenComplete(
                        (reply, failure) -> {
                            if (failure == null) {
                                replies++;
                                replied(reply);
                            } else {
                                open.failed(failure);
                            }
                            open.over();
                        });
    }

    /** An ask that has no outcome yet. */
    private final class Open {
        private final OneNode by;
        private final Told what;
        private final Duration limit;
        private final long beganNs = Cord.current().nanoTime();
        private final int freezes;

        Open(OneNode by, Told what, Duration limit) {
            this.by = by;
            this.what = what;
            this.limit = limit;
            this.freezes = by.freezes;
        }

        void failed(Throwable failure) {
            boolean isFull = String.valueOf(failure.getMessage()).contains("there is no room");
            if (isMild && !isFull) { // a queue may be small, and an askLater does not wait
                violated(by + ": " + what.text() + " failed: " + failure);
            }
        }

        void over() {
            by.asking--;
            long tookNs = Cord.current().nanoTime() - beganNs;
            boolean wasFrozen = freezes != by.freezes || nowNs() < by.thawNs + LATE.toNanos();
            if (!wasFrozen && tookNs > limit.plus(LATE).toNanos()) {
                violated(by + ": " + what.text() + " took " + tookNs / 1_000_000 + " ms");
            }
        }
    }

    private void replied(Answer answer) {
        for (Worked later : Objects.requireNonNull(worked.get("w/" + answer.key))) {
            if (later.epoch > answer.epoch && later.fromNs < answer.atNs) {
                violated("a reply is of an earlier owner: " + answer + ", after " + later);
                return;
            }
        }
    }

    // ---------------------------------------------------------------- the game

    private void play(SimCluster cluster) throws Exception {
        clock = Cord.current();
        for (String each : cluster.names()) {
            cluster.clockRate(each, 0.995 + 0.01 * random.nextDouble());
        }
        cluster.awaitPeers(LONG);
        Fiber.sleep(Duration.ofMillis(random.nextInt(6_000)));
        List<Fiber<?>> under = new ArrayList<>();
        for (int i = 0; i < STEPS && violations.isEmpty(); i++) {
            under.add(Fiber.spin("befalls", () -> befall(cluster)));
            if (random.nextInt(4) > 0) {
                Fiber.sleep(Duration.ofMillis(random.nextInt(isMild ? 5_000 : 4_000)));
            }
            check(cluster);
        }
        under.forEach(each -> each.awaitEnd(LONG));
        if (violations.isEmpty()) {
            calm(cluster);
        }
        isCalm = true;
    }

    private OneNode at(String name) {
        return Objects.requireNonNull(current.get(name));
    }

    private @Nullable OneNode free() {
        List<OneNode> free = current.values().stream().filter(each -> !each.isBusy).toList();
        return free.size() < 2 ? null : free.get(random.nextInt(free.size()));
    }

    private Object befall(SimCluster cluster) throws Exception {
        try {
            if (isMild) {
                befallMildly(cluster);
            } else {
                befallWildly(cluster);
            }
        } catch (IllegalStateException killed) {
            step("the node was killed meanwhile: " + killed.getMessage());
        }
        return true;
    }

    private void befallWildly(SimCluster cluster) throws Exception {
        MemoryStore store = MemoryStore.current();
        String one = "n" + (1 + random.nextInt(3));
        String other = "n" + (1 + (one.charAt(1) - '0') % 3);
        switch (random.nextInt(16)) {
            case 0, 1 -> kill(cluster);
            case 2, 3, 14, 15 -> freeze(cluster);
            case 4 -> {
                step("cut " + one + " and " + other);
                if (random.nextBoolean()) {
                    cluster.cut(one, other);
                } else {
                    cluster.cutOneWay(one, other);
                }
                Fiber.sleep(Duration.ofMillis(random.nextInt(8_000)));
                step("heal " + one + " and " + other);
                cluster.heal(one, other);
            }
            case 5 -> {
                step("reset " + one + " and " + other);
                cluster.reset(one, other);
            }
            case 6 -> {
                int max = 1 + random.nextInt(random.nextInt(2) == 0 ? 5_000 : 300);
                step("store takes " + max + " ms");
                store.delay(Duration.ofMillis(max / 4), Duration.ofMillis(max));
                Fiber.sleep(Duration.ofMillis(random.nextInt(12_000)));
                store.delay(Duration.ZERO, Duration.ofMillis(5));
            }
            case 7 -> {
                step("store crashes");
                if (random.nextBoolean()) {
                    store.crash();
                } else {
                    store.failWrites();
                }
                Fiber.sleep(Duration.ofMillis(random.nextInt(6_000)));
                step("store recovers");
                store.recover();
            }
            case 8 -> {
                step("store loses replies");
                store.loseOneIn(3 + random.nextInt(20));
                Fiber.sleep(Duration.ofMillis(random.nextInt(12_000)));
                store.loseOneIn(0);
            }
            case 9, 10 -> {
                step("store does not hear " + one);
                store.cut(one);
                Fiber.sleep(Duration.ofMillis(random.nextInt(9_000)));
                step("store hears " + one);
                store.heal(one);
            }
            case 11 -> nap(cluster, 15_000);
            default -> leave(cluster);
        }
    }

    private void befallMildly(SimCluster cluster) throws Exception {
        switch (random.nextInt(6)) {
            case 0 -> nap(cluster, 1_000);
            case 1 -> {
                int max = 1 + random.nextInt(40);
                step("store takes " + max + " ms");
                MemoryStore.current().delay(Duration.ofMillis(max / 4), Duration.ofMillis(max));
            }
            case 2 -> {
                int max = 1 + random.nextInt(30);
                step("links take " + max + " ms");
                for (String each : cluster.names()) {
                    for (String other : cluster.names()) {
                        if (!each.equals(other)) {
                            cluster.delay(
                                    each,
                                    other,
                                    Duration.ofMillis(max / 4),
                                    Duration.ofMillis(max));
                        }
                    }
                }
            }
            default -> leave(cluster);
        }
    }

    private void kill(SimCluster cluster) throws Exception {
        OneNode one = free();
        if (one == null) {
            return;
        }
        one.isBusy = true;
        step("kill " + one);
        cluster.kill(one.name);
        if (random.nextBoolean()) {
            Fiber.sleep(Duration.ofMillis(random.nextInt(8_000)));
        }
        cluster.restart(one.name);
        step("started " + at(one.name));
    }

    private void freeze(SimCluster cluster) {
        OneNode one = free();
        if (one == null) {
            return;
        }
        int ms =
                switch (random.nextInt(3)) {
                    case 0 -> 30_000;
                    case 1 -> random.nextInt(10_000);
                    default -> 2_000 + random.nextInt(2_500);
                };
        one.isBusy = true;
        step("freeze " + one + " for " + ms);
        one.freezes++;
        one.thawNs = nowNs() + ms * 1_000_000L;
        cluster.freeze(one.name, Duration.ofMillis(ms));
        Fiber.sleep(Duration.ofMillis(ms + 1L));
        step("thawed " + one);
        one.isBusy = false;
    }

    private void leave(SimCluster cluster) throws Exception {
        OneNode one = free();
        if (one == null) {
            return;
        }
        one.isBusy = true;
        one.isQuiet = true;
        while (isMild && (one.asking > 0 || one.speaking > 0)) {
            Fiber.sleep(Duration.ofMillis(10));
        }
        step("leave " + one);
        boolean isAll = cluster.on(one.name, () -> one.node().leave(Duration.ofSeconds(15)));
        step("left " + one + " " + isAll);
        if (isMild && !isAll) {
            violated(one + " has not left in its time");
        }
        if (random.nextBoolean()) {
            Fiber.sleep(Duration.ofMillis(random.nextInt(3_000)));
        }
        cluster.restart(one.name);
        step("started " + at(one.name));
    }

    private void nap(SimCluster cluster, int maxMs) throws Exception {
        OneNode one = free();
        if (one != null) {
            String key = "k" + random.nextInt(WORDS);
            int ms = random.nextInt(maxMs);
            step(key + " naps for " + ms);
            cluster.on(
                    one.name,
                    () -> {
                        one.word(key).tell(new Nap(ms));
                        return true;
                    });
        }
    }

    private void check(SimCluster cluster) throws Exception {
        for (OneNode each : List.copyOf(current.values())) {
            if (!each.isBusy && cluster.isRunning(each.name)) {
                try {
                    cluster.on(
                            each.name,
                            () -> {
                                each.node().entities().checkInvariants();
                                return true;
                            });
                } catch (IllegalStateException killed) {
                    step("the node was killed meanwhile: " + killed.getMessage());
                }
            }
        }
    }

    // ---------------------------------------------------------------- the calm

    private void calm(SimCluster cluster) throws Exception {
        MemoryStore store = MemoryStore.current();
        cluster.heal();
        store.recover();
        store.loseOneIn(0);
        store.delay(Duration.ZERO, Duration.ofMillis(5));
        cluster.names().forEach(store::heal);
        step("calm");
        isCalm = true;
        Fiber.sleep(Duration.ofSeconds(45));
        check(cluster);
        places(cluster);
        sums(cluster);
        if (isMild && !notes.isEmpty()) {
            violated(
                    notes.size()
                            + " notes did not come: "
                            + notes.values().stream().limit(5).toList());
        }
        check(cluster);
        for (OneNode each : current.values()) {
            for (String peer : each.node().peers()) {
                Counts left = each.node().counts(peer);
                if (left != null && left.asks() > 0) {
                    violated(each + " has open asks to " + peer + ": " + left);
                }
            }
        }
    }

    private void places(SimCluster cluster) throws Exception {
        for (int i = 0; i < WORDS; i++) {
            String key = "k" + i;
            Set<String> all = new HashSet<>();
            for (OneNode each : current.values()) {
                try {
                    all.add(
                            cluster.on(
                                    each.name,
                                    () ->
                                            each.word(key)
                                                    .<Answer>ask(to -> new Where(0, to), LIMIT)
                                                    .node));
                } catch (AskException failed) {
                    violated("in the calm: " + failed);
                }
            }
            if (all.size() != 1) {
                violated(key + " is at " + all);
            }
        }
    }

    private void sums(SimCluster cluster) throws Exception {
        long beganNs = nowNs();
        String wrong;
        do {
            wrong = wrong(cluster);
            if (!wrong.isEmpty()) {
                Fiber.sleep(Duration.ofSeconds(20)); // what was not confirmed is told again
            }
        } while (!wrong.isEmpty() && nowNs() - beganNs < LONG.multipliedBy(2).toNanos());
        if (!wrong.isEmpty()) {
            violated(wrong);
        }
    }

    private String wrong(SimCluster cluster) throws Exception {
        OneNode one = at("n" + (1 + random.nextInt(3)));
        long sum = 0;
        Set<Long> added = new HashSet<>();
        for (int i = 0; i < ACCOUNTS; i++) {
            String key = "a" + i;
            Balance found;
            try {
                found = cluster.on(one.name, () -> one.account(key).<Balance>ask(Get::new, LIMIT));
            } catch (AskException failed) {
                return "in the calm: " + failed;
            }
            sum += found.cents;
            for (long id : found.added) {
                sum -= payments.contains(id) ? 0 : amount(id);
                if (!added.add(id)) {
                    return (payments.contains(id) ? "payment " : "addition ")
                            + id
                            + " counts twice";
                }
            }
        }
        Set<Long> untrue = new HashSet<>(said);
        untrue.removeAll(added);
        if (!untrue.isEmpty()) {
            return "additions that were told of do not count: " + untrue;
        }
        Set<Long> missing = new HashSet<>(acknowledged);
        missing.removeAll(added);
        if (!missing.isEmpty()) {
            return "lost additions that were acknowledged: " + missing;
        }
        return sum == ACCOUNTS * FIRST ? "" : "the sum is " + sum;
    }
}
