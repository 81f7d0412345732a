package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorBody;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.FailedMessage;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.internal.behavior.BehaviorSigns;
import dev.ropewalk.actors.internal.mailbox.Mailbox;
import dev.ropewalk.actors.internal.sending.MailboxSpec;
import dev.ropewalk.fibers.supervision.RestartRule;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;

/** The settings of an {@link Actor}, with its factory or body; immutable. */
public final class Definition<M> extends Actor<M> {
    /** Null for loop style. */
    final @Nullable Function<ActorContext<M>, Behavior<M>> factory;

    /** Null for handler style. */
    final @Nullable ActorBody<M> body;

    /** Null if its supervisor says. */
    final @Nullable RestartRule restart;

    final FailedMessage failedMessage;
    final MailboxSpec<M> mailbox;
    final boolean keepsState;

    // of the mailbox, asked for at each start

    /** Messages pass one before they leave. */
    final boolean hasGate;

    private final boolean isRanked;
    private final int maxQueued;

    private Definition(
            @Nullable Function<ActorContext<M>, Behavior<M>> factory,
            @Nullable ActorBody<M> body,
            @Nullable RestartRule restart,
            FailedMessage failedMessage,
            MailboxSpec<M> mailbox,
            boolean keepsState) {
        this.factory = factory;
        this.body = body;
        this.restart = restart;
        this.failedMessage = Objects.requireNonNull(failedMessage, "rule");
        this.mailbox = mailbox;
        this.keepsState = keepsState;
        this.hasGate = mailbox.hasGate();
        this.isRanked = mailbox.isRanked();
        this.maxQueued = mailbox.maxQueued();
    }

    /** Handler style, with the defaults. */
    public static <M> Definition<M> handler(Function<ActorContext<M>, Behavior<M>> factory) {
        return new Definition<>(
                factory, null, null, FailedMessage.drop(), MailboxSpec.unbounded(), false);
    }

    /** Loop style, with the defaults. */
    public static <M> Definition<M> loop(ActorBody<M> body) {
        return new Definition<>(
                null, body, null, FailedMessage.drop(), MailboxSpec.unbounded(), false);
    }

    /** The one cast from what a program holds. */
    public static <M> Definition<M> of(Actor<M> actor) {
        return (Definition<M>) Objects.requireNonNull(actor, "actor");
    }

    /** The function that makes the first behavior; null for loop style. */
    public @Nullable Function<ActorContext<M>, Behavior<M>> factory() {
        return factory;
    }

    /** Whether it is started again after each end, whatever its supervisor says. */
    public boolean isPermanent() {
        return restart == RestartRule.PERMANENT;
    }

    /** Whether a restart goes on with the last behavior. */
    public boolean keepsState() {
        return keepsState;
    }

    /**
     * Whether a first behavior has a state that no other incarnation may have. Lambdas and records
     * have none: what a lambda captures is the program's business, and a record is a value. The
     * sign to stop is one object for all.
     */
    boolean hasStateOfItsOwn(Behavior<M> first) {
        if (keepsState || first == BehaviorSigns.<M>stopped()) {
            return false;
        }
        Class<?> type = first.getClass();
        return !type.isHidden() && !type.isRecord() && hasFields(type);
    }

    private static boolean hasFields(Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            if (Arrays.stream(each.getDeclaredFields())
                    .anyMatch(field -> !Modifier.isStatic(field.getModifiers()))) {
                return true;
            }
        }
        return false;
    }

    /**
     * The same without rules of its own, and with a mailbox that takes all, as one needs that is
     * run by hand: a failure is no end of it yet, and how much it postpones is a matter of its
     * behavior.
     */
    Definition<M> bare() {
        MailboxOptions own = mailbox.options();
        MailboxOptions bare =
                MailboxOptions.unbounded()
                        .withPostponed(own.maxPostponed(), own.postponedOverflow());
        return new Definition<>(
                factory,
                body,
                RestartRule.TRANSIENT,
                FailedMessage.drop(),
                MailboxSpec.<M>unbounded().with(bare),
                keepsState);
    }

    /** The same options around another way to make it, in the same style. */
    public Definition<M> around(
            UnaryOperator<Function<ActorContext<M>, Behavior<M>>> ofFactory,
            UnaryOperator<ActorBody<M>> ofBody) {
        return new Definition<>(
                factory == null ? null : ofFactory.apply(factory),
                body == null ? null : ofBody.apply(body),
                restart,
                failedMessage,
                mailbox,
                keepsState);
    }

    @Override
    public Actor<M> restart(RestartRule when) {
        Objects.requireNonNull(when, "when");
        return new Definition<>(factory, body, when, failedMessage, mailbox, keepsState);
    }

    @Override
    public Actor<M> onFailure(FailedMessage rule) {
        return new Definition<>(factory, body, restart, rule, mailbox, keepsState);
    }

    @Override
    public Actor<M> mailbox(MailboxOptions options) {
        return new Definition<>(
                factory, body, restart, failedMessage, mailbox.with(options), keepsState);
    }

    @Override
    public Actor<M> byPriority(ToIntFunction<? super M> priority) {
        return withMailbox(mailbox.byPriority(priority));
    }

    @Override
    public Actor<M> conflate(Function<? super M, ? extends @Nullable Object> key) {
        return withMailbox(mailbox.conflating(key, null));
    }

    @Override
    public Actor<M> conflate(
            Function<? super M, ? extends @Nullable Object> key, Consumer<? super M> undelivered) {
        Objects.requireNonNull(undelivered, "undelivered");
        return withMailbox(mailbox.conflating(key, undelivered));
    }

    private Actor<M> withMailbox(MailboxSpec<M> other) {
        return new Definition<>(factory, body, restart, failedMessage, other, keepsState);
    }

    @Override
    public Actor<M> keepState() {
        if (factory == null) {
            throw new IllegalStateException(
                    "keepState needs a handler-style actor; a loop restarts from its body");
        }
        return new Definition<>(factory, body, restart, failedMessage, mailbox, true);
    }

    /** An empty mailbox for an actor of that name. */
    Mailbox newMailbox(Object owner) {
        return Mailbox.of(owner, isRanked, maxQueued);
    }

    /** How its messages wait. */
    public MailboxOptions mailbox() {
        return mailbox.options();
    }

    @Override
    public String toString() {
        String style = factory == null ? "loop" : "handler";
        String state = keepsState ? ", keeps its state" : "";
        return style
                + ", "
                + (restart == null ? "" : restart + ", ")
                + failedMessage
                + ", "
                + mailbox
                + state;
    }
}
