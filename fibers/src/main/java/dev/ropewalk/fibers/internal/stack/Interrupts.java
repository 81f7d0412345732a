package dev.ropewalk.fibers.internal.stack;

import java.io.InterruptedIOException;
import java.net.SocketException;
import java.nio.channels.ClosedByInterruptException;

/**
 * The exceptions of the JDK's calls when they are interrupted. A signal reaches a fiber that blocks
 * in such a call in this way, so at the edge the exception counts as the signal.
 */
public final class Interrupts {
    private static final int DEEPEST = 10;

    private Interrupts() {}

    /** Even if it was wrapped in another exception. */
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
