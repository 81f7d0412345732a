/** Actors on fibers. Run it on the class path, like {@code dev.ropewalk.fibers}. */
module dev.ropewalk.actors {
    requires transitive dev.ropewalk.fibers;
    requires static transitive org.jspecify;
    requires jdk.jfr;

    exports dev.ropewalk.actors;
    exports dev.ropewalk.actors.observe;
    exports dev.ropewalk.actors.routing;
    exports dev.ropewalk.actors.server;
    exports dev.ropewalk.actors.spi;
    exports dev.ropewalk.actors.supervision;
    exports dev.ropewalk.actors.testing;
}
