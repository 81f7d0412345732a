package dev.ropewalk.actors.internal.behavior;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Rule A1: the documented examples of Erlang's gen_statem, written anew for named behaviors.
 *
 * <table>
 *   <caption>The examples, and the tests that do what they do</caption>
 *   <tr><th>there</th><th>here</th></tr>
 *   <tr><td>pushbutton, both callback modes</td><td>{@link #pushbutton}</td></tr>
 *   <tr><td>code lock, state time-out</td><td>{@link #stateTimeout}</td></tr>
 *   <tr><td>all state events: code_length</td><td>{@link #allStateEvents}</td></tr>
 *   <tr><td>event time-out: buttons are forgotten</td><td>{@link #eventTimeout}</td></tr>
 *   <tr><td>generic time-outs, and their cancelling</td><td>{@link #genericTimeout}</td></tr>
 *   <tr><td>postponed events</td><td>{@link #postponedEvents}</td></tr>
 *   <tr><td>state enter calls</td><td>{@link #stateEnterCalls}</td></tr>
 *   <tr><td>inserted events: down and up make a button</td><td>{@link #insertedEvents}</td></tr>
 *   <tr><td>stopping, in a tree and alone, with clean-up</td><td>{@link #stopping}</td></tr>
 *   <tr><td>the example revised: all of these</td><td>{@link #revised}</td></tr>
 *   <tr><td>repeat_state, repeat_state_and_data</td><td>{@link #repeatState}</td></tr>
 *   <tr><td>complex state: another lock button</td><td>{@link #complexState}</td></tr>
 *   <tr><td>actions of a time-out: zero, update, cancel</td><td>{@link #timeoutActions}</td></tr>
 * </table>
 *
 * <p>Without a counterpart: hibernation (a waiting actor has no stack), code change and
 * change_callback_module (classes are not replaced), push and pop of callback modules, and the
 * suspending of sys (a cord stands still as a whole). A timeout that is postponed is another one
 * here: {@link #aPostponedTimeout}.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class GenStatemTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final List<Integer> CODE = List.of(1, 2, 3);

    private sealed interface Event {}

    private record Push(Recipient<Integer> to) implements Event {}

    private record Button(int digit) implements Event {}

    private record Down(int digit) implements Event {}

    private record Up(int digit) implements Event {}

    private record CodeLength(Recipient<Integer> to) implements Event {}

    private record SetLockButton(int digit, Recipient<Integer> to) implements Event {}

    private enum Due implements Event {
        LOCK,
        FORGET
    }

    // ---------------------------------------------------------------- pushbutton

    private static Behavior<Event> off(int count) {
        return Behavior.state(
                "off",
                event -> {
                    ((Push) event).to().tell(count + 1); // switched on so often
                    return on(count + 1);
                });
    }

    private static Behavior<Event> on(int count) {
        return Behavior.state(
                "on",
                event -> {
                    ((Push) event).to().tell(0);
                    return off(count);
                });
    }

    @Test
    void pushbutton() {
        World.anywhere(
                world -> {
                    ActorRef<Event> button = world.spin("button", Actor.handler(() -> off(0)));
                    List<Integer> replies = new ArrayList<>();
                    for (int i = 0; i < 5; i++) {
                        replies.add(button.ask(Push::new));
                    }
                    assertEquals(List.of(1, 0, 2, 0, 3), replies);
                });
    }

    // ---------------------------------------------------------------- the code lock

    /** What a lock does beside opening; each example of the chapter has some of it. */
    private record Options(
            boolean isEntered, boolean isPostponing, boolean isForgetting, boolean isNamed) {
        static final Options NONE = new Options(false, false, false, false);
    }

    /** A lock that opens for ten seconds when the last buttons are the code. */
    private static final class Lock {
        final List<String> log = World.log();
        private final ActorContext<Event> self;
        private final Options options;

        Lock(ActorContext<Event> self, Options options, List<List<String>> logs) {
            this.self = self;
            this.options = options;
            logs.add(log);
        }

        Behavior<Event> locked(List<Integer> buttons) {
            return Behavior.state(
                    "locked",
                    _ -> {
                        if (options.isEntered()) {
                            log.add("lock");
                        }
                        return Behavior.same();
                    },
                    event ->
                            switch (event) {
                                case Button button -> pressed(buttons, button.digit());
                                case Due due when due == Due.FORGET -> locked(List.of());
                                case CodeLength length -> length(length);
                                default -> Behavior.unhandled();
                            });
        }

        private Behavior<Event> pressed(List<Integer> before, int digit) {
            List<Integer> buttons = new ArrayList<>(before);
            buttons.add(digit);
            if (buttons.size() > CODE.size()) {
                buttons.removeFirst();
            }
            if (!buttons.equals(CODE)) {
                if (options.isForgetting()) {
                    self.idleTimeout(SECOND.multipliedBy(30), Due.FORGET);
                }
                return locked(List.copyOf(buttons));
            }
            if (!options.isEntered()) {
                log.add("unlock");
                closeLater();
            }
            return open();
        }

        private void closeLater() {
            if (options.isNamed()) {
                self.timers().once("lock", SECOND.multipliedBy(10), Due.LOCK);
            } else {
                self.stateTimeout(SECOND.multipliedBy(10), Due.LOCK);
            }
        }

        private Behavior<Event> open() {
            return Behavior.state(
                    "open",
                    _ -> {
                        if (options.isEntered()) {
                            log.add("unlock");
                            closeLater();
                        }
                        return Behavior.same();
                    },
                    event ->
                            switch (event) {
                                case Button _ when options.isPostponing() -> {
                                    self.postpone();
                                    yield Behavior.same();
                                }
                                case Button _ when options.isNamed() -> {
                                    self.timers().cancel("lock"); // a button locks at once
                                    log.add("lock");
                                    yield locked(List.of());
                                }
                                case Due due when due == Due.LOCK -> {
                                    if (!options.isEntered()) {
                                        log.add("lock");
                                    }
                                    yield locked(List.of());
                                }
                                case CodeLength length -> length(length);
                                default -> Behavior.same();
                            });
        }

        /** In whatever state. */
        private Behavior<Event> length(CodeLength asked) {
            asked.to().tell(CODE.size());
            return Behavior.same();
        }
    }

    /** A test of a lock. */
    @FunctionalInterface
    private interface LockTest {
        void run(ActorRef<Event> lock, List<String> log) throws Exception;
    }

    private static void lock(Options options, LockTest test) {
        World.local(
                world -> {
                    List<List<String>> logs = new ArrayList<>();
                    Actor<Event> actor =
                            Actor.handler(
                                    (ActorContext<Event> self) ->
                                            new Lock(self, options, logs).locked(List.of()));
                    ActorRef<Event> lock = world.spin("lock", actor);
                    world.settle();
                    test.run(lock, logs.getFirst());
                    assertEquals(List.of(), world.failures);
                });
    }

    private static void press(ActorRef<Event> lock, int... digits) {
        for (int digit : digits) {
            lock.tell(new Button(digit));
        }
        Fiber.sleep(Duration.ofNanos(1));
    }

    @Test
    void stateTimeout() {
        lock(
                Options.NONE,
                (lock, log) -> {
                    press(lock, 9, 1, 2, 3);
                    assertEquals(List.of("unlock"), log);
                    press(lock, 1, 2); // ignored while it is open
                    Fiber.sleep(SECOND.multipliedBy(9));
                    assertEquals(List.of("unlock"), log);
                    Fiber.sleep(SECOND.multipliedBy(2));
                    assertEquals(List.of("unlock", "lock"), log);
                    press(lock, 3);
                    assertEquals(List.of("unlock", "lock"), log);
                });
    }

    @Test
    void allStateEvents() {
        lock(
                Options.NONE,
                (lock, _) -> {
                    assertEquals(3, (int) lock.<Integer>ask(CodeLength::new));
                    press(lock, 1, 2, 3);
                    assertEquals(3, (int) lock.<Integer>ask(CodeLength::new));
                });
    }

    @Test
    void eventTimeout() {
        lock(
                new Options(false, false, true, false),
                (lock, log) -> {
                    press(lock, 1, 2);
                    Fiber.sleep(SECOND.multipliedBy(31));
                    press(lock, 3);
                    assertEquals(List.of(), log, "the first two are forgotten");
                    press(lock, 1);
                    Fiber.sleep(SECOND.multipliedBy(29));
                    press(lock, 2);
                    Fiber.sleep(SECOND.multipliedBy(29));
                    press(lock, 3);
                    assertEquals(List.of("unlock"), log, "each button begins anew");
                });
    }

    @Test
    void genericTimeout() {
        lock(
                new Options(false, false, false, true),
                (lock, log) -> {
                    press(lock, 1, 2, 3);
                    Fiber.sleep(SECOND.multipliedBy(11));
                    assertEquals(List.of("unlock", "lock"), log);
                    press(lock, 1, 2, 3, 7);
                    assertEquals(List.of("unlock", "lock", "unlock", "lock"), log);
                    Fiber.sleep(SECOND.multipliedBy(60));
                    assertEquals(4, log.size(), "the time-out was cancelled");
                });
    }

    @Test
    void postponedEvents() {
        lock(
                new Options(false, true, false, false),
                (lock, log) -> {
                    press(lock, 1, 2, 3, 1, 2, 3);
                    assertEquals(List.of("unlock"), log);
                    Fiber.sleep(SECOND.multipliedBy(11));
                    assertEquals(List.of("unlock", "lock", "unlock"), log);
                });
    }

    @Test
    void stateEnterCalls() {
        lock(
                new Options(true, false, false, false),
                (lock, log) -> {
                    press(lock, 1, 2, 3);
                    Fiber.sleep(SECOND.multipliedBy(11));
                    assertEquals(List.of("lock", "unlock", "lock"), log);
                });
    }

    @Test
    void revised() {
        lock(
                new Options(true, true, true, false),
                (lock, log) -> {
                    press(lock, 1);
                    Fiber.sleep(SECOND.multipliedBy(31));
                    press(lock, 1, 2, 3, 1, 2);
                    assertEquals(List.of("lock", "unlock"), log);
                    Fiber.sleep(SECOND.multipliedBy(11));
                    press(lock, 3);
                    assertEquals(List.of("lock", "unlock", "lock", "unlock"), log);
                });
    }

    // ---------------------------------------------------------------- inserted events

    private static Behavior<Event> up(ActorContext<Event> self, List<String> log) {
        return Behavior.state(
                "up",
                event ->
                        switch (event) {
                            case Down down -> down(self, down.digit(), log);
                            case Button button -> {
                                log.add("button " + button.digit());
                                yield Behavior.same();
                            }
                            default -> Behavior.same(); // an up without its down
                        });
    }

    private static Behavior<Event> down(ActorContext<Event> self, int digit, List<String> log) {
        return Behavior.state(
                "down",
                event -> {
                    if (event instanceof Up up && up.digit() == digit) {
                        self.insert(new Button(digit));
                        return up(self, log);
                    }
                    return Behavior.same();
                });
    }

    @Test
    void insertedEvents() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Actor<Event> keys = Actor.handler((ActorContext<Event> self) -> up(self, log));
                    ActorRef<Event> ref = world.spin("keys", keys);
                    for (Event each :
                            List.of(
                                    new Down(1),
                                    new Up(1),
                                    new Up(2),
                                    new Down(2),
                                    new Up(9),
                                    new Up(2),
                                    new Down(3))) {
                        ref.tell(each);
                    }
                    world.settle();
                    assertEquals(List.of("button 1", "button 2"), log);
                });
    }

    // ---------------------------------------------------------------- stopping

    @Test
    void stopping() {
        World.anywhere(
                world -> {
                    List<String> log = World.log();
                    Actor<Event> actor =
                            Actor.handler(
                                    self -> {
                                        self.atEnd(reason -> log.add("locked again: " + reason));
                                        return Behavior.state("open", _ -> Behavior.stopped());
                                    });
                    ActorRef<Event> alone = world.spin("alone", actor);
                    alone.stop(); // gen_statem:stop
                    world.until(() -> log.size() == 1);
                    ActorRef<Event> itself = world.spin("itself", actor);
                    itself.tell(new Button(1)); // {stop, ..}
                    world.until(() -> log.size() == 2);
                    world.spin("child", actor);
                    world.settle();
                    world.system.close(); // by its supervisor
                    world.until(() -> log.size() == 3);
                    assertEquals("locked again: Normal[]", log.get(0));
                    assertEquals("locked again: Normal[]", log.get(1));
                    assertEquals(
                            "locked again: Shutdown", log.get(2).substring(0, 22), log::toString);
                });
    }

    // ---------------------------------------------------------------- complex state

    /** A state of a name and a part that may change within it: the button that locks. */
    private static Behavior<Event> openWith(
            ActorContext<Event> self, int lockButton, List<String> log) {
        return Behavior.state(
                "open",
                event ->
                        switch (event) {
                            case Button button when button.digit() == lockButton ->
                                    lockedWith(self, lockButton, log);
                            case Button _ -> {
                                self.postpone();
                                yield Behavior.same();
                            }
                            case SetLockButton set -> {
                                set.to().tell(lockButton);
                                yield openWith(self, set.digit(), log); // no change of state
                            }
                            default -> Behavior.unhandled();
                        });
    }

    private static Behavior<Event> lockedWith(
            ActorContext<Event> self, int lockButton, List<String> log) {
        return Behavior.state(
                "locked",
                _ -> {
                    log.add("locked");
                    return Behavior.same();
                },
                event ->
                        switch (event) {
                            case Button button when button.digit() == 1 ->
                                    openWith(self, lockButton, log);
                            case Button button -> {
                                log.add("wrong " + button.digit());
                                yield Behavior.same();
                            }
                            case SetLockButton set -> {
                                set.to().tell(lockButton);
                                yield lockedWith(self, set.digit(), log);
                            }
                            default -> Behavior.unhandled();
                        });
    }

    @Test
    void complexState() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Actor<Event> actor =
                            Actor.handler((ActorContext<Event> self) -> lockedWith(self, 7, log));
                    ActorRef<Event> lock = world.spin("lock", actor);
                    press(lock, 1, 5);
                    assertEquals(7, (int) lock.<Integer>ask(to -> new SetLockButton(8, to)));
                    press(lock, 7);
                    assertEquals(List.of("locked"), log, "data is no change: 5 is still postponed");
                    press(lock, 8);
                    assertEquals(List.of("locked", "locked", "wrong 5", "wrong 7"), log);
                    assertEquals(8, (int) lock.<Integer>ask(to -> new SetLockButton(9, to)));
                    assertEquals(4, log.size(), "no second entry");
                });
    }

    // ---------------------------------------------------------------- the same state again

    /** Counts wrong buttons in its data; each one sounds the alarm anew, which is in the entry. */
    private static Behavior<Event> alarming(ActorContext<Event> self, int wrong, List<String> log) {
        return Behavior.state(
                "alarming",
                from -> {
                    log.add("alarm " + wrong + " from " + from);
                    self.stateTimeout(SECOND.multipliedBy(10), Due.LOCK);
                    return Behavior.same();
                },
                event ->
                        switch (event) {
                            case Button _ -> Behavior.repeat(alarming(self, wrong + 1, log));
                            case CodeLength asked -> {
                                asked.to().tell(wrong);
                                yield Behavior.repeat();
                            }
                            case Due _ -> Behavior.stopped();
                            default -> {
                                self.postpone();
                                yield Behavior.same();
                            }
                        });
    }

    @Test
    void repeatState() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Actor<Event> actor =
                            Actor.handler((ActorContext<Event> self) -> alarming(self, 0, log));
                    ActorRef<Event> ref = world.spin("alarm", actor);
                    ref.tell(new Up(1));
                    Fiber.sleep(SECOND.multipliedBy(6));
                    press(ref, 1);
                    Fiber.sleep(SECOND.multipliedBy(6));
                    assertEquals(1, (int) ref.<Integer>ask(CodeLength::new));
                    assertEquals(
                            List.of(
                                    "alarm 0 from null",
                                    "alarm 1 from alarming",
                                    "alarm 1 from alarming"),
                            log);
                    assertEquals(1, ref.mailbox().queued(), "a repeat is no change");
                    Fiber.sleep(SECOND.multipliedBy(11));
                    assertEquals(List.of("alarm ENDED Up[digit=1]"), world.deadLetters());
                });
    }

    // ---------------------------------------------------------------- actions of a time-out

    @Test
    void timeoutActions() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Actor<String> actor =
                            Actor.handler(
                                    (ActorContext<String> self) ->
                                            Behavior.state(
                                                    "s",
                                                    message -> {
                                                        log.add(message);
                                                        switch (message) {
                                                            case "zero" ->
                                                                    self.stateTimeout(
                                                                            Duration.ZERO,
                                                                            "at once");
                                                            case "set" ->
                                                                    self.stateTimeout(
                                                                            SECOND, "old");
                                                            case "update" ->
                                                                    self.stateTimeout(
                                                                            SECOND, "new");
                                                            case "cancel" ->
                                                                    self.cancelStateTimeout();
                                                            default -> {}
                                                        }
                                                        return Behavior.same();
                                                    }));
                    ActorRef<String> ref = world.spin("s", actor);
                    ref.tell("zero");
                    ref.tell("queued");
                    world.settle();
                    assertEquals(List.of("zero", "queued", "at once"), log);
                    log.clear();
                    ref.tell("set");
                    ref.tell("update");
                    Fiber.sleep(SECOND.multipliedBy(2));
                    assertEquals(List.of("set", "update", "new"), log);
                    ref.tell("set");
                    ref.tell("cancel");
                    Fiber.sleep(SECOND.multipliedBy(2));
                    assertEquals("cancel", log.getLast());
                });
    }

    /**
     * There it has become an event like any other, and comes again. Here its message stays the
     * timeout's, so that the change ends it; one of {@code timers()} comes again.
     */
    @Test
    void aPostponedTimeout() {
        World.local(
                world -> {
                    List<String> log = World.log();
                    Actor<String> actor =
                            Actor.handler(
                                    (ActorContext<String> self) ->
                                            Behavior.state(
                                                    "s",
                                                    message -> {
                                                        log.add(message);
                                                        if (message.equals("go")) {
                                                            return logging(log);
                                                        }
                                                        if (message.equals("set")) {
                                                            self.stateTimeout(SECOND, "state");
                                                            self.timers().once("t", SECOND, "t");
                                                        } else {
                                                            self.postpone();
                                                        }
                                                        return Behavior.same();
                                                    }));
                    ActorRef<String> ref = world.spin("s", actor);
                    ref.tell("set");
                    Fiber.sleep(SECOND.multipliedBy(2));
                    ref.tell("go");
                    world.settle();
                    assertEquals(List.of("set", "t", "state", "go", "in t: t"), log);
                });
    }

    private static Behavior<String> logging(List<String> log) {
        return Behavior.state(
                "t",
                message -> {
                    log.add("in t: " + message);
                    return Behavior.same();
                });
    }
}
