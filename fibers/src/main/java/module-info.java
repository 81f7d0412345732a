/**
 * Fibers on cords, and what is built directly on them. The packages below {@code internal} are not
 * exported: their public members are for each other.
 *
 * <p>Run it on the class path: the flags of {@code ropewalk.args} open packages of the JDK to the
 * unnamed module.
 */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic", "module"}) // Agrona
module dev.ropewalk.fibers {
    requires io.netty.common;
    requires io.netty.transport;
    requires io.netty.transport.classes.epoll;
    requires static io.netty.transport.classes.io_uring;
    requires java.management;
    requires jdk.jfr;
    requires org.agrona;
    requires static transitive org.jspecify;
    requires org.slf4j;

    uses org.slf4j.spi.SLF4JServiceProvider; // to see whether there is one

    exports dev.ropewalk.fibers;
    exports dev.ropewalk.fibers.blocking;
    exports dev.ropewalk.fibers.coroutine;
    exports dev.ropewalk.fibers.metrics;
    exports dev.ropewalk.fibers.observe;
    exports dev.ropewalk.fibers.recurring;
    exports dev.ropewalk.fibers.scheduler;
    exports dev.ropewalk.fibers.spi;
    exports dev.ropewalk.fibers.supervision;
    exports dev.ropewalk.fibers.sync;
    exports dev.ropewalk.fibers.testing;
    exports dev.ropewalk.fibers.internal.boot to
            dev.ropewalk.actors;
    exports dev.ropewalk.fibers.internal.io to
            dev.ropewalk.fibers.io;
    exports dev.ropewalk.fibers.internal.dump to
            dev.ropewalk.actors,
            dev.ropewalk.actors.cluster,
            dev.ropewalk.actors.observer,
            dev.ropewalk.actors.opentelemetry;
    exports dev.ropewalk.fibers.internal.log to
            dev.ropewalk.actors,
            dev.ropewalk.actors.cluster,
            dev.ropewalk.actors.cluster.jdbc,
            dev.ropewalk.actors.cluster.ratis,
            dev.ropewalk.actors.micrometer,
            dev.ropewalk.actors.opentelemetry,
            dev.ropewalk.channels,
            dev.ropewalk.channels.http,
            dev.ropewalk.fibers.io;
    exports dev.ropewalk.fibers.internal.report to
            dev.ropewalk.actors.observer;
    exports dev.ropewalk.fibers.internal.reactor to
            dev.ropewalk.fibers.io;
}
