package dev.ropewalk.fibers.internal.stack;

import java.io.InterruptedIOException;
import java.net.SocketException;
import java.nio.channels.ClosedByInterruptException;

/**
 * What the JDK's calls throw when they are interrupted: that is how a signal reaches a fiber that
 * blocks in one of them, so at the edge it counts as the signal.
 */
public final class Interrupts {
    private static final int DEEPEST = 10;

    private Interrupts() {}

    /** Also if it was wrapped in something else. */
    public static boolean causedBy(Throwable thrown) {
        Throwable each = thrown;
        for (int depth = 0; each != null && depth < DEEPEST; depth++) {
            if (isOne(each)) {
                return true;
            }
            each = each.getCause();
        }
        return false;
    }

    private static boolean isOne(Throwable thrown) {
        return thrown instanceof InterruptedException
                || thrown instanceof InterruptedIOException
                || thrown instanceof ClosedByInterruptException
                || (thrown instanceof SocketException
                        && "Closed by interrupt".equals(thrown.getMessage()));
    }
}
