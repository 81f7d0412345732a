package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.internal.mailbox.Envelope;

import org.jspecify.annotations.Nullable;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Two questions that stand for many, because each message asks them. The receiver asks whether any
 * actor of the process has a tap. The sender asks whether anything sees tells: a tap that hears
 * what its actor sends, a system that carries contexts, a taker of dead letters that runs, which
 * marks what it tells, or code whose tells are held. So a tap that only counts what comes is paid
 * for by its own actor, and by no tell.
 *
 * <p>Plain fields: a cord may see them change some messages late, and the actor's own cord does
 * not, because it is told to put the tap in after the fields are set; a taker, and code whose tells
 * are held, tell on the thread that has set them.
 */
public final class Taps {
    /** Read for each message. */
    @SuppressWarnings("NonFinalStaticField") // see above
    private static boolean areAny;

    /** Read for each tell. */
    @SuppressWarnings("NonFinalStaticField") // see above
    private static boolean onTells;

    /** Guarded by this class. */
    private static final Set<Object> OPEN = new HashSet<>();

    /** Which run; guarded by this class. */
    @SuppressWarnings("NonFinalStaticField") // of the whole process, as the others
    private static int takers;

    /** How many actors hold tells back; guarded by this class. */
    @SuppressWarnings("NonFinalStaticField") // of the whole process, as the others
    private static int holding;

    private Taps() {}

    /** Asked by receivers. */
    public static boolean areAny() {
        return areAny;
    }

    /** Asked by senders. */
    public static boolean onTells() {
        return onTells;
    }

    /** It is about to be put in, or a system that carries contexts is about to start. */
    public static synchronized void opened(Object tap) {
        OPEN.add(tap);
        look();
    }

    /** It was taken out, or not put in; no effect the second time. */
    public static synchronized void closed(Object tap) {
        OPEN.remove(tap);
        look();
    }

    /** A taker of dead letters is about to run. */
    public static synchronized void takerBegins() {
        takers++;
        look();
    }

    public static synchronized void takerEnds() {
        takers--;
        look();
    }

    /** The tells of an actor are about to be held. */
    public static synchronized void holdingBegins() {
        holding++;
        look();
    }

    public static synchronized void holdingEnds() {
        holding--;
        look();
    }

    /** An actor is about to begin the message of an item; false if a tap leaves it out. */
    public static boolean begin(List<Tap> taps, Object item, Object message) {
        for (Tap tap : taps) {
            tap.comes(Envelope.context(item));
            if (!tap.in(message)) {
                return false;
            }
        }
        return true;
    }

    /** {@return the behavior that a message has returned} */
    public static <B> B returned(List<Tap> taps, B next) {
        taps.forEach(tap -> tap.returned(next));
        return next;
    }

    /** An actor has failed; on the item, if that is not null. */
    public static void failed(List<Tap> taps, @Nullable Object item, Throwable failure) {
        for (Tap tap : taps) {
            if (item != null) {
                tap.comes(Envelope.context(item));
                tap.failed(Envelope.content(item), failure);
            }
            tap.over(failure);
        }
    }

    /** An actor is done with the message that it has begun last. */
    public static void over(List<Tap> taps, @Nullable Throwable failure) {
        taps.forEach(tap -> tap.over(failure));
    }

    /** With the lock of this class. */
    private static void look() {
        onTells = takers > 0 || holding > 0 || OPEN.stream().anyMatch(Taps::seesTells);
        areAny = onTells || !OPEN.isEmpty();
    }

    private static boolean seesTells(Object open) {
        return !(open instanceof Tap tap) || tap.hearsSends();
    }
}
