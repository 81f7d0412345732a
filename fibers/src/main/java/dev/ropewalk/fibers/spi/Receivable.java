package dev.ropewalk.fibers.spi;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Iterator;
import java.util.function.Function;

/**
 * Something that elements are received from, one after the other: a channel, the messages of a
 * socket, a ticker. It may stand in a select, and a pipeline may begin with it.
 *
 * @param <E> the type of the elements, which are never null
 */
public interface Receivable<E> extends Iterable<E> {
    /**
     * Receives the next element; waits while there is none. A switchpoint even if it does not wait:
     * if the fiber is terminated or cancelled, this throws and no element is taken.
     *
     * @return the element
     * @throws ClosedException if it is closed and has nothing more; the cause is the failure that
     *     it was closed with, if it was one
     */
    E receive();

    /**
     * Like {@link #receive()}, with a limit on the wait.
     *
     * @param limit how long to wait; 0 waits for one turn of the cord
     * @return the element, or null if the limit passed
     * @throws ClosedException as {@link #receive()}
     */
    @Nullable E receive(Duration limit);

    /**
     * Receives an element if there is one now. Never switches, raises nothing, never fails
     * spuriously.
     *
     * @return the element, or null if there is none now
     * @throws ClosedException as {@link #receive()}
     */
    @Nullable E tryReceive();

    /**
     * {@return an alternative of a select: to receive an element} If it is closed, the alternative
     * is ready, and the select throws the {@link ClosedException} if it takes that one.
     *
     * @param <R> the type of the select's result
     * @param taken makes the result of the element; runs in the caller of the select
     */
    <R extends @Nullable Object> Clause<R> onReceive(Function<? super E, ? extends R> taken);

    /**
     * {@return an iterator that receives, and ends when it is closed and has nothing more}
     *
     * <p>Its {@code hasNext} waits like {@link #receive()}, and throws {@link ClosedException} if
     * it was closed with a cause. Each element goes to one iterator.
     */
    @Override
    default Iterator<E> iterator() {
        return new ReceivingIterator<>(this);
    }

    /**
     * Ends it from the receiving side: nothing more is wanted. The elements that it holds go to its
     * undelivered hook, if it has one. Never switches; to do it twice is harmless.
     */
    void cancel();
}
