package dev.ropewalk.actors.cluster;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.cluster.internal.ref.Conversation;
import dev.ropewalk.actors.cluster.internal.ref.Counts;
import dev.ropewalk.actors.cluster.testing.SimCluster;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * One game over several nodes: actors tell, ask and monitor each other while links are cut and
 * reset, and nodes are frozen, killed and restarted, all drawn from one seed. Then comes a calm,
 * and the books must balance (rule A7).
 *
 * <p>The books are plain objects that all nodes of the run share, because they share the thread.
 * Each process has an ear, which takes what others say and never waits, a mouth, which speaks and
 * may wait, and children of the mouth that speak and end.
 */
final class ClusterGame {
    sealed interface Wire {}

    /** A tell; its number is that of the book. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Said(int id, byte[] load) implements Wire {}

    record Question(boolean isAnswered, Recipient<String> replyTo) implements Wire {}

    /** A child of a mouth lives, and will speak. */
    record Born(int processNumber, long speaker, ActorRef<Wire> self) implements Wire {}

    // ---- local messages

    private record Burst(Peer to, int count, int bytes, boolean isTried) {}

    private record Query(
            Incarnation who, ActorRef<Object> to, boolean isAnswered, Duration limit, int way) {}

    private record Child(Peer to, int count, Duration pause, boolean fails) {}

    private record Monitored(Incarnation who, ActorRef<?> actor) {}

    private record Ended(Watch watch, Down down) {}

    private record Leave(Duration limit) {}

    private record Quit() {}

    /** The crash of a child, as asked. */
    static final class AskedForException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private static final Protocol PROTOCOL = Protocol.of(Wire.class);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration SOON = Duration.ofMillis(100);
    private static final int[] QUEUES = {1_024, 4_096, 1 << 20};
    private static final int STEPS = 8;

    private final long seed;
    private final SplittableRandom random;
    private final int queue;
    private final MailboxOptions mailbox;

    // ---- the books

    private final List<Incarnation> processes = new ArrayList<>();
    private final Map<String, Incarnation> current = new HashMap<>();
    private final List<Tell> tells = new ArrayList<>();
    private final Map<SequenceKey, Sequence> sequences = new LinkedHashMap<>();
    private final Map<Long, Incarnation> homes = new HashMap<>();
    private final List<Watch> watches = new ArrayList<>();
    private final List<Ask> asks = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private long speakers;
    private long thawNs;

    /** The first tell of the calm. */
    private int calmFrom = Integer.MAX_VALUE;

    private boolean isEnding;
    private @Nullable Cord clock;

    /** One incarnation of a node. */
    private static final class Incarnation {
        final String name;
        final int number;
        final Map<Incarnation, Peer> known = new LinkedHashMap<>();
        final Map<Incarnation, Watch> watched = new HashMap<>();
        @Nullable Node node;
        @Nullable ActorRef<Object> ear;
        @Nullable ActorRef<Object> mouth;
        boolean isKilled;
        boolean hasLeft;
        long frozenNs;
        int orders;
        int children;

        Incarnation(String name, int number) {
            this.name = name;
            this.number = number;
        }

        Node node() {
            return Objects.requireNonNull(node);
        }

        ActorRef<Object> mouth() {
            return Objects.requireNonNull(mouth);
        }

        ActorRef<Object> ear() {
            return Objects.requireNonNull(ear);
        }

        @Override
        public String toString() {
            return name + "." + number;
        }
    }

    /** What a process knows of another one. */
    private record Peer(Incarnation who, ActorRef<Object> ear, ActorRef<Object> mouth) {}

    private record SequenceKey(long speaker, Incarnation to, @Nullable Conversation in) {}

    /** The tells of one actor to one actor in one session. */
    private static final class Sequence {
        int told;
        int handled;

        /** The receiver has heard that the session has ended. */
        boolean isOver;
    }

    private static final class Tell {
        final int id;
        final Incarnation from;
        final Incarnation to;
        final Sequence sequence;
        final int number;
        boolean isRefused;

        /** The session changed while the sender waited, so it may be of either one. */
        boolean isLoose;

