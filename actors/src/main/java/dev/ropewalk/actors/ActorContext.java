package dev.ropewalk.actors;

import dev.ropewalk.actors.routing.Group;
import dev.ropewalk.actors.routing.GroupChange;
import dev.ropewalk.actors.routing.GroupWatch;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * An actor's own side, from its start to its end or restart: each incarnation has one of its own.
 * For the actor's fiber only, except {@link #self} and calls on the adapters.
 *
 * <p>The receive methods are for loop style. Receiving the next message completes the last one: a
 * failure after that no longer counts as its failure. In handler style they are an error, because
 * there the message comes to the behavior.
 *
 * @param <M> the type of the messages
 */
public interface ActorContext<M> {
    /** {@return the actor's address} */
    ActorRef<M> self();

    /** {@return how often the current message has been tried, this time included} */
    int attempt();

    // ---------------------------------------------------------------- receiving, in loop style

    /**
     * Receives the next message; waits for it if need be. A switchpoint even if a message is there.
     *
     * @return the message
     */
    M receive();

    /**
     * Receives the next message, with a limit on the wait.
     *
     * @param limit how long to wait; 0 waits for one turn of the cord
     * @return the message, or null if the limit passed
     */
    @Nullable M receive(Duration limit);

    /**
     * Receives the first message of the type; the others stay in their order. Its cost does not
     * grow with the number of messages of other types that earlier receives have passed over.
     *
     * @param <T> the type
     * @param type the type
     * @return the message
     */
    <T extends M> T receive(Class<T> type);

    /**
     * Receives the first message that passes; the others stay in their order. Each message is
     * tested once by this call, on the actor's fiber.
     *
     * @param wanted whether to take a message; must not wait. If it throws, so does this call, and
     *     the message is the one in hand on which the actor fails, as by its {@linkplain
     *     Actor#onFailure rule}. If the body catches that and goes on, it is a {@link DeadLetter}
     * @return the message
     */
    M receive(Predicate<? super M> wanted);

    // ---------------------------------------------------------------- state machines

    /**
     * Puts the message in hand off until the next change of the {@linkplain Behavior#state(String,
     * Behavior) state}; then it comes again, before messages that came later. Meanwhile it counts
     * as queued: a restart keeps it in its place, and one that is left at the actor's end is a dead
     * letter. It holds no permit of a bounded mailbox. A timer's message or a DOWN that is
     * cancelled meanwhile does not come again.
     *
     * <p>It takes effect when the message has completed. If {@value MailboxOptions#POSTPONED} are
     * postponed then, and the state has not changed, it becomes a dead letter, and its asker hears
     * that at once; {@link MailboxOptions#withPostponed} sets another bound or another rule.
     *
     * @throws IllegalStateException if no message of a state is in hand
     */
    void postpone();

    /**
     * {@return how many messages are postponed} The one in hand is not among them.
     *
     * @throws IllegalStateException if the caller is not on the actor's cord
     */
    int postponed();

    /**
     * Puts a message to the head of the mailbox: it comes next, before postponed messages, behind
     * those that were inserted before by the same message. It takes effect when the message in hand
     * has completed, and needs no room in a bounded mailbox.
     *
     * @param message the message
     * @throws IllegalStateException if no message is in hand, and no entry of a state runs
     */
    void insert(M message);

    /**
     * Sets the state timeout: the message comes if the state has not changed by then. It belongs to
     * the state that the message in hand leads to, which may be the one that goes on, and takes the
     * place of the timeout before. The next change cancels it; then it does not come, also if it is
     * in the mailbox already. {@link Timers#cancelAll} cancels it too.
     *
     * @param after counts from the change; with 0 it comes behind the messages that are queued then
     * @param message what comes
     * @throws IllegalArgumentException if the time is negative
     * @throws IllegalStateException if no message is in hand, and no entry of a state runs, or the
     *     behavior that follows has no name
     */
    void stateTimeout(Duration after, M message);

    /**
     * Cancels the state timeout, if there is one.
     *
     * @throws IllegalStateException if no message is in hand, and no entry of a state runs
     */
    void cancelStateTimeout();

