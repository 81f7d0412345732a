package dev.ropewalk.channels;

import dev.ropewalk.channels.internal.Elsewhere;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Receivable;
import dev.ropewalk.fibers.spi.Selection;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/** Passes elements to the first of several targets with room; of one fiber. */
final class FanOut<E> {
    /** The fate of a send. */
    private record Sent<E>(SendPort<? super E> target, SendResult result) {}

    private final Receivable<? extends E> source;

    /** The ports that are not known to be closed; the next in turn is the first. */
    private final List<SendPort<? super E>> open;

    /** The failure of the source; null if it has no failure, or is not at its end. */
    private @Nullable Throwable cause;

    FanOut(Receivable<? extends E> source, List<? extends SendPort<? super E>> targets) {
        this.source = source;
        this.open = new ArrayList<>(List.copyOf(targets));
    }

    void run() {
        while (!open.isEmpty()) {
            E element;
            try {
                element = source.receive();
            } catch (ClosedException end) {
                cause = end.getCause();
                return;
            }
            pass(element);
        }
    }

    private void pass(E element) {
        while (!open.isEmpty()) {
            Sent<E> sent = sendToFirst(element);
            open.remove(sent.target());
            if (sent.result() != SendResult.CLOSED) {
                open.add(sent.target()); // in turn
                if (sent.result() == SendResult.DROPPED) {
                    sent.target().send(element); // as the target is made: its hook is told
                }
                return;
            }
        }
        throw new ChannelClosedException(
                "all targets of the fan-out are closed: the element is in this exception",
                element,
                null);
    }

    private Sent<E> sendToFirst(E element) {
        List<Clause<Sent<E>>> clauses = new ArrayList<>(open.size());
        for (SendPort<? super E> each : open) {
            clauses.add(each.onSendResult(element, result -> new Sent<E>(each, result)));
        }
        Selection<Sent<E>> selection = new Selection<>(clauses, true);
        selection.await(Long.MAX_VALUE);
        return selection.result();
    }

    /** However the fiber ends, also before its first turn; all, even if one of them fails. */
    void end() {
        List<Runnable> steps = new ArrayList<>();
        steps.add(() -> Elsewhere.cancel(source)); // harmless if it is at its end
        open.forEach(each -> steps.add(() -> Elsewhere.close(each, cause)));
        Elsewhere.runAll(steps);
    }
}
