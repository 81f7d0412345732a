package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.internal.dump.Lines;

import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

import org.jspecify.annotations.Nullable;

/**
 * Tells the flight recorder of actors. Without a recording nobody pays for it: until there has been
 * one the classes of the events are not touched, because their initialisers load the recorder,
 * which takes longer than the start of a system; afterwards their enabled flag is a constant. A
 * message is told by its class only, because recordings leave the machine.
 */
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class ActorEvents {
    private ActorEvents() {}

    /** An incarnation is up. */
    public static void started(ActorRef<?> actor, Cord cord, long restarts) {
        if (isRecorded()) {
            Events.started(actor, cord, restarts);
        }
    }

    /** An incarnation has failed. */
    public static void failed(ActorRef<?> actor, Cord cord, ExitReason reason) {
        if (isRecorded()) {
            Events.failed(actor, cord, reason);
        }
    }

    /** The actor is over, and is not started again. */
    public static void ended(ActorRef<?> actor, Cord cord, ExitReason reason) {
        if (isRecorded()) {
            Events.ended(actor, cord, reason);
        }
    }

    /** A message or reply was not processed. */
    public static void deadLetter(DeadLetter letter) {
        if (isRecorded()) {
            Events.deadLetter(letter);
        }
    }

    private static boolean isRecorded() {
        try {
            return FlightRecorder.isInitialized();
        } catch (LinkageError absent) {
            return false; // a JVM without the module jdk.jfr
        }
    }

    /** The maker of the events; loaded when the first recording is there. */
    private static final class Events {
        private Events() {}

        static void started(ActorRef<?> actor, Cord cord, long restarts) {
            OfActor event = restarts == 0 ? new ActorStart() : new ActorRestart();
            if (event.shouldCommit()) {
                event.of(actor, cord);
                if (event instanceof ActorRestart restart) {
                    restart.restarts = restarts;
                }
                event.commit();
            }
        }

        static void failed(ActorRef<?> actor, Cord cord, ExitReason reason) {
            ActorFailure event = new ActorFailure();
            if (event.shouldCommit()) {
                event.of(actor, cord);
                event.failure = Lines.of(reason.failure() == null ? reason : reason.failure());
                event.commit();
            }
        }

        static void ended(ActorRef<?> actor, Cord cord, ExitReason reason) {
            ActorEnd event = new ActorEnd();
            if (event.shouldCommit()) {
                event.of(actor, cord);
                event.reason = Lines.of(reason);
                event.commit();
            }
        }

        static void deadLetter(DeadLetter letter) {
            DeadLetterEvent event = new DeadLetterEvent();
            if (event.shouldCommit()) {
                event.recipient = letter.recipient();
                event.reason = letter.reason().name();
                event.messageType = letter.message().getClass().getName();
                event.commit();
            }
        }
    }

    /** The fields of all events of actors. */
    @Category({"Ropewalk", "Actors"})
    @StackTrace(false)
    private abstract static class OfActor extends Event {
        @Label("Actor")
        String actor = "";

        @Label("Actor Number")
        long number;

        @Label("Cord")
        String cord = "";

        void of(ActorRef<?> told, Cord home) {
            actor = told.path();
            number = told.number();
            cord = home.name();
        }
    }

    @Name("dev.ropewalk.ActorStart")
    @Label("Actor Start")
    private static final class ActorStart extends OfActor {}

    @Name("dev.ropewalk.ActorRestart")
    @Label("Actor Restart")
    private static final class ActorRestart extends OfActor {
        @Label("Restarts")
        long restarts;
    }

    @Name("dev.ropewalk.ActorFailure")
    @Label("Actor Failure")
    private static final class ActorFailure extends OfActor {
        @Label("Failure")
        @Nullable String failure;
    }

    @Name("dev.ropewalk.ActorEnd")
    @Label("Actor End")
    private static final class ActorEnd extends OfActor {
        @Label("Reason")
        @Nullable String reason;
    }

    @Name("dev.ropewalk.DeadLetter")
    @Label("Dead Letter")
    @Category({"Ropewalk", "Actors"})
    @StackTrace(false)
    private static final class DeadLetterEvent extends Event {
        @Label("Recipient")
        String recipient = "";

        @Label("Reason")
        String reason = "";

        @Label("Message Type")
        String messageType = "";
    }
}
