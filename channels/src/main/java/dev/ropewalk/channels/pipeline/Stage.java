package dev.ropewalk.channels.pipeline;

/** What a segment passes elements to: one of its steps, or its end. */
abstract class Stage {
    /**
     * Does what it does with an element, and passes on what that makes.
     *
     * @return false if nothing more is wanted behind the segment
     */
    abstract boolean accept(Object element) throws Exception;
}
