package dev.ropewalk.actors.internal.routing;

import org.jspecify.annotations.Nullable;

/** All members. */
public final class ToAll<M> implements Choice<M> {
    private final boolean takesFirstReply;

    public ToAll(boolean takesFirstReply) {
        this.takesFirstReply = takesFirstReply;
    }

    /** Of an ask; otherwise an ask is an error. */
    boolean takesFirstReply() {
        return takesFirstReply;
    }

    @Override
    public Member<M> choose(Roster<M> roster, @Nullable M message) {
        throw new IllegalStateException("all are chosen");
    }

    @Override
    public ToAll<M> toAll() {
        return this;
    }
}
