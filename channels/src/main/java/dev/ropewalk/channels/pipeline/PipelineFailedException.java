package dev.ropewalk.channels.pipeline;

/** Tells that a stage of a pipeline failed: which, and, as the cause, with what. */
public final class PipelineFailedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** The name of the stage that failed. */
    private final String stage;

    PipelineFailedException(String stage, Throwable cause) {
        super("stage \"" + stage + "\" failed: " + cause, cause);
        this.stage = stage;
    }

    /** {@return the name of the stage that failed} */
    public String stage() {
        return stage;
    }
}
