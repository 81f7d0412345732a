package dev.ropewalk.actors.internal.observe;

import java.util.HashSet;
import java.util.Set;

/**
 * Whether any actor of the process has a tap, or any taker of dead letters runs, which marks what
 * it tells, or any code whose tells are held: one question for all. A plain field, because each
 * message looks at it: a cord may see it change some messages late, and the actor's own cord does
 * not, because it is told to put the tap in after the field is set; a taker, and code whose tells
 * are held, tell on the thread that has set it.
 */
public final class Taps {
    /** Read for each message. */
    @SuppressWarnings("NonFinalStaticField") // see above
    private static boolean areAny;

    /** Guarded by this class. */
    private static final Set<Tap> OPEN = new HashSet<>();

    /** Which run; guarded by this class. */
    @SuppressWarnings("NonFinalStaticField") // of the whole process, as the others
    private static int takers;

    /** How many actors hold tells back; guarded by this class. */
    @SuppressWarnings("NonFinalStaticField") // of the whole process, as the others
    private static int holding;

    private Taps() {}

    public static boolean areAny() {
        return areAny;
    }

    /** It is about to be put in. */
    public static synchronized void opened(Tap tap) {
        OPEN.add(tap);
        areAny = true;
    }

    /** It was taken out, or not put in; no effect the second time. */
    public static synchronized void closed(Tap tap) {
        OPEN.remove(tap);
        areAny = areSome();
    }

    /** A taker of dead letters is about to run. */
    public static synchronized void takerBegins() {
        takers++;
        areAny = true;
    }

    public static synchronized void takerEnds() {
        takers--;
        areAny = areSome();
    }

    /** The tells of an actor are about to be held. */
    public static synchronized void holdingBegins() {
        holding++;
        areAny = true;
    }

    public static synchronized void holdingEnds() {
        holding--;
        areAny = areSome();
    }

    private static boolean areSome() {
        return !OPEN.isEmpty() || takers > 0 || holding > 0;
    }
}