    /**
     * Sets the idle timeout: the message comes if no other one does until then. Any message that
     * the actor begins ends it, also an inserted one or that of another timer.
     *
     * @param after counts from the end of the message in hand; with 0 it comes if nothing is queued
     *     then
     * @param message what comes
     * @throws IllegalArgumentException if the time is negative
     * @throws IllegalStateException if no message is in hand, and no entry of a state runs
     */
    void idleTimeout(Duration after, M message);

    // ---------------------------------------------------------------- its end

    /**
     * Runs the hook once when this incarnation is over, whatever ended it: after the actors and
     * fibers below it have ended, before the next incarnation starts, the hook made last first;
     * also if the factory threw, or the actor was killed. With {@link Actor#keepState} the hook
     * stays with the state, and runs at the last end only.
     *
     * <p>The hook may wait: it is shielded, within one stop limit of the supervisor that counts
     * from the stop or the crash. When the limit is over, the incarnation is abandoned; the hooks
     * that are left run then too, but cannot wait. Exceptions of a hook are suppressed in the
     * failure of the actor; if it ended in an orderly way, the supervisor's listener is told.
     *
     * @param hook gets the reason of the end
     * @throws IllegalStateException if the caller is not the actor's own fiber
     */
    void atEnd(Consumer<? super ExitReason> hook);

    /**
     * Closes the resource when this incarnation is over, like a hook of {@link #atEnd}.
     *
     * @param <T> the type of the resource
     * @param resource is closed once
     * @return the resource
     * @throws IllegalStateException if the caller is not the actor's own fiber
     */
    <T extends AutoCloseable> T owns(T resource);

    /**
     * {@return the actor's timers}
     *
     * @throws IllegalStateException if the caller is not the actor's own fiber
     */
    Timers<M> timers();

    // ---------------------------------------------------------------- actors of its own

    /**
     * Starts an actor below this actor, on its cord, and does not wait. It ends with this
     * incarnation, and is not started again, unless its definition says so. A failure that is not
     * followed by a restart is logged; to be told, give a function or monitor it.
     *
     * @param <C> the type of its messages
     * @param name its name
     * @param actor how it is made
     * @return its address
     * @throws IllegalStateException if the caller is not the actor's own fiber
     */
    <C> ActorRef<C> spin(String name, Actor<C> actor);

    /**
     * Starts an actor below this actor, and monitors it.
     *
     * @param <C> the type of its messages
     * @param name its name
     * @param actor how it is made
     * @param whenOver makes a message of its end, on this actor's fiber
     * @return its address
     * @throws IllegalStateException if the caller is not the actor's own fiber
     */
    <C> ActorRef<C> spin(String name, Actor<C> actor, Function<? super Down, ? extends M> whenOver);

    /**
     * {@return the supervisor of this incarnation's own actors} It starts actors on other cords, or
     * waits for their start. When it gives up, this actor fails.
     *
     * @throws IllegalStateException if the caller is not the actor's own fiber
     */
    Supervisor children();

    // ---------------------------------------------------------------- other actors' ends

    /**
     * Tells this actor once when the other one is over and will not be started again; at once, with
     * {@link ExitReason.NoActor}, if that is so already. The message comes after all messages that
     * the other actor told this one before its end. It needs no room in a bounded mailbox.
     *
     * @param actor which is monitored; several monitors of one actor each tell
     * @param message makes the message, on this actor's fiber when it comes to it
     * @return the monitor
     * @throws IllegalArgumentException if it is this actor
     * @throws IllegalStateException if the caller is not the actor's own fiber
     */
    Monitor monitor(ActorRef<?> actor, Function<? super Down, ? extends M> message);

    /**
     * Like {@link #monitor}, but tells of the end of each incarnation, also if another one follows.
     *
     * @param actor which is monitored
     * @param message makes the message, on this actor's fiber when it comes to it
     * @return the monitor
     * @throws IllegalArgumentException if it is this actor
     * @throws IllegalStateException if the caller is not the actor's own fiber
     */
    Monitor monitorEach(ActorRef<?> actor, Function<? super Down, ? extends M> message);