        int handled;
        int unreachable;

        /** When its sender went on. */
        long saidNs;

        Tell(int id, Incarnation from, Incarnation to, Sequence sequence, int number) {
            this.id = id;
            this.from = from;
            this.to = to;
            this.sequence = sequence;
            this.number = number;
        }

        @Override
        public String toString() {
            return "tell "
                    + id
                    + " (number "
                    + number
                    + ") of "
                    + from
                    + " to "
                    + to
                    + ", handled="
                    + handled
                    + " unreachable="
                    + unreachable;
        }
    }

    private static final class Watch {
        final Incarnation by;
        final Incarnation who;
        final ActorRef<?> actor;
        int downs;

        Watch(Incarnation by, Incarnation who, ActorRef<?> actor) {
            this.by = by;
            this.who = who;
            this.actor = actor;
        }

        @Override
        public String toString() {
            return "monitor of " + actor + " of " + who + " by " + by + ", downs=" + downs;
        }
    }

    private static final class Ask {
        final Incarnation by;
        final Query query;

        /** The session in which it was asked. */
        @Nullable Conversation in;

        /** When it has to be over, because its session is, on the clock of its node. */
        long dueNs = Long.MAX_VALUE;

        boolean isOver;

        Ask(Incarnation by, Query query) {
            this.by = by;
            this.query = query;
        }

        @Override
        public String toString() {
            return "ask of " + by + ": " + query;
        }
    }

    ClusterGame(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.queue = QUEUES[random.nextInt(QUEUES.length)];
        this.mailbox =
                random.nextInt(3) == 0
                        ? MailboxOptions.bounded(16 + random.nextInt(100))
                        : MailboxOptions.unbounded();
    }

    void play() {
        int nodes = 3 + Math.max(0, random.nextInt(12) - 7); // small ones more often
        SimCluster.run(nodes, seed, true, this::start, this::play);
    }

    int tells() {
        return tells.size();
    }

    private void violated(String what) {
        violations.add(what);
    }

    // ---------------------------------------------------------------- a process

    private Node start(NodeOptions options) {
        Incarnation made = new Incarnation(options.name(), processes.size());
        processes.add(made);
        ActorSystem system =
                ActorSystem.start(
                        Tree.oneForOne("system"),
                        ActorSystemOptions.defaults()
                                .withDeadLetters(letter -> letter(made, letter)));
        made.ear = system.spin("ear-" + made.number, ear(made).mailbox(mailbox));
        made.mouth = system.spin("mouth-" + made.number, mouth(made));
        Node node = Node.start(system, options.withProtocol(PROTOCOL).withQueue(queue));
        made.node = node;
        Fiber.spin("finds peers of " + made, () -> keepFinding(made));
        current.put(made.name, made);
        return node;
    }

    private void letter(Incarnation at, DeadLetter letter) {
        if (!(letter.message() instanceof Said said)) {
            return;
        }
        Tell told = tells.get(said.id);
        if (letter.reason() != DeadLetter.Reason.UNREACHABLE) {
            violated(at + " has a dead letter for no reason: " + letter + " of " + told);
        } else if (told.from != at) {
            violated(at + " reports another node's " + told);
        } else if (++told.unreachable > 1) {
            violated("reported twice: " + told);
        }
    }

    private void keepFinding(Incarnation self) {
        while (!isEnding) {
            for (String name : self.node().peers()) {
                Incarnation other = current.get(name);
                if (other != null && other != self) {
                    try {
                        find(self, other);
                    } catch (UnreachableException _) {
                        // The next time.
                    }
                }
            }
            Fiber.sleep(Duration.ofMillis(200));
        }
    }

    private void find(Incarnation self, Incarnation other) {
        if (!self.known.containsKey(other)) {
            RemoteNode remote = self.node().at(other.name);
            ActorRef<Object> ear = remote.find("ear-" + other.number, Object.class);
            ActorRef<Object> mouth = remote.find("mouth-" + other.number, Object.class);
            if (ear == null || mouth == null) {
                return; // another incarnation
            }
            self.known.put(other, new Peer(other, ear, mouth));
        }
        Watch watch = self.watched.get(other);
        if (watch == null || watch.downs > 0) {
            Peer peer = Objects.requireNonNull(self.known.get(other));
            self.ear().tell(new Monitored(other, peer.mouth));
        }
    }

