/** The numbers of a program for Micrometer. Run it on the class path. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Micrometer is one
module dev.ropewalk.actors.micrometer {
    requires transitive dev.ropewalk.actors;
    requires transitive micrometer.core;
    requires static transitive org.jspecify;

    exports dev.ropewalk.actors.micrometer;
}
