/** A page that shows a running process. Run it on the class path. */
module dev.ropewalk.actors.observer {
    requires transitive dev.ropewalk.actors;
    requires transitive dev.ropewalk.fibers.io;
    requires dev.ropewalk.channels.http;
    requires static transitive org.jspecify;

    exports dev.ropewalk.actors.observer;
}
