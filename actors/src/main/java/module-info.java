/** Actors on fibers. Run it on the class path, like {@code dev.ropewalk.fibers}. */
@SuppressWarnings("module") // of those that come later
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
    exports dev.ropewalk.actors.internal to
            dev.ropewalk.actors.testing;
    exports dev.ropewalk.actors.internal.behavior to
            dev.ropewalk.actors.testing;
    exports dev.ropewalk.actors.internal.observe to
            dev.ropewalk.actors.testing;
    exports dev.ropewalk.actors.internal.sending to
            dev.ropewalk.actors.testing;
}
