package dev.ropewalk.actors.supervision;

import java.util.List;

/** Decides which children a supervisor starts again when one of them has failed, as in OTP. */
public enum Strategy {
    /** Only the failed child. */
    ONE_FOR_ONE,
    /** All: the others are stopped first, the youngest first, and all are started in order. */
    ONE_FOR_ALL,
    /** The failed child and those that were started after it, which are stopped first. */
    REST_FOR_ONE,
    /** Only the failed child; the children come and go, and are stopped side by side. */
    DYNAMIC;

    /**
     * {@return which children are started again with the failed one, in start order}
     *
     * @param <C> what stands for a child
     * @param failed one of the children
     * @param children those that may be started again, in start order
     */
    public <C> List<C> groupOf(C failed, List<C> children) {
        return switch (this) {
            case ONE_FOR_ONE, DYNAMIC -> List.of(failed);
            case ONE_FOR_ALL -> children;
            case REST_FOR_ONE -> children.subList(children.indexOf(failed), children.size());
        };
    }

    /**
     * {@return whether others are stopped with the failed child, and come up in order} Otherwise
     * the failed child is started again by itself.
     */
    public boolean isOfGroup() {
        return this == ONE_FOR_ALL || this == REST_FOR_ONE;
    }

    /** {@return whether the first of a group waits for the back-offs of all} */
    public boolean startsTogether() {
        return this == ONE_FOR_ALL;
    }

    /**
     * {@return whether the children are told to stop all at once} Otherwise each is told when the
     * one that was started after it has ended. Such children have no order, so no tree names them.
     */
    public boolean stopsSideBySide() {
        return this == DYNAMIC;
    }
}
