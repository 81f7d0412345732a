/** Traces of OpenTelemetry. Run it on the class path, like {@code dev.ropewalk.fibers}. */
@SuppressWarnings({
    "module",
    "requires-automatic",
    "requires-transitive-automatic"
}) // OpenTelemetry
module dev.ropewalk.actors.opentelemetry {
    requires transitive dev.ropewalk.actors;
    requires transitive io.opentelemetry.api;
    requires transitive io.opentelemetry.context;
    requires static transitive dev.ropewalk.actors.cluster;
    requires static transitive dev.ropewalk.channels.http;
    requires static transitive org.jspecify;

    exports dev.ropewalk.actors.opentelemetry;
}