    /**
     * Watches a group: returns its members, and tells this actor of each later join and leave, in
     * order, none left out. It dies with the incarnation, or with the state if that is kept. The
     * messages need no room in a bounded mailbox. A switchpoint, until the group's cord answers.
     *
     * @param <G> the type of the messages that the members take
     * @param group the group
     * @param message makes the message of a change, on this actor's fiber when it comes to it
     * @return the watch, with the members of now
     * @throws IllegalStateException if the caller is not the actor's own fiber, or the group's cord
     *     has ended
     */
    <G> GroupWatch<G> watch(Group<G> group, Function<? super GroupChange<G>, ? extends M> message);

    /**
     * Links this incarnation and the other actor's: when one of the two ends and that was not
     * {@linkplain ExitReason.Normal normal}, the other ends for the same reason, before its queued
     * messages, unless it {@linkplain #trapExits traps exits}. If the other actor is over, this one
     * gets {@link ExitReason.NoActor}; if it waits for its start, its next incarnation is linked. A
     * second link to the same actor has no effect.
     *
     * @param actor the other actor, of this process
     * @throws IllegalArgumentException if it is this actor
     * @throws IllegalStateException if the caller is not the actor's own fiber
     */
    void link(ActorRef<?> actor);

    /**
     * Takes the link away, on whichever side it was made. No exit of it comes from now on, even if
     * it is in the mailbox already. No effect without a link.
     *
     * @param actor the other actor
     * @throws IllegalStateException if the caller is not the actor's own fiber
     */
    void unlink(ActorRef<?> actor);

    /**
     * Makes messages of the exits of links, of normal ones too, in place of ending this actor. They
     * come after all messages that the other actor told this one before. A kill of this actor, and
     * the stop of its supervisor, cannot be trapped.
     *
     * @param message makes the message, on this actor's fiber when it comes to it
     * @throws IllegalStateException if the caller is not the actor's own fiber
     */
    void trapExits(Function<? super Exit, ? extends M> message);

    // ---------------------------------------------------------------- replies as messages

    /**
     * {@return an address for replies of another type, each of which becomes a message to this
     * actor} It stays valid after a restart, and as long as the actor: the function shall make a
     * message and touch nothing of an incarnation that may be over.
     *
     * <p>A reply takes its place in the mailbox like any message of its sender. A failure that is
     * told in place of a reply is a {@link DeadLetter}.
     *
     * @param <R> the type of the replies
     * @param message makes the message, on the actor's fiber when the actor comes to it; if it
     *     throws, the actor fails on that message
     */
    <R> Recipient<R> adapt(Function<? super R, ? extends M> message);

    /**
     * {@return the same, where a failure too becomes a message}
     *
     * @param <R> the type of the replies
     * @param message makes the message of a reply
     * @param onFailure makes the message of a failure
     */
    <R> Recipient<R> adapt(
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure);

    /**
     * Tells this actor the result of the stage, when it is there. Does not wait. If the stage
     * fails, the actor fails with that when it comes to the message.
     *
     * @param <R> the type of the result
     * @param stage completed by any thread
     * @param message makes the message of the result, on the actor's fiber
     */
    <R extends @Nullable Object> void pipe(
            CompletionStage<R> stage, Function<? super R, ? extends M> message);

    /**
     * Tells this actor how the stage completed. Does not wait.
     *
     * @param <R> the type of the result
     * @param stage completed by any thread
     * @param message makes the message of the result, on the actor's fiber
     * @param onFailure makes the message of a failure, on the actor's fiber
     */
    <R extends @Nullable Object> void pipe(
            CompletionStage<R> stage,
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure);

    /**
     * Tells this actor the result of the fiber, when it is over. Does not wait. If the fiber fails,
     * the actor fails with that when it comes to the message.
     *
     * @param <R> the type of the result
     * @param fiber of any cord
     * @param message makes the message of the result, on the actor's fiber
     */
    <R extends @Nullable Object> void pipe(
            Fiber<R> fiber, Function<? super R, ? extends M> message);

    /**
     * Tells this actor how the fiber ended. Does not wait.
     *
     * @param <R> the type of the result
     * @param fiber of any cord
     * @param message makes the message of the result, on the actor's fiber
     * @param onFailure makes the message of a failure, on the actor's fiber
     */
    <R extends @Nullable Object> void pipe(
            Fiber<R> fiber,
            Function<? super R, ? extends M> message,
            Function<? super Throwable, ? extends M> onFailure);
}
