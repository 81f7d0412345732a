/**
 * HTTP/1.1 on sockets of fibers.
 *
 * <p>Run it on the class path, as {@code dev.ropewalk.fibers}.
 */
module dev.ropewalk.channels.http {
    requires transitive dev.ropewalk.channels;
    requires transitive dev.ropewalk.fibers.io;
    requires io.netty.buffer;
    requires io.netty.codec;
    requires io.netty.codec.http;
    requires io.netty.common;
    requires io.netty.transport;
    requires static transitive org.jspecify;

    exports dev.ropewalk.channels.http;
}
