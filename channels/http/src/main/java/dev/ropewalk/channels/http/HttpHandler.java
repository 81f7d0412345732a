package dev.ropewalk.channels.http;

/** Answers requests; called by the fiber of the connection, so it may wait. */
@FunctionalInterface
public interface HttpHandler {
    /**
     * Answers a request. What it did not read of the request's body is dropped.
     *
     * @param request what the client asks
     * @return the answer
     * @throws HttpException answers with its status
     * @throws Exception any other answers with 500, and is logged
     */
    HttpResponse handle(HttpRequest request) throws Exception;
}
