package dev.ropewalk.channels.pipeline;

/** The receiver of a segment's elements: one of its steps, or its end. */
abstract class Stage {
    /**
     * Handles an element, and passes on the result.
     *
     * @return false if nothing more is wanted behind the segment
     */
    abstract boolean accept(Object element) throws Exception;

    /** The same, and measures the time of its step and of those behind it that are in step. */
    abstract boolean sample(Object element) throws Exception;

    /**
     * One of the two: for a caller that does not pass on each element it gets, so that the stage
     * has got fewer of them, or more, than those before it.
     */
    abstract boolean pass(Object element) throws Exception;
}
