package dev.ropewalk.fibers.spi;

import org.jspecify.annotations.Nullable;

import java.util.Iterator;
import java.util.NoSuchElementException;

/** Receives one element ahead, because only that tells whether there is one. */
final class ReceivingIterator<E> implements Iterator<E> {
    private final Receivable<E> source;
    private @Nullable E fetched;
    private boolean hasEnded;

    ReceivingIterator(Receivable<E> source) {
        this.source = source;
    }

    @Override
    public boolean hasNext() {
        if (fetched == null && !hasEnded) {
            try {
                fetched = source.receive();
            } catch (ClosedException end) {
                if (end.getCause() != null) {
                    throw end;
                }
                hasEnded = true;
            }
        }
        return fetched != null;
    }

    @Override
    public E next() {
        @Nullable E element = hasNext() ? fetched : null;
        if (element == null) {
            throw new NoSuchElementException(source + " is closed and has nothing more");
        }
        fetched = null;
        return element;
    }
}
