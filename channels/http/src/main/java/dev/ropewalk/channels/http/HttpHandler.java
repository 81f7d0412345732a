package dev.ropewalk.channels.http;

/** Answers requests; called by the fiber of the connection, so it may wait. */
@FunctionalInterface
public interface HttpHandler {
    /**
     * Answers a request. The request's body may be received until the answer is complete, also by
     * the source of the answer; the rest is dropped then, and a fiber that still receives gets a
     * {@link dev.ropewalk.fibers.spi.ClosedException} with a cause.
     *
     * <p>A body that the client does not want, as after HEAD or with 204, 205 and 304, is
     * cancelled. A fiber that fails only because of this ends alone; a fiber that fails for another
     * reason breaks the connection off.
     *
     * @param request what the client asks
     * @return the answer
     * @throws HttpException answers with its status
     * @throws Exception any other answers with 500, and is logged
     */
    HttpResponse handle(HttpRequest request) throws Exception;
}
