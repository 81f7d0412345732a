package dev.ropewalk.actors.internal.observe;

import java.util.HashSet;
import java.util.Set;

/**
 * Whether any actor of the process has a tap, or any taker of dead letters runs, which marks what
 * it tells: one question for both. A plain field, because each message looks at it: a cord may see
 * it change some messages late, and the actor's own cord does not, because it is told to put the
 * tap in after the field is set; a taker tells on the thread that has set it.
 */
public final class Taps {
    /** Read for each message. */
    @SuppressWarnings("NonFinalStaticField") // see above
    private static boolean areAny;

    /** Guarded by this class. */
    private static final Set<Tap> OPEN = new HashSet<>();

    /** Which run; guarded by this class. */
    @SuppressWarnings("NonFinalStaticField") // of the whole process, as the other two
    private static int takers;

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
        areAny = !OPEN.isEmpty() || takers > 0;
    }

    /** A taker of dead letters is about to run. */
    public static synchronized void takerBegins() {
        takers++;
        areAny = true;
    }

    public static synchronized void takerEnds() {
        takers--;
        areAny = !OPEN.isEmpty() || takers > 0;
    }
}
