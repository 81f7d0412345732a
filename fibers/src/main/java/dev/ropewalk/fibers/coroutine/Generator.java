package dev.ropewalk.fibers.coroutine;

import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * An iterator whose values a body yields, one at a time and only when they are asked for.
 *
 * {@snippet file="dev/ropewalk/fibers/coroutine/GeneratorSnippetsTest.java" region="generator"}
 *
 * <p>The body begins with the first {@link #hasNext} or {@link #next}, on a fiber of its own, a
 * child of the fiber that made the generator. It may wait like any other fiber (sleep, await,
 * receive); the asker waits that long, and the other fibers of the cord go on. Each value costs two
 * switches, so code that never waits is faster as a plain iterator.
 *
 * <p>A generator that is not read to its end stays where it is until {@link #close}, or until its
 * parent ends; either way its {@code finally} blocks run. The call that asked for the next value
 * throws the body's exception: an unchecked one as it is, a checked one in a {@link
 * FiberFailedException}. The generator is dead then, and asking again is an error.
 *
 * <p>An {@code hasNext} or {@code next} that is left while it waits, by a time limit or a
 * termination, loses nothing: the body goes on to its next yield, and that value comes with the
 * next call. So does a failure; if there is no next call, the cord's uncaught handler is told when
 * the generator is closed or its parent has ended. Only one fiber may ask at a time. All calls are
 * confined to the cord of the fiber that made the generator, and are made by its fibers.
 *
 * @param <T> the type of the values
 */
public final class Generator<T extends @Nullable Object> implements Iterator<T>, AutoCloseable {
    private static final Object END = new Object();
    private static final Object NONE = new Object();

    private final CoroutineNode node;

    /** The value that hasNext has fetched, or END; otherwise NONE. */
    private @Nullable Object fetched = NONE;

    /**
     * The body of a generator.
     *
     * @param <T> the type of the values
     */
    @FunctionalInterface
    public interface Body<T extends @Nullable Object> {
        /**
         * Runs the body; when it returns there are no more values.
         *
         * @param out takes the values
         * @throws Exception whatever the body throws; it is thrown where the next value was asked
         *     for
         */
        void run(Yielder<T> out) throws Exception;
    }

    /**
     * Takes the values of a generator's body.
     *
     * @param <T> the type of the values
     */
    @FunctionalInterface
    public interface Yielder<T extends @Nullable Object> {
        /**
         * Gives a value and waits until the next one is asked for. Only for the body itself, not
         * for fibers that it spins. A switchpoint: a generator that is to end yields nothing more.
         *
         * <p>The wait is part of the body: a time limit or {@link Scope} around it counts the time
         * of the asker, too. If the wait is left, the value has been given, and the body can yield
         * no more: it can only return.
         *
         * @param value the next value
         * @throws IllegalStateException if called by another fiber than the body's, or if the body
         *     has left its last yield
         * @throws StackPinnedException if the stack cannot be left, in a class initialiser or
         *     native frame; the value has been given, as to a wait that is left
         * @throws WrongThreadException if called on another cord
         */
        @SuppressWarnings("NamedLikeContextualKeyword") // the word of the field; it has a receiver
        void yield(T value);
    }

    private Generator(@Nullable String name, Body<T> body) {
        Objects.requireNonNull(body, "body");
        this.node =
                new CoroutineNode(
                        "generator",
                        name,
                        new CoroutineNode.Body() {
                            @Override
                            public @Nullable Object run(@Nullable Object first) throws Exception {
                                body.run(Generator.this::yieldFromBody);
                                return END;
                            }

                            @Override
                            public @Nullable Object stoppedWith(@Nullable Object result) {
                                return END;
                            }
                        });
    }

    /**
     * {@return a generator that has not begun; the current fiber becomes its parent}
     *
     * @param <T> the type of the values
     * @param body yields them
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <T extends @Nullable Object> Generator<T> of(Body<T> body) {
        return new Generator<>(null, body);
    }

    /**
     * {@return a named generator that has not begun; the current fiber becomes its parent}
     *
     * @param <T> the type of the values
     * @param name shown in reports; need not be unique
     * @param body yields them
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <T extends @Nullable Object> Generator<T> of(String name, Body<T> body) {
        return new Generator<>(Objects.requireNonNull(name, "name"), body);
    }

    private void yieldFromBody(T value) {
        node.yieldValue(value);
    }

    /**
     * Runs the body on to its next value, unless that is there already. A switchpoint, also if it
     * is there; if it is left by an exception, the value comes with the next call.
     *
     * @return false if the body has returned
     * @throws FiberFailedException if the body threw a checked exception; an unchecked one is
     *     thrown as it is
     * @throws FiberTerminatedException if the generator was closed or terminated meanwhile
     * @throws IllegalStateException if the generator was closed or has failed before, if another
     *     fiber is asking, or if its parent has ended before it began
     * @throws WrongThreadException if called on another cord
     */
    @Override
    public boolean hasNext() {
        node.checkCord("next of");
        if (fetched == NONE) {
            fetched = fetch();
        } else {
            Waits.switchpoint();
        }
        return fetched != END;
    }

    private @Nullable Object fetch() {
        if (node.owes() || node.hasReturned()) {
            Waits.switchpoint(); // what follows need not wait
        }
        if (node.owes()) {
            return node.await();
        }
        // It may have ended before its last value was taken.
        return node.hasReturned() ? END : node.resume(null);
    }

    /**
     * {@inheritDoc}
     *
     * <p>Waits and throws as {@link #hasNext} does. Right after a {@code hasNext} that said true it
     * takes the value and is no switchpoint.
     *
     * @throws NoSuchElementException if the body has returned
     */
    @Override
    @SuppressWarnings({"unchecked", "NullAway"}) // the body yields T
    public T next() {
        node.checkCord("next of");
        if ((fetched == NONE || fetched == END) && !hasNext()) {
            throw new NoSuchElementException(node.label() + " has no more values");
        }
        T value = (T) fetched;
        fetched = NONE;
        return value;
    }

    /**
     * {@return the values that are left, for a {@code for} loop} It is this generator, so it can be
     * gone through once, and a loop that is left early goes on with the next one.
     */
    public Iterable<T> rest() {
        return () -> this;
    }

    /**
     * {@return the values that are left, as a sequential stream} Closing the stream closes this
     * generator. A parallel stream would ask from other threads, which is an error.
     */
    public Stream<T> stream() {
        return StreamSupport.stream(
                        Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED), false)
                .onClose(this::close);
    }

    /**
     * Ends the generator and waits for its end: the body's {@code finally} blocks run, and this
     * call throws their exceptions. A fiber that waits for a value gets a {@link
     * FiberTerminatedException}; a value that was not taken is dropped, and a failure that was not
     * taken is reported. A generator that has not begun never will; one that has ended stays ended.
     * A switchpoint, and a shielded one; a body that does not end within the cord's stop limit is
     * abandoned and reported.
     *
     * @throws FiberFailedException if a {@code finally} block threw a checked exception
     * @throws DeadlockException if called by the body, or by a fiber below it; or if the body, in a
     *     shield, awaits the caller: it was terminated all the same then
     * @throws WrongThreadException if called on another cord
     */
    @Override
    public void close() {
        node.checkCord("close");
        try {
            node.close();
        } finally {
            // A close that was refused changes nothing.
            if (fetched != END && node.state() == ControlNode.State.DEAD) {
                fetched = NONE;
            }
        }
    }

    @Override
    public String toString() {
        return node.label();
    }
}
