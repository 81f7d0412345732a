package dev.ropewalk.channels;

import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Receivable;
import dev.ropewalk.fibers.spi.Selection;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** The body of the fiber that passes elements to the first of several targets with room. */
final class FanOut {
    private FanOut() {}

    static <E> void run(Receivable<? extends E> source, List<SendPort<? super E>> targets) {
        List<SendPort<? super E>> open = new ArrayList<>(targets);
        Throwable cause = null;
        try {
            while (!open.isEmpty()) {
                E element;
                try {
                    element = source.receive();
                } catch (ClosedException end) {
                    cause = end.getCause();
                    return;
                }
                boolean isSent = false;
                while (!isSent && !open.isEmpty()) {
                    isSent = sendToFirst(element, open);
                }
                if (!isSent) {
                    throw new ChannelClosedException(
                            "all targets of the fan-out are closed: the element is in this"
                                    + " exception",
                            element,
                            null);
                }
            }
        } finally {
            source.cancel(); // harmless if it is at its end
            closeAll(open, cause);
        }
    }

    /** False if the first that was ready is closed; it is out of the list then. */
    private static <E> boolean sendToFirst(E element, List<SendPort<? super E>> open) {
        List<Clause<Boolean>> clauses = new ArrayList<>(open.size());
        for (SendPort<? super E> each : open) {
            clauses.add(each.onSend(element, () -> true));
        }
        Selection<Boolean> selection = new Selection<>(clauses, true);
        selection.await(Long.MAX_VALUE);
        try {
            selection.result();
        } catch (ChannelClosedException closed) {
            if (!open.removeIf(SendPort::isClosed)) {
                throw closed; // an undelivered hook's
            }
            return false;
        }
        open.add(open.removeFirst()); // in turn
        return true;
    }

    private static <E> void closeAll(List<SendPort<? super E>> targets, @Nullable Throwable cause) {
        for (SendPort<? super E> each : targets) {
            if (cause == null) {
                each.close();
            } else {
                each.close(cause);
            }
        }
    }
}
