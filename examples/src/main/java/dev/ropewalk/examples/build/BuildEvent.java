package dev.ropewalk.examples.build;

/** What happens in a build, as its bus tells it. */
sealed interface BuildEvent {
    /** A moment at which a progress line may be drawn again. */
    record Tick() implements BuildEvent {}

    /** All is over. */
    record Ended(Summary summary) implements BuildEvent {}

    /** Happens to one task. */
    sealed interface TaskEvent extends BuildEvent {
        /** Its name. */
        String task();
    }

    /** It has its slot, and begins. */
    record Started(String task) implements TaskEvent {}

    /** A line that its commands wrote. */
    record Line(String task, String text) implements TaskEvent {}

    /**
     * It is built.
     *
     * @param cutLines how many lines of output were left out
     */
    record Finished(String task, long ms, long cutLines) implements TaskEvent {}

    /**
     * A command failed, and those behind it were not run.
     *
     * @param cutLines how many lines of output were left out
     * @param why for people
     */
    record Failed(String task, long ms, long cutLines, String command, String why)
            implements TaskEvent {}

    /**
     * It is not built, and no command of it failed.
     *
     * @param why for people
     */
    record Skipped(String task, String why) implements TaskEvent {}
}
