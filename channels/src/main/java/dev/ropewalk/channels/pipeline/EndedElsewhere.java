package dev.ropewalk.channels.pipeline;

/** Ends a segment whose run has failed in another one, which has told why. */
final class EndedElsewhere extends Exception {
    private static final long serialVersionUID = 1L;

    EndedElsewhere() {
        super("the run ended elsewhere", null, false, false);
    }
}
