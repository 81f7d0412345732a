package dev.ropewalk.fibers.coroutine;

import dev.ropewalk.fibers.DeadlockException;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.Scope;
import dev.ropewalk.fibers.StackPinnedException;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * A body that is run a piece at a time: {@link #resume} runs it up to its next {@link #yield}, and
 * values go both ways. {@link #transfer} switches between coroutines as equals.
 *
 * {@snippet file="dev/ropewalk/fibers/coroutine/GeneratorSnippetsTest.java" region="coroutine"}
 *
 * <p>The body begins with the first resume or transfer and runs on a fiber of its own, a child of
 * the fiber that made the coroutine. So it may wait like any other fiber (sleep, await, receive);
 * its resumer waits that long, and the other fibers of the cord go on. It ends with its parent at
 * the latest, and its {@code finally} blocks run then. Cancel scopes and locks of the resumer are
 * not those of the body.
 *
 * <p>Resume and yield are a call and its answer. The end of the body answers too: its result is
 * what the last resume returns. The last resume also throws the body's exception: an unchecked one
 * as it is, a checked one in a {@link FiberFailedException}. A resume that is left before the
 * answer, by a time limit or a termination, leaves the body running: its next yield, or its end, is
 * kept for {@link #await}. A failure kept in this way goes to its awaiter alone. If it was not
 * awaited by the time the coroutine is closed or its parent has ended, the cord's uncaught handler
 * is told.
 *
 * <p>Transfer gives control on without waiting for an answer: it returns when another coroutine
 * transfers back. A coroutine that was transferred to cannot yield, because it has no resumer. When
 * its body ends, control goes to the plain fiber on whose behalf it ran, or to the last coroutine
 * of the chain that this fiber has resumed, and the transfer there returns the result or throws the
 * failure. Each plain fiber is on its own: two fibers that use the same coroutines do not get each
 * other's answers.
 *
 * <p>All calls are confined to the cord of the fiber that made the coroutine, and are made by its
 * fibers. A call that the coroutine's state does not allow throws an {@link IllegalStateException},
 * which names the state and the call to make instead; the call changes nothing. The semantics are
 * those of Ruby's fibers.
 *
 * @param <I> what goes in, by resume and transfer
 * @param <O> what comes out, by yield and as the result
 */
public final class Coroutine<I extends @Nullable Object, O extends @Nullable Object>
        implements AutoCloseable {
    private final CoroutineNode node;

    /**
     * The body of a coroutine.
     *
     * @param <I> what goes in
     * @param <O> what comes out
     */
    @FunctionalInterface
    public interface Body<I extends @Nullable Object, O extends @Nullable Object> {
        /**
         * Runs the body.
         *
         * @param me the coroutine, to yield by
         * @param first what the first resume or transfer gave
         * @return what the last resume returns
         * @throws Exception whatever the body throws; it is thrown where an answer is waited for
         */
        O run(Coroutine<I, O> me, I first) throws Exception;
    }

    private Coroutine(@Nullable String name, Body<I, O> body) {
        Objects.requireNonNull(body, "body");
        this.node = new CoroutineNode("coroutine", name, first -> body.run(this, in(first)));
    }

    @SuppressWarnings({"unchecked", "NullAway", "TypeParameterUnusedInFormals"}) // resume takes I
    private static <I extends @Nullable Object> I in(@Nullable Object given) {
        return (I) given;
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // a body yields and returns O
    private O out(@Nullable Object answer) {
        return (O) answer;
    }

    /**
     * {@return a coroutine that has not begun; the current fiber becomes its parent}
     *
     * @param <I> what goes in
     * @param <O> what comes out
     * @param body what it runs
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <I extends @Nullable Object, O extends @Nullable Object> Coroutine<I, O> of(
            Body<I, O> body) {
        return new Coroutine<>(null, body);
    }

    /**
     * {@return a named coroutine that has not begun; the current fiber becomes its parent}
     *
     * @param <I> what goes in
     * @param <O> what comes out
     * @param name shown in reports; need not be unique
     * @param body what it runs
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public static <I extends @Nullable Object, O extends @Nullable Object> Coroutine<I, O> of(
            String name, Body<I, O> body) {
        return new Coroutine<>(Objects.requireNonNull(name, "name"), body);
    }

    /**
     * Runs the body on to its next {@link #yield} or its end. A switchpoint: if it is left by an
     * exception, the body goes on and owes its answer to {@link #await}.
     *
     * @param value what the body's yield returns, or at first the body's parameter
     * @return what the body yields next, or its result
     * @throws FiberFailedException if the body threw a checked exception; an unchecked one is
     *     thrown as it is
     * @throws FiberTerminatedException if the coroutine was closed or terminated meanwhile
     * @throws IllegalStateException if it is dead, is the running one, was resumed already and has
     *     not answered yet, has resumed or transferred to another, owes an answer, or its parent
     *     has ended before it began
     * @throws WrongThreadException if called on another cord
     */
    public O resume(I value) {
        return out(node.resume(value));
    }

    /**
     * Answers the resume that runs this body, and waits for the next one. Only for the body itself.
     * A switchpoint: a body that has been terminated yields nothing any more.
     *
     * <p>The wait is part of the body: a time limit or {@link Scope} around it counts the time of
     * the resumer, too. If the wait is left, the value has been given and the body has not been
     * resumed: it can only return, and its end is kept for {@link #await} unless that value has yet
     * to be taken.
     *
     * @param value what that resume returns
     * @return what the next resume gives
     * @throws IllegalStateException if called by another fiber, or if this coroutine has no
     *     resumer, because it was transferred to or has left its last yield
     * @throws StackPinnedException if the stack cannot be left, in a class initialiser or native
     *     frame; the value has been given, as to a wait that is left
     * @throws WrongThreadException if called on another cord
     */
    @SuppressWarnings("NamedLikeContextualKeyword") // the word of the field; it has a receiver
    public I yield(O value) {
        return in(node.yieldValue(value));
    }

    /**
     * Gives control to this coroutine for good; returns when control is given back to the caller. A
     * transfer to the running coroutine returns its own value at once. A switchpoint: if it is left
     * by an exception, the other coroutine goes on, on behalf of no fiber.
     *
     * @param value what the transfer there returns, or at first the body's parameter
     * @return what the transfer back gave; or the result of a coroutine whose end gave control back
     * @throws FiberFailedException if such a coroutine threw a checked exception; an unchecked one
     *     is thrown as it is
     * @throws FiberTerminatedException if such a coroutine was closed or terminated
     * @throws IllegalStateException if this one is dead, runs already, has yielded, has resumed
     *     another, or runs on behalf of another plain fiber
     * @throws WrongThreadException if called on another cord
     */
    public @Nullable Object transfer(I value) {
        return node.transfer(value);
    }

    /**
     * Throws the exception in the body, from its {@link #yield}, and otherwise does what {@link
     * #resume} does. In the running coroutine it is thrown at once.
     *
     * @param failure what is thrown there, as it is
     * @return what the body yields next, or its result
     * @throws FiberFailedException if the body threw a checked exception; an unchecked one is
     *     thrown as it is
     * @throws FiberTerminatedException if the coroutine was closed or terminated meanwhile
     * @throws IllegalStateException if it has not begun, or could not be resumed now
     * @throws WrongThreadException if called on another cord
     */
    public O raise(Throwable failure) {
        return out(node.raise(failure));
    }

    /**
     * Takes the answer of a {@link #resume} that was left before it came, and waits for it if need
     * be. A switchpoint, which may be left in its turn.
     *
     * @return what the body yielded, or its result
     * @throws FiberFailedException if the body threw a checked exception; an unchecked one is
     *     thrown as it is
     * @throws IllegalStateException if no answer is owed, or none can come because the coroutine
     *     has transferred to another
     * @throws DeadlockException if the coroutine waits for the caller, directly or through others
     * @throws WrongThreadException if called on another cord
     */
    public O await() {
        node.checkCord("await");
        Waits.switchpoint();
        return out(node.await());
    }

    /**
     * Ends the coroutine and waits for its end: its {@code finally} blocks run, and this call
     * throws their exceptions. A fiber that waits for an answer gets a {@link
     * FiberTerminatedException}; an answer that is owed is dropped, and a failure that is owed is
     * reported. A coroutine that has not begun never will; a dead one stays dead. A switchpoint,
     * and a shielded one; a body that does not end within the cord's stop limit is abandoned and
     * reported.
     *
     * @throws FiberFailedException if a {@code finally} block threw a checked exception
     * @throws DeadlockException if called by the coroutine itself, or by a fiber below it; or if
     *     the body, in a shield, awaits the caller: it was terminated all the same then
     * @throws WrongThreadException if called on another cord
     */
    @Override
    public void close() {
        node.close();
    }

    /** {@return whether the body may still run; also true before it has begun} */
    public boolean isAlive() {
        return node.state() != ControlNode.State.DEAD;
    }

    /** For tests: shows for which plain fiber's call it runs; null if it runs for no call. */
    @Nullable Object actsFor() {
        return node.token;
    }

    /** For tests: it has answered a fiber that has yet to run. */
    boolean isAnswering() {
        return node.answered() != null;
    }

    /** Fails if its links are broken; for tests. */
    void checkInvariants() {
        node.checkInvariants();
    }

    @Override
    public String toString() {
        return node.label();
    }
}
