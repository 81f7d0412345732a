package dev.ropewalk.channels.http;

/**
 * Tells that a request cannot be answered as it was meant: a {@link HttpHandler} that throws it
 * answers with its status, and its message as the text.
 */
public final class HttpException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** 400 to 599. */
    private final int status;

    /**
     * One with a status.
     *
     * @param status 400 to 599
     * @param message shown to the client
     * @throws IllegalArgumentException if that is not the status of an error
     */
    public HttpException(int status, String message) {
        super(message);
        if (status < 400 || status > 599) {
            throw new IllegalArgumentException(
                    "status=" + status + " is not the status of an error, 400 to 599");
        }
        this.status = status;
    }

    /** {@return 400 to 599} */
    public int status() {
        return status;
    }
}
