package dev.ropewalk.fibers.io;

/**
 * Makes the handler of each connection; for {@link TcpListener#serveMessages}.
 *
 * @param <M> the type of the messages
 */
@FunctionalInterface
public interface MessageService<M> {
    /**
     * Makes the handler of a client; in the fiber of the connection. It may wait, and may receive
     * and write.
     *
     * @param connection is closed behind {@link ClientHandler#end}
     * @return handles the messages of this connection
     * @throws Exception breaks this connection off
     */
    ClientHandler<M> open(MessageConnection<M> connection) throws Exception;
}