    // ---------------------------------------------------------------- its ear

    private Actor<Object> ear(Incarnation self) {
        return Actor.handler(
                context ->
                        message -> {
                            switch (message) {
                                case Said said -> heard(self, tells.get(said.id));
                                case Question(boolean isAnswered, var replyTo) -> {
                                    if (isAnswered) {
                                        replyTo.tell(self.name);
                                    }
                                }
                                case Born(int number, _, var actor) ->
                                        watch(context, self, processes.get(number), actor);
                                case Monitored(var who, var actor) -> {
                                    Watch before = self.watched.get(who);
                                    if (before == null || before.downs > 0) {
                                        self.watched.put(who, watch(context, self, who, actor));
                                    }
                                }
                                case Ended(var watch, var down) -> ended(self, watch, down);
                                default -> violated("an ear heard " + message);
                            }
                            return Behavior.same();
                        });
    }

    private void heard(Incarnation self, Tell told) {
        if (++told.handled > 1) {
            violated("handled twice: " + told);
        }
        if (told.to != self) {
            violated(self + " has handled another incarnation's " + told);
        }
        long lateNs = nowNs() - told.saidNs;
        if (told.id >= calmFrom && lateNs > SOON.toNanos()) {
            violated("came " + Duration.ofNanos(lateNs) + " late: " + told);
        }
        if (told.isLoose) {
            return;
        }
        Sequence sequence = told.sequence;
        if (sequence.isOver) {
            violated("came after DOWN: " + told);
        }
        if (told.number != ++sequence.handled) {
            violated("out of order, or behind a gap: " + told + ", at " + sequence.handled);
            sequence.handled = told.number;
        }
    }

    private Watch watch(
            ActorContext<Object> context, Incarnation self, Incarnation who, ActorRef<?> actor) {
        Watch made = new Watch(self, who, actor);
        watches.add(made);
        context.monitor(actor, down -> new Ended(made, down));
        return made;
    }

    /** Of the session that has ended, nothing comes behind it; of an actor, all came before. */
    private void ended(Incarnation self, Watch watch, Down down) {
        if (++watch.downs > 1) {
            violated("a second DOWN: " + watch);
        }
        boolean isSessionOver = down.reason() instanceof ExitReason.Unreachable;
        if (isSessionOver) {
            asks.forEach(each -> sessionIsOver(self, each));
        }
        sequences.forEach(
                (key, sequence) -> {
                    if (key.to != self) {
                        return;
                    }
                    if (isSessionOver) {
                        sequence.isOver |= isOf(key, watch.who) && sequence.handled > 0;
                    } else if (key.in != null
                            && !key.in.isOver()
                            && watch.actor.name().equals("child-" + key.speaker)
                            && sequence.handled < sequence.told) {
                        violated("DOWN before the last message: " + watch);
                    }
                });
    }

    /** An ask of it does not wait for its limit. */
    private static void sessionIsOver(Incarnation self, Ask ask) {
        if (ask.by == self && !ask.isOver && ask.in != null && ask.in.isOver()) {
            ask.dueNs = Math.min(ask.dueNs, Cord.current().nanoTime() + SOON.toNanos());
        }
    }

    private boolean isOf(SequenceKey key, Incarnation who) {
        return homes.get(key.speaker) == who;
    }

    // ---------------------------------------------------------------- its mouth

