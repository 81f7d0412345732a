package dev.ropewalk.actors.opentelemetry;

import dev.ropewalk.actors.spi.ContextCarrier;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.SwitchHook;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.TracerProvider;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.ContextStorage;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapPropagator;

/**
 * The context of OpenTelemetry on cords and between actors.
 *
 * {@snippet file="dev/ropewalk/actors/opentelemetry/TracesSnippetsTest.java" region="system"}
 *
 * <p>All methods work on any thread.
 */
public final class Traces {
    private static final Log LOG = Logs.logger(Traces.class);

    /** One for all, so that a cord has it once, whoever asks. */
    private static final SwitchHook<Context> HOOK =
            SwitchHook.of(
                    "of OpenTelemetry's context", Context.root(), Context::current, Traces::set);

    private Traces() {}

    private static void set(Context context) {
        Scope _ = ContextStorage.get().attach(context); // the next switch sets another one
    }

    /**
     * {@return the hook by which each fiber of a cord has a context of its own, see {@link
     * dev.ropewalk.fibers.CordOptions#withSwitchHooks}} Fibers begin with the context of the one
     * that spins them, and code of a blocking pool runs with that of its caller. It is always the
     * same object.
     */
    public static SwitchHook<Context> hook() {
        return HOOK;
    }

    /**
     * {@return a carrier for {@link dev.ropewalk.actors.ActorSystemOptions#withContexts}, by which
     * a message is handled in the context of its sender} It makes no spans, and so needs no SDK.
     */
    public static ContextCarrier contexts() {
        return new MessageSpans(null);
    }

    /**
     * {@return the same, with a span for each message that is handled} Its kind is {@code
     * CONSUMER}; its parent is the span in which the message was sent, and a message that was sent
     * in none begins a trace. It ends when the handler has returned or thrown; of loop style when
     * the body receives again or ends. A message that is tried again has another span.
     *
     * <p>The name is {@code process}, the class under which the actor counts, and the class of the
     * message, so there are few, and the names of actors are not among them. The attributes are
     * {@code messaging.system}, {@code messaging.operation.name}, {@code messaging.operation.type},
     * {@code messaging.destination.name} with the path of the actor, {@code ropewalk.actor.type},
     * {@code ropewalk.message.type}, and {@code error.type} if the handler threw something: the
     * class, or {@code ended} if the actor was ended in the message. An exception is recorded with
     * its text, which may name the message; otherwise contents of messages are in none.
     *
     * @param openTelemetry of the program
     */
    public static ContextCarrier spans(OpenTelemetry openTelemetry) {
        return new MessageSpans(tracer(openTelemetry));
    }

    static Tracer tracer(OpenTelemetry openTelemetry) {
        return openTelemetry.getTracer("dev.ropewalk.actors.opentelemetry");
    }

    /** One that passes nothing on is a mistake, unless all of it does nothing. */
    static void checkPropagator(
            TextMapPropagator propagator, OpenTelemetry openTelemetry, String what) {
        boolean isOff = openTelemetry.getTracerProvider() == TracerProvider.noop();
        if (propagator.fields().isEmpty() && !isOff) {
            LOG.warn(
                    "{} passes no context on: this OpenTelemetry has no propagator; give its"
                            + " builder one by setPropagators",
                    what);
        }
    }

    /** A scope would be that of all fibers of the cord. */
    static void checkHook(Object what) {
        Cord cord = Cord.current();
        if (!Waits.hasSwitchHook(cord, HOOK)) {
            throw new IllegalStateException(
                    what
                            + " was called on "
                            + cord
                            + ", which does not have Traces.hook(); start the cord with"
                            + " CordOptions.withSwitchHooks(Traces.hook())");
        }
    }
}
