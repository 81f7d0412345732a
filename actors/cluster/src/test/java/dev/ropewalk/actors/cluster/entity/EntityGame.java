package dev.ropewalk.actors.cluster.entity;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.testing.MemoryStore;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCords;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * One game over several cords: fibers tell and ask entities, which tell and ask each other, while
 * they become idle, are stopped, terminated and killed, fail, and have a store that is slow, loses
 * calls and goes down; then the system ends, and another one goes on with the states. In the end
 * there is a calm, and the books must balance (rules A7 and A8).
 *
 * <p>The books are plain objects that all cords share, because they share the thread. Numbers of
 * words grow, so those of one sender must grow wherever they are listed.
 */
final class EntityGame {
    private static final int CORDS = 3;
    private static final int KEYS = 5;
    private static final int SPEAKERS = 4;
    private static final int WORDS = 40;
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration CALM = Duration.ofMinutes(10);

    sealed interface Word {}

    record Tell(int id) implements Word {}

    record Ask(int id, Recipient<Integer> replyTo) implements Word, Request<Integer> {}

    /** Is kept, and told to another one. */
    record Pass(int id, int told, String to) implements Word {}

    /** Asks another one, and is kept then. */
    record Chain(int id, int asked, String to, Recipient<Integer> replyTo)
            implements Word, Request<Integer> {}

    record Fail(int id) implements Word {}

    record Nap(int id, int millis) implements Word {}

    /** Ends one in memory. */
    record End(int id) implements Word {}

    record Get(Recipient<Listed> replyTo) implements Word, Request<Listed> {}

    /** The thing that is closed while all speak. */
    private enum Close {
        HOST,
        SYSTEM,
        AFTERWARDS
    }

    /** The words that one keeps, in their order. */
    record Listed(List<Integer> ids) {
        Listed {
            ids = List.copyOf(ids);
        }

        Listed with(int id) {
            List<Integer> more = new ArrayList<>(ids);
            more.add(id);
            return new Listed(more);
        }
    }

    private final long seed;
    private final SplittableRandom random;

    private int lastId;
    private int lastSpeaker;
    private int speaking;

    /** By the numbers of words: who has sent it, also through which entity. */
    private final Map<Integer, String> senders = new HashMap<>();

    /** By the numbers of words: the entity. */
    private final Map<Integer, String> places = new HashMap<>();

    /** How often a function has begun with it. */
    private final Map<Integer, Integer> begun = new HashMap<>();

    private final Set<Integer> told = new HashSet<>();
    private final Set<Integer> reported = new HashSet<>();
    private final Set<Integer> acknowledged = new HashSet<>();

    /** By the number of what was passed: that of the word that did. */
    private final Map<Integer, Integer> passedBy = new HashMap<>();

    /** By the keys of those in memory: what they have begun, in that order. */
    private final Map<String, List<Integer>> heard = new HashMap<>();

    private final List<CompletableFuture<Integer>> asks = new ArrayList<>();