    private Actor<Object> mouth(Incarnation self) {
        return Actor.handler(
                context -> {
                    long speaker = speaker(self);
                    return message -> {
                        switch (message) {
                            case Burst(var to, int count, int bytes, boolean isTried) -> {
                                for (int i = 0; i < count; i++) {
                                    say(self, speaker, to, bytes, isTried);
                                }
                                self.orders--;
                            }
                            case Query query -> {
                                ask(self, query);
                                self.orders--;
                            }
                            case Child child -> {
                                long its = speaker(self);
                                context.spin("child-" + its, child(self, its, child));
                                self.orders--;
                            }
                            case Question(boolean isAnswered, var replyTo) -> {
                                if (isAnswered) {
                                    replyTo.tell(self.name);
                                }
                            }
                            case Leave(var limit) -> {
                                self.hasLeft = true;
                                Fiber.spin("leaves", () -> self.node().leave(limit));
                                self.orders--;
                            }
                            case Quit() -> {
                                return Behavior.stopped();
                            }
                            default -> violated("a mouth heard " + message);
                        }
                        return Behavior.same();
                    };
                });
    }

    /** The time of the run, whatever the clock of the node. */
    private long nowNs() {
        return Objects.requireNonNull(clock).nanoTime();
    }

    private long speaker(Incarnation self) {
        homes.put(++speakers, self);
        return speakers;
    }

    private void say(Incarnation self, long speaker, Peer to, int bytes, boolean isTried) {
        Conversation in = self.node().conversation(to.who.name);
        Sequence sequence =
                sequences.computeIfAbsent(
                        new SequenceKey(speaker, to.who, in), _ -> new Sequence());
        Tell told = new Tell(tells.size(), self, to.who, sequence, ++sequence.told);
        tells.add(told);
        Said said = new Said(told.id, new byte[bytes]);
        told.saidNs = nowNs();
        if (isTried) {
            told.isRefused = to.ear.tryTell(said) != TellResult.ACCEPTED;
        } else {
            to.ear.tell(said);
            told.isLoose = self.node().conversation(to.who.name) != in;
        }
        told.saidNs = nowNs(); // it may have waited for room
        if (told.isRefused || told.isLoose) {
            sequence.told--;
        }
    }

    private Actor<Object> child(Incarnation self, long speaker, Child child) {
        self.children++;
        return Actor.loop(
                context -> {
                    @SuppressWarnings("unchecked") // nothing is told to it
                    ActorRef<Wire> me = (ActorRef<Wire>) (ActorRef<?>) context.self();
                    child.to.ear.tell(new Born(self.number, speaker, me));
                    Fiber.sleep(child.pause);
                    for (int i = 0; i < child.count; i++) {
                        say(self, speaker, child.to, 10, false);
                    }
                    self.children--;
                    if (child.fails) {
                        throw new AskedForException();
                    }
                });
    }

    private void ask(Incarnation self, Query query) {
        Ask ask = new Ask(self, query);
        asks.add(ask);
        long beganNs = Cord.current().nanoTime();
        long frozenNs = self.frozenNs;
        Runnable over =
                () -> {
                    long nowNs = Cord.current().nanoTime();
                    long tookNs = nowNs - beganNs;
                    long frozenSinceNs = self.frozenNs - frozenNs;
                    long extraNs = SECOND.toNanos() + frozenSinceNs;
                    if (ask.isOver || tookNs > query.limit.toNanos() + extraNs) {
                        violated(ask + " ended after " + Duration.ofNanos(tookNs));
                    }
                    if (ask.dueNs < nowNs - frozenSinceNs) {
                        violated(ask + " waited when its session was over");
                    }
                    ask.isOver = true;
                };
        switch (query.way) {
            case 0 -> askAndWait(ask, over);
            case 1 -> Fiber.spin("asks", () -> askAndWait(ask, over));
            default -> {
                ask.in = self.node().conversation(query.who.name);
                var _ =
                        query.to
                                .<String>askLater(
                                        to -> new Question(query.isAnswered, to), query.limit)
                                .whenComplete((_, _) -> over.run());
            }
        }
    }

    private static void askAndWait(Ask ask, Runnable over) {
        Query query = ask.query;
        ask.in = ask.by.node().conversation(query.who.name);
        try {
            query.to.<String>ask(to -> new Question(query.isAnswered, to), query.limit);
        } catch (AskException _) {
            // It has ended.
        }
        over.run();
    }

    // ---------------------------------------------------------------- the body

