package dev.ropewalk.channels.pipeline;

import org.jspecify.annotations.Nullable;

/** The source of a segment's elements; used by its fiber alone. */
interface Feed {
    /**
     * The next element; null at the end. May wait.
     *
     * @param counter of the stage that asks
     * @throws EndedElsewhere if another part of the run has failed
     * @throws Exception the failure of a source
     */
    @Nullable Object next(StageCounter counter) throws Exception;

    /**
     * The segment is over: nothing more is wanted.
     *
     * @param why null if that is no failure
     */
    void end(@Nullable Throwable why);
}
