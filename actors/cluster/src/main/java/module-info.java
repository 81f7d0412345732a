/** Actors of several processes. Run it on the class path, like {@code dev.ropewalk.fibers}. */
@SuppressWarnings({"module", "requires-automatic", "requires-transitive-automatic"}) // Kryo is one
module dev.ropewalk.actors.cluster {
    requires transitive dev.ropewalk.actors;
    requires transitive dev.ropewalk.fibers.io;
    requires transitive com.esotericsoftware.kryo;
    requires java.naming;
    requires jdk.jfr;
    requires static transitive org.jspecify;

    exports dev.ropewalk.actors.cluster;
    exports dev.ropewalk.actors.cluster.entity;
    exports dev.ropewalk.actors.cluster.store;
    exports dev.ropewalk.actors.cluster.testing;
    exports dev.ropewalk.actors.cluster.internal.store to
            dev.ropewalk.actors.cluster.jdbc,
            dev.ropewalk.actors.cluster.ratis;
}
