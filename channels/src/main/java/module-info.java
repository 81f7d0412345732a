/** Channels between fibers. Run it on the class path, like {@code dev.ropewalk.fibers}. */
module dev.ropewalk.channels {
    requires transitive dev.ropewalk.fibers;
    requires static transitive org.jspecify;

    exports dev.ropewalk.channels;
    exports dev.ropewalk.channels.broadcast;
    exports dev.ropewalk.channels.flow;
    exports dev.ropewalk.channels.pipeline;
    exports dev.ropewalk.channels.select;
}