    EntityGame(long seed) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
    }

    /** How many were acknowledged, and how many reported. */
    List<Integer> counts() {
        return List.of(acknowledged.size(), reported.size());
    }

    void play() {
        TestCords.run(
                CORDS,
                seed,
                true,
                cords -> {
                    MemoryStore store = MemoryStore.on(cords.getLast());
                    process(cords, store, Close.values()[random.nextInt(3)], false);
                    process(cords, store, Close.AFTERWARDS, true);
                    store.checkInvariants();
                    balance();
                });
    }

    /** The entities of one process. */
    private record Home(
            EntityHost host, Entities<Word> durable, Entities<Word> inMemory, List<Cord> cords) {
        ActorRef<Word> at(String place) {
            return place.startsWith("d") ? durable.ref(place) : inMemory.ref(place);
        }
    }

    private void process(List<Cord> cords, MemoryStore store, Close close, boolean isLast) {
        try (ActorSystem system =
                ActorSystem.start(
                        Tree.oneForOne("system"),
                        ActorSystemOptions.defaults()
                                .over(cords)
                                .withDeadLetters(this::isReported))) {
            Home home = open(system, store, cords);
            for (int i = 0; i < SPEAKERS; i++) {
                String name = "speaker" + ++lastSpeaker;
                SplittableRandom own = random.split();
                speaking++;
                cords.get(i % CORDS).spin(name, () -> speak(home, name, own));
            }
            for (int i = 0; i < 30; i++) {
                disturb(store);
                Fiber.sleep(Duration.ofMillis(random.nextInt(1_500)));
            }
            calm(store);
            switch (close) {
                case HOST -> home.host.close();
                case SYSTEM -> check(system.stop(LIMIT).left().isEmpty(), "some do not end");
                case AFTERWARDS -> {}
            }
            while (speaking > 0) {
                Fiber.sleep(Duration.ofMillis(100));
            }
            Fiber.sleep(CALM);
            check(home.durable.running() + home.inMemory.running() == 0, "some run still");
            if (isLast) {
                checkStates(home);
            }
            home.durable.home().checkInvariants();
            home.inMemory.home().checkInvariants();
        }
    }

    private void isReported(DeadLetter letter) {
        int id =
                switch (letter.message()) {
                    case Tell word -> word.id();
                    case Ask word -> word.id();
                    case Pass word -> word.id();
                    case Chain word -> word.id();
                    case Fail word -> word.id();
                    case Nap word -> word.id();
                    case End word -> word.id();
                    default -> 0;
                };
        reported.add(id);
    }

    // ---------------------------------------------------------------- the entities

    private Home open(ActorSystem system, MemoryStore store, List<Cord> cords) {
        EntityHost host = EntityHost.start(system, "host", store);
        List<Home> made = new ArrayList<>();
        Duration idle = Duration.ofMillis(50 + random.nextInt(1_000));
        Entities<Word> durable =
                host.entities(
                        EntityKind.durable(
                                        "d",
                                        Word.class,
                                        Listed.class,
                                        self -> functions(self.key(), made))
                                .idle(idle));
        Entities<Word> inMemory =
                host.entities(EntityKind.of("m", Word.class, this::listener).idle(idle));
        Home home = new Home(host, durable, inMemory, cords);
        made.add(home);
        return home;
    }

    private void begins(int id) {
        begun.merge(id, 1, Integer::sum);
    }

    private Server<Word, Listed> functions(String key, List<Home> made) {
        return Server.<Word, Listed>of(new Listed(List.of()))
                .call(Get.class, (state, _) -> Reply.of(state, state))
                .call(
                        Ask.class,
                        (state, word) -> {
                            begins(word.id());
                            return Reply.of(word.id(), state.with(word.id()));
                        })
                .call(
                        Chain.class,
                        (state, word) -> {
                            begins(word.id());
                            ask(made.getFirst(), word.to(), key, word.asked());
                            return Reply.of(word.id(), state.with(word.id()));
                        })
                .cast(
                        Tell.class,
                        (state, word) -> {
                            begins(word.id());
                            return state.with(word.id());
                        })
                .cast(
                        Pass.class,
                        (state, word) -> {
                            begins(word.id());
                            made.getFirst().at(word.to()).tell(new Tell(word.told()));
                            return state.with(word.id());
                        })
                .cast(
                        Nap.class,
                        (state, word) -> {
                            begins(word.id());
                            Fiber.sleep(Duration.ofMillis(word.millis()));
                            return state;
                        })
                .cast(
                        Fail.class,
                        (_, word) -> {
                            begins(word.id());
                            throw new IllegalStateException("planted");
                        })
                .cast(
                        End.class,
                        (state, word) -> {
                            begins(word.id());
                            return state;
                        });
    }

    private void ask(Home home, String to, String from, int id) {
        places.put(id, to);
        senders.put(id, from);
        int reply = home.at(to).<Integer>ask(replyTo -> new Ask(id, replyTo), LIMIT);
        check(reply == id, reply + " is the reply to " + id);
        acknowledged.add(id);
    }

    private Actor<Word> listener(String key) {
        return Actor.handler(
                (ActorContext<Word> _) -> {
                    if (random.nextInt(4) == 0) {
                        Fiber.sleep(Duration.ofMillis(random.nextInt(2_000)));
                    }
                    if (random.nextInt(10) == 0) {
                        throw new IllegalStateException("planted");
                    }
                    return word -> hear(key, word);
                });
    }

    private Behavior<Word> hear(String key, Word word) {
        List<Integer> own = heard.computeIfAbsent(key, _ -> new ArrayList<>());
        return switch (word) {
            case Tell(int id) -> {
                begins(id);
                own.add(id);
                yield Behavior.same();
            }
            case Ask(int id, var replyTo) -> {
                begins(id);
                own.add(id);
                replyTo.tell(id);
                yield Behavior.same();
            }
            case Nap(int id, int millis) -> {
                begins(id);
                own.add(id);
                Fiber.sleep(Duration.ofMillis(millis));
                yield Behavior.same();
            }
            case Fail(int id) -> {
                begins(id);
                own.add(id);
                throw new IllegalStateException("planted");
            }
            case End(int id) -> {
                begins(id);
                own.add(id);
                yield Behavior.stopped();
            }
            default -> throw new AssertionError(word);
        };
    }

    // ---------------------------------------------------------------- the disorder

    private void disturb(MemoryStore store) {
        switch (random.nextInt(8)) {
            case 0 -> store.delay(Duration.ZERO, Duration.ofSeconds(random.nextInt(1, 6)));
            case 1 -> store.loseOneIn(random.nextInt(2, 10));
            case 2 -> store.crash();
            case 3 -> store.failWrites();
            case 4 -> calm(store);
            default -> store.recover();
        }
    }

    private static void calm(MemoryStore store) {
        store.delay(Duration.ZERO, Duration.ofMillis(5));
        store.loseOneIn(0);
        store.recover();
    }

    private void speak(Home home, String name, SplittableRandom own) {
        try {
            for (int i = 0; i < WORDS; i++) {
                say(home, name, own);
                if (own.nextInt(3) == 0) {
                    int millis = own.nextInt(10) == 0 ? own.nextInt(5_000) : own.nextInt(300);
                    Fiber.sleep(Duration.ofMillis(millis));
                }
            }
        } finally {
            speaking--;
        }
    }

    private static String place(SplittableRandom own, boolean isDurable) {
        return (isDurable ? "d" : "m") + own.nextInt(KEYS);
    }

    private int next(String name, String place) {
        int id = ++lastId;
        senders.put(id, name);
        places.put(id, place);
        return id;
    }

    private void tell(Home home, int id, String place, Word word) {
        told.add(id);
        home.at(place).tell(word);
    }

    private void say(Home home, String name, SplittableRandom own) {
        boolean isDurable = own.nextInt(3) > 0;
        String place = place(own, isDurable);
        ActorRef<Word> to = home.at(place);
        switch (own.nextInt(16)) {
            case 0 -> to.stop();
            case 1 -> to.terminate();
            case 2 -> to.kill();
            case 3, 4 -> tellNap(home, name, place, own);
            case 5 -> {
                int id = next(name, place);
                tell(home, id, place, new Fail(id));
            }
            case 6 -> {
                int id = next(name, place);
                tell(home, id, place, new End(id));
            }
            case 7, 8 -> askAndWait(home, name, place, own);
            case 9 -> askLater(home, name, place, own);
            case 10, 11 -> tellPass(home, name, own);
            case 12 -> askChain(home, name, own);
            default -> {
                int id = next(name, place);
                tell(home, id, place, new Tell(id));
            }
        }
    }

    private void tellNap(Home home, String name, String place, SplittableRandom own) {
        int id = next(name, place);
        tell(home, id, place, new Nap(id, own.nextInt(1_500)));
    }

    private void tellPass(Home home, String name, SplittableRandom own) {
        String by = place(own, true);
        String to = place(own, own.nextBoolean());
        int id = next(name, by);
        int passed = next(name + " by " + by, to);
        passedBy.put(passed, id);
        tell(home, id, by, new Pass(id, passed, to));
    }

    private void askChain(Home home, String name, SplittableRandom own) {
        String by = place(own, true);
        String to = place(own, true);
        int id = next(name, by);
        int asked = next(name + " by " + by, to);
        asks.add(
                home.at(by)
                        .<Integer>askLater(replyTo -> new Chain(id, asked, to, replyTo), LIMIT)
                        .whenComplete((reply, _) -> isAnswered(id, reply))
                        .toCompletableFuture());
    }

    private void askLater(Home home, String name, String place, SplittableRandom own) {
        int id = next(name, place);
        Duration limit = Duration.ofMillis(own.nextInt(20_000));
        var ask =
                home.at(place)
                        .<Integer>askLater(replyTo -> new Ask(id, replyTo), limit)
                        .toCompletableFuture();
        asks.add(ask.whenComplete((reply, _) -> isAnswered(id, reply)));
        if (own.nextInt(4) == 0) {
            Fiber.sleep(Duration.ofMillis(own.nextInt(100)));
            ask.cancel(false);
        }
    }

    private void askAndWait(Home home, String name, String place, SplittableRandom own) {
        int id = next(name, place);
        Duration limit = Duration.ofMillis(own.nextInt(20_000));
        try {
            isAnswered(id, home.at(place).ask(replyTo -> new Ask(id, replyTo), limit));
        } catch (AskException _) {
            // Of those that fail nothing is known.
        }
    }

    @SuppressWarnings("NullAway") // no reply if it failed
    private void isAnswered(int id, Integer reply) {
        if (reply != null) {
            check(reply == id, reply + " is the reply to " + id);
            acknowledged.add(id);
        }
    }

    // ---------------------------------------------------------------- the books

    private void checkStates(Home home) {
        Map<Integer, String> kept = new HashMap<>();
        for (int i = 0; i < KEYS; i++) {
            String place = "d" + i;
            List<Integer> ids = home.at(place).<Listed>ask(Get::new, LIMIT).ids();
            for (int id : ids) {
                check(place.equals(places.get(id)), id + " of " + places.get(id) + " at " + place);
                check(kept.put(id, place) == null, id + " is twice in " + ids);
            }
            checkOrder(place, ids);
        }
        for (int id : acknowledged) {
            check(
                    kept.containsKey(id) || places.getOrDefault(id, "").startsWith("m"),
                    id + " was acknowledged, and is not in " + places.get(id));
        }
        passedBy.forEach(
                (passed, by) -> {
                    boolean isIn = begun.containsKey(passed) || reported.contains(passed);
                    check(!isIn || kept.containsKey(by), passed + " was told, and not " + by);
                    check(
                            isIn || !kept.containsKey(by) || reported.contains(by),
                            by + " is kept, and what it told is lost: " + passed);
                });
    }

    private void balance() {
        for (int id : told) {
            check(
                    begun.containsKey(id) || reported.contains(id),
                    id + " of " + senders.get(id) + " to " + places.get(id) + " is lost");
        }
        begun.forEach((id, times) -> check(times == 1, id + " has begun " + times + " times"));
        heard.forEach(this::checkOrder);
        for (CompletableFuture<Integer> each : asks) {
            check(each.isDone(), "an ask has no end");
        }
    }

    /** Of each sender the later ones come later. */
    private void checkOrder(String place, List<Integer> ids) {
        Map<String, Integer> last = new HashMap<>();
        for (int id : ids) {
            String sender = senders.getOrDefault(id, "");
            int before = last.getOrDefault(sender, 0);
            check(
                    before < id || sender.startsWith("d"),
                    place + " has " + id + " of " + sender + " behind " + before + ": " + ids);
            last.put(sender, id);
        }
    }

    private void check(boolean isTrue, String otherwise) {
        if (!isTrue) {
            throw new AssertionError("seed=" + seed + ": " + otherwise);
        }
    }
}