    private void play(SimCluster cluster) throws Exception {
        clock = Cord.current();
        thawNs = nowNs();
        expect(cluster.awaitPeers(LONG), "the nodes are no peers at first");
        for (String name : cluster.names()) {
            cluster.clockRate(name, 0.99 + random.nextInt(21) / 1_000.0);
        }
        Fiber.sleep(Duration.ofMillis(300)); // they have found each other
        for (int i = 0; i < STEPS && violations.isEmpty(); i++) {
            for (int orders = random.nextInt(2 * cluster.names().size()); orders > 0; orders--) {
                order(cluster);
            }
            if (random.nextBoolean()) {
                Fiber.sleep(Duration.ofNanos(random.nextInt(3_000_000)));
            }
            disturb(cluster);
            boolean isLong = random.nextInt(5) == 0;
            Fiber.sleep(Duration.ofMillis(random.nextInt(isLong ? 5_000 : 300)));
        }
        settle(cluster);
        calm();
        end();
    }

    private String any(List<String> names) {
        return names.get(random.nextInt(names.size()));
    }

    private void order(SimCluster cluster) {
        Incarnation by = current.get(any(cluster.names()));
        if (by == null || by.known.isEmpty()) {
            return;
        }
        Peer to = List.copyOf(by.known.values()).get(random.nextInt(by.known.size()));
        Object order =
                switch (random.nextInt(6)) {
                    case 0, 1, 2 ->
                            new Burst(
                                    to,
                                    1 + random.nextInt(8),
                                    random.nextInt(300),
                                    random.nextInt(3) == 0);
                    case 3 ->
                            new Child(
                                    to,
                                    1 + random.nextInt(5),
                                    Duration.ofMillis(random.nextInt(40)),
                                    random.nextBoolean());
                    default ->
                            new Query(
                                    to.who,
                                    random.nextBoolean() ? to.ear : to.mouth,
                                    random.nextInt(6) > 0,
                                    Duration.ofMillis(50 + random.nextInt(1_500)),
                                    random.nextInt(3));
                };
        give(by, order);
    }

    private void give(Incarnation by, Object order) {
        by.orders++;
        by.mouth().tell(order);
    }

    private void disturb(SimCluster cluster) throws Exception {
        String one = any(cluster.names());
        String other = any(cluster.names());
        switch (random.nextInt(10)) {
            case 0 -> {
                Incarnation killed = current.remove(one);
                if (killed != null) {
                    killed.isKilled = true;
                    cluster.kill(one);
                }
            }
            case 1, 2 -> {
                for (String each : cluster.names()) {
                    if (!cluster.isRunning(each)) {
                        cluster.restart(each);
                    }
                }
            }
            case 3 -> {
                Incarnation frozen = current.get(one);
                if (frozen != null) {
                    boolean isLong = random.nextInt(3) == 0;
                    Duration time = Duration.ofMillis(random.nextInt(isLong ? 6_000 : 1_000));
                    frozen.frozenNs += 2 * time.toNanos(); // its clock may be faster
                    long untilNs = nowNs() + time.toNanos();
                    thawNs = untilNs - thawNs > 0 ? untilNs : thawNs;
                    cluster.freeze(one, time);
                }
            }
            case 4 -> cluster.heal();
            case 5 -> {
                Incarnation left = current.get(one);
                if (left != null) {
                    give(left, new Leave(Duration.ofMillis(random.nextInt(100))));
                }
            }
            default -> {
                if (one.equals(other)) {
                    return;
                }
                switch (random.nextInt(5)) {
                    case 0 -> cluster.cut(one, other);
                    case 1 -> cluster.cutOneWay(one, other);
                    case 2 ->
                            cluster.delay(
                                    one,
                                    other,
                                    Duration.ofMillis(random.nextInt(5)),
                                    Duration.ofMillis(5 + random.nextInt(40)));
                    default -> cluster.reset(one, other);
                }
            }
        }
    }

