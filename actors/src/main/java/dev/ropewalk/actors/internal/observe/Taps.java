package dev.ropewalk.actors.internal.observe;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Whether any actor of the process has a tap. A plain field, because each message looks at it: a
 * cord may see it change some messages late, and the actor's own cord does not, because it is told
 * to put the tap in after the field is set.
 */
public final class Taps {
    /** Read for each message. */
    @SuppressWarnings("NonFinalStaticField") // see above
    private static boolean areAny;

    private static final AtomicInteger OPEN = new AtomicInteger();

    private Taps() {}

    public static boolean areAny() {
        return areAny;
    }

    /** One is put in. */
    public static void opened() {
        OPEN.incrementAndGet();
        areAny = true;
    }

    /** One was taken out. It stays on when others come and go at once: that costs a look each. */
    public static void closed() {
        if (OPEN.decrementAndGet() == 0) {
            areAny = false;
            if (OPEN.get() > 0) {
                areAny = true; // another was put in meanwhile
            }
        }
    }
}
