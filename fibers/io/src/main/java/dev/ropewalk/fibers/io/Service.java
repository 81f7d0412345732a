package dev.ropewalk.fibers.io;

/** A server's work with one connection; for {@link TcpListener#serve}. */
@FunctionalInterface
public interface Service {
    /**
     * Serves a client; in a fiber of its own.
     *
     * @param connection is closed when this returns
     * @throws Exception breaks this connection off
     */
    void serve(TcpConnection connection) throws Exception;
}
