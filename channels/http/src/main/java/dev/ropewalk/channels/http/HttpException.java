package dev.ropewalk.channels.http;

/**
 * Tells that a request cannot be answered as it was meant: a {@link HttpHandler} that throws it
 * answers with its status, and its message as the text.
 */
public final class HttpException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** 400 to 599. */
    private final int status;

    /** The answer of another server is refused: not for the client to be told. */
    private final boolean isOfResponse;

    /**
     * Made with a status.
     *
     * @param status 400 to 599
     * @param message shown to the client
     * @throws IllegalArgumentException if that is not the status of an error
     */
    public HttpException(int status, String message) {
        this(status, message, false);
    }

    HttpException(int status, String message, boolean isOfResponse) {
        super(message);
        this.isOfResponse = isOfResponse;
        if (status < 400 || status > 599) {
            throw new IllegalArgumentException(
                    "status=" + status + " is not the status of an error, 400 to 599");
        }
        this.status = status;
    }

    /**
     * {@return whether it tells of a response that this program got from another server} A handler
     * that throws such a one answers with 500, and its message is not told.
     */
    public boolean isOfResponse() {
        return isOfResponse;
    }

    /** {@return 400 to 599} */
    public int status() {
        return status;
    }
}
