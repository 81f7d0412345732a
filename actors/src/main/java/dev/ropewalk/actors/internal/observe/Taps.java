package dev.ropewalk.actors.internal.observe;

import java.util.HashSet;
import java.util.Set;

/**
 * Whether any actor of the process has a tap. A plain field, because each message looks at it: a
 * cord may see it change some messages late, and the actor's own cord does not, because it is told
 * to put the tap in after the field is set.
 */
public final class Taps {
    /** Read for each message. */
    @SuppressWarnings("NonFinalStaticField") // see above
    private static boolean areAny;

    /** Guarded by this class. */
    private static final Set<Tap> OPEN = new HashSet<>();

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
        areAny = !OPEN.isEmpty();
    }
}
