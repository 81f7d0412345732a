/**
 * Sockets in blocking style on the reactor of a cord.
 *
 * <p>Run it on the class path, as {@code dev.ropewalk.fibers}.
 */
@SuppressWarnings("module") // names that end with a digit or are internal
module dev.ropewalk.fibers.io {
    requires transitive dev.ropewalk.fibers;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.common;
    requires io.netty.handler;
    requires transitive io.netty.transport;
    requires io.netty.transport.classes.epoll;
    requires static io.netty.transport.classes.io_uring;
    requires io.netty.transport.unix.common;
    requires static transitive org.jspecify;

    exports dev.ropewalk.fibers.io;
    exports dev.ropewalk.fibers.io.testing;
}
