package dev.ropewalk.examples.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.Behavior;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.function.UnaryOperator;

/** Rooms that crash: with keepState they come back with their members and their history (A5). */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ChatCrashTest {
    /** What is done to a room before and after a message; what it throws fails the room. */
    private interface Fault {
        Fault NONE =
                new Fault() {
                    @Override
                    public void before(Room.Message message) {}

                    @Override
                    public void after(Room.Message message) {}
                };

        void before(Room.Message message);

        void after(Room.Message message);
    }

    /** Without a stack, because it is logged each time. */
    private static final class Crash extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Crash() {
            super("crash", null, false, false);
        }
    }

    /** The fault of the run; each run has one of its own. */
    private static final class Switch {
        Fault now = Fault.NONE;

        Behavior<Room.Message> around(Behavior<Room.Message> room) {
            return message -> {
                now.before(message);
                Behavior<Room.Message> next = room.onMessage(message);
                now.after(message);
                return next;
            };
        }

        /** Crashes once, before the first message of the class. */
        void crashBefore(Class<? extends Room.Message> type) {
            crashBefore(type, () -> {});
        }

        void crashBefore(Class<? extends Room.Message> type, Runnable meanwhile) {
            now =
                    new Fault() {
                        @Override
                        public void after(Room.Message message) {}

                        @Override
                        public void before(Room.Message message) {
                            if (type.isInstance(message)) {
                                now = Fault.NONE;
                                meanwhile.run();
                                throw new Crash();
                            }
                        }
                    };
        }

        /** Crashes once, after the first message of the class has been handled. */
        void crashAfter(Class<? extends Room.Message> type) {
            now =
                    new Fault() {
                        @Override
                        public void before(Room.Message message) {}

                        @Override
                        public void after(Room.Message message) {
                            if (type.isInstance(message)) {
                                now = Fault.NONE;
                                throw new Crash();
                            }
                        }
                    };
        }
    }

    /** A test. */
    @FunctionalInterface
    private interface Body {
        void run(Lab lab, Switch fault) throws Exception;
    }

    private static void run(Body body) {
        run(UnaryOperator.identity(), body);
    }

    private static void run(UnaryOperator<ChatOptions> options, Body body) {
        TestCord.run(
                () -> {
                    Switch fault = new Switch();
                    Lab.runHere(
                            defaults -> options.apply(defaults.withFaults(fault::around)),
                            lab -> body.run(lab, fault));
                });
    }

    @Test
    void A5_aRoomComesBackWithItsMembersAndItsHistory() {
        run(
                (lab, fault) -> {
                    User ada = lab.telnet("hall", "ada");
                    User bob = lab.webSocket("hall", "bob");
                    ada.say("one");
                    ada.expect("ada: one");
                    bob.expect("ada: one");
                    fault.crashBefore(Room.Say.class);
                    ada.say("lost");
                    ada.expect("* not said: the room failed; try again");
                    ada.say("two");
                    ada.expect("ada: two");
                    bob.expect("ada: two");
                    fault.crashAfter(Room.Say.class);
                    bob.say("three"); // said, but the room failed on it
                    bob.expect("bob: three", "* not said: the room failed; try again");
                    ada.expect("bob: three");
                    assertEquals(2, lab.restarts());
                    User eve = lab.telnet("hall", "eve");
                    eve.expect("ada: one", "ada: two", "bob: three");
                    eve.say("four");
                    ada.expect("eve: four");
                    bob.expect("eve: four");
                });
    }

    /** The monitors stay with the state, so the room hears of the end once it is back. */
    @Test
    void A4_aMemberThatEndsMeanwhileIsNoneAnyMore() {
        run(
                (lab, fault) -> {
                    User ada = lab.telnet("hall", "ada");
                    TelnetUser bob = lab.telnet("hall", "bob");
                    fault.crashBefore(
                            Room.Say.class,
                            () -> {
                                bob.connection.reset();
                                while (lab.connections() > 1) {
                                    Fiber.sleep(Duration.ofMillis(1));
                                }
                            });
                    ada.say("crash");
                    ada.expect("* not said: the room failed; try again");
                    User other = lab.webSocket();
                    other.say("/join hall bob");
                    other.expect("* you are bob in hall; members: 2");
                    ada.say("hello");
                    other.expect("ada: hello");
                });
    }

    @Test
    void aRoomThatCrashesOnAJoin() {
        run(
                (lab, fault) -> {
                    User ada = lab.telnet("hall", "ada");
                    ada.say("one");
                    ada.expect("ada: one");
                    fault.crashBefore(Room.Join.class);
                    User bob = lab.webSocket();
                    bob.say("/join hall bob");
                    bob.expect("* room hall failed; try again");
                    bob.say("hello?");
                    bob.expect("* not said: join a room first, with /join ROOM NAME");
                    bob.join("hall", "bob");
                    bob.expect("ada: one");
                    bob.say("two");
                    bob.expect("bob: two");
                    ada.expect("bob: two");
                });
    }

    /** The join was answered before the crash, so it holds. */
    @Test
    void aRoomThatCrashesBehindAJoin() {
        run(
                (lab, fault) -> {
                    User ada = lab.telnet("hall", "ada");
                    ada.say("one");
                    ada.expect("ada: one");
                    User bob = lab.telnet();
                    fault.crashAfter(Room.Join.class);
                    bob.say("/join hall bob");
                    bob.expect("* you are bob in hall; members: 2", "ada: one");
                    bob.say("two");
                    bob.expect("bob: two");
                    ada.expect("bob: two");
                });
    }

    /** It waits in the mailbox, and the user notices nothing. */
    @Test
    void A5_aJoinThatIsQueuedWhenTheRoomCrashes() {
        run(
                (lab, fault) -> {
                    User ada = lab.telnet("hall", "ada");
                    User bob = lab.telnet();
                    fault.crashBefore(
                            Room.Say.class,
                            () -> {
                                bob.say("/join hall bob");
                                while (lab.room("hall").mailbox().queued() == 0) {
                                    Fiber.sleep(Duration.ofMillis(1));
                                }
                            });
                    ada.say("crash");
                    bob.expect("* you are bob in hall; members: 2");
                    ada.expect("* not said: the room failed; try again");
                    ada.say("one");
                    bob.expect("ada: one");
                    assertEquals(1, lab.restarts());
                });
    }

    /** All that may fail comes before anything is changed: nothing is half done, and none leaks. */
    @Test
    void bytesThatCannotBeMade() {
        run(
                (lab, fault) -> {
                    User ada = lab.telnet("hall", "ada");
                    ada.say("one");
                    ada.expect("ada: one");
                    lab.encoder.refuse(line -> line.equals("ada: one")); // now for frames
                    User bob = lab.webSocket();
                    bob.say("/join hall bob");
                    bob.expect("* room hall failed; try again");
                    lab.encoder.refuse(_ -> false);
                    bob.say("/join hall bob");
                    bob.expect("* you are bob in hall; members: 2", "ada: one");
                    lab.encoder.refuse(line -> line.equals("bob: two"));
                    bob.say("two");
                    bob.expect("* not said: the room failed; try again");
                    lab.encoder.refuse(_ -> false);
                    bob.say("two");
                    bob.expect("bob: two");
                    ada.expect("bob: two");
                    assertEquals(2, lab.restarts());
                    assertEquals(4, lab.encoder.live());
                });
    }

    @Test
    void aLeaveThatFailsIsDoneNevertheless() {
        run(
                (lab, fault) -> {
                    User ada = lab.telnet("hall", "ada");
                    User bob = lab.telnet("hall", "bob");
                    fault.crashBefore(Room.Leave.class);
                    ada.say("/leave");
                    ada.expect("* you have left");
                    ada.say("/join hall eve");
                    ada.expect("* you are eve in hall; members: 2");
                    bob.say("one");
                    ada.expect("bob: one");
                });
    }

    /** The supervisor gives up, and is started again with its rooms. */
    @Test
    void A5_aRoomThatFailsTooOften() {
        run(
                (lab, fault) -> {
                    User ada = lab.telnet("hall", "ada");
                    User bob = lab.webSocket("attic", "bob");
                    bob.say("one");
                    bob.expect("bob: one");
                    fault.now =
                            new Fault() {
                                @Override
                                public void after(Room.Message message) {}

                                @Override
                                public void before(Room.Message message) {
                                    throw new Crash();
                                }
                            };
                    for (int i = 0; i <= 100; i++) {
                        ada.say("crash " + i);
                        ada.expect("* not said: the room failed; try again");
                    }
                    fault.now = Fault.NONE;
                    assertEquals(1, lab.chat.system().root().restarts());
                    ada.say("hello");
                    ada.expect("ada: hello");
                    ada.join("attic", "ada");
                    ada.expect("bob: one");
                    bob.say("two");
                    ada.expect("bob: two");
                    bob.expect("bob: two");
                });
    }
}
