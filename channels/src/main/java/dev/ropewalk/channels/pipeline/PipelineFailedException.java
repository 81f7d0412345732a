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

    private PipelineFailedException(String message, String stage, Throwable cause) {
        super(message, cause);
        this.stage = stage;
    }

    /** Of a stage that is not needed any more; the run goes on without it. */
    static PipelineFailedException ofUnwanted(String stage, Throwable cause) {
        return new PipelineFailedException(
                "stage \""
                        + stage
                        + "\" failed as it was stopped, because nothing more was wanted of it; the"
                        + " result of the run is kept: "
                        + cause,
                stage,
                cause);
    }

    /** {@return the name of the stage that failed} */
    public String stage() {
        return stage;
    }
}