    /** Links are whole, and what began is over. */
    private void settle(SimCluster cluster) throws Exception {
        cluster.heal();
        Duration untilThaw = Duration.ofNanos(thawNs - nowNs());
        Fiber.sleep(untilThaw.isNegative() ? Duration.ZERO : untilThaw);
        for (Incarnation each : alive()) {
            await(() -> isDone(each), each + " does not end what it began");
            if (each.hasLeft) {
                Fiber.sleep(SECOND);
                balance(each);
                each.isKilled = true;
                current.remove(each.name);
                cluster.kill(each.name);
            }
        }
        if (random.nextBoolean()) {
            for (String each : cluster.names()) {
                if (!cluster.isRunning(each)) {
                    cluster.restart(each);
                }
            }
        }
        Fiber.sleep(SOON); // bytes that the heal lets go, and resets, have arrived
        expect(cluster.awaitPeers(LONG), "the nodes have not met again");
        await(() -> alive().stream().allMatch(this::knowsAll), "not all have found each other");
    }

    private boolean isDone(Incarnation self) {
        return self.orders == 0
                && self.children == 0
                && asks.stream().allMatch(each -> each.isOver || each.by != self);
    }

    private boolean knowsAll(Incarnation self) {
        return alive().stream()
                .allMatch(
                        each -> {
                            Watch watch = self.watched.get(each);
                            return each == self || (watch != null && watch.downs == 0);
                        });
    }

    private List<Incarnation> alive() {
        return processes.stream().filter(each -> !each.isKilled).toList();
    }

    /** Nothing is lost any more, no session ends, and words are answered at once. */
    private void calm() {
        calmFrom = tells.size();
        Map<String, Conversation> before = sessions();
        for (Incarnation by : alive()) {
            for (Incarnation to : alive()) {
                if (by != to) {
                    Peer peer = Objects.requireNonNull(by.known.get(to));
                    give(by, new Query(to, peer.ear, true, SECOND, 2));
                    give(by, new Burst(peer, 4 + random.nextInt(3), 300, false));
                }
            }
        }
        Fiber.sleep(SECOND.multipliedBy(4)); // longer than a silent session lives
        expect(before.equals(sessions()), "sessions have ended in a calm");
        for (Incarnation each : alive()) {
            expect(isDone(each), each + " has not spoken in a calm");
        }
    }

    /** Of nodes that run: news of a kill may still be on its way. */
    private Map<String, Conversation> sessions() {
        Map<String, Conversation> all = new LinkedHashMap<>();
        for (Incarnation by : alive()) {
            for (Incarnation to : alive()) {
                if (by != to) {
                    Conversation with = by.node().conversation(to.name);
                    all.put(by + " " + to, Objects.requireNonNull(with, "no session"));
                }
            }
        }
        return all;
    }

    private void end() {
        isEnding = true; // no monitor is renewed
        Fiber.sleep(SECOND);
        for (Incarnation each : alive()) {
            each.mouth().tell(new Quit());
        }
        Fiber.sleep(SECOND);
        alive().forEach(this::balance);
        for (Incarnation each : alive()) {
            for (String peer : each.node().peers()) {
                Counts left = Objects.requireNonNull(each.node().counts(peer));
                expect(
                        left.asks() == 0 && left.watched() == 0 && left.servedWatches() == 0,
                        "left behind at " + each + ": " + left);
            }
        }
    }

    /** Each monitor has had its DOWN, and each tell is handled or told of. */
    private void balance(Incarnation self) {
        for (Watch each : watches) {
            expect(each.by != self || each.downs == 1, each.toString());
        }
        for (Tell each : tells) {
            boolean isBooked =
                    each.from != self || each.isRefused || each.handled + each.unreachable > 0;
            expect(isBooked, "lost: " + each);
        }
    }

    private void await(BooleanSupplier condition, String otherwise) {
        for (int i = 0; i < 600 && !condition.getAsBoolean() && violations.isEmpty(); i++) {
            Fiber.sleep(Duration.ofMillis(100));
        }
        expect(condition.getAsBoolean(), otherwise);
    }

    private void expect(boolean condition, String otherwise) {
        if (!violations.isEmpty()) {
            throw new AssertionError(String.join("\n", violations));
        }
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }
}
