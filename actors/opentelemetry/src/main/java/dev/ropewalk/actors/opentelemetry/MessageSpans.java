package dev.ropewalk.actors.opentelemetry;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.spi.ContextCarrier;
import dev.ropewalk.fibers.SwitchHook;
import dev.ropewalk.fibers.internal.dump.ClassNames;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;

import org.jspecify.annotations.Nullable;

/** The context of each message that is handled, and maybe a span. */
final class MessageSpans implements ContextCarrier {
    private static final String OPERATION = "process";

    private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");

    private static final AttributeKey<String> OPERATION_NAME =
            AttributeKey.stringKey("messaging.operation.name");

    private static final AttributeKey<String> OPERATION_TYPE =
            AttributeKey.stringKey("messaging.operation.type");

    private static final AttributeKey<String> DESTINATION =
            AttributeKey.stringKey("messaging.destination.name");

    private static final AttributeKey<String> ACTOR_TYPE =
            AttributeKey.stringKey("ropewalk.actor.type");

    private static final AttributeKey<String> MESSAGE_TYPE =
            AttributeKey.stringKey("ropewalk.message.type");

    /** Null if messages have no spans. */
    private final @Nullable Tracer tracer;

    MessageSpans(@Nullable Tracer tracer) {
        this.tracer = tracer;
    }

    @Override
    public SwitchHook<Context> switchHook() {
        return Traces.hook();
    }

    @Override
    public @Nullable Object current() {
        Context here = Context.current();
        return here == Context.root() ? null : here;
    }

    @Override
    @SuppressWarnings("MustBeClosedChecker") // closed at the end of the message
    public Handling begin(
            ActorRef<?> actor, String type, Object message, @Nullable Object context) {
        Context parent = context instanceof Context sent ? sent : Context.root();
        Span span = tracer == null ? null : span(tracer, actor, type, message, parent);
        return new Handled(span, (span == null ? parent : parent.with(span)).makeCurrent());
    }

    private static Span span(
            Tracer tracer, ActorRef<?> actor, String type, Object message, Context parent) {
        String messageType = ClassNames.of(message.getClass());
        return tracer.spanBuilder(
                        OPERATION
                                + " "
                                + ClassNames.withoutPackage(type)
                                + " "
                                + ClassNames.withoutPackage(messageType))
                .setParent(parent)
                .setSpanKind(SpanKind.CONSUMER)
                .setAttribute(SYSTEM, "ropewalk")
                .setAttribute(OPERATION_NAME, OPERATION)
                .setAttribute(OPERATION_TYPE, OPERATION)
                .setAttribute(DESTINATION, actor.path())
                .setAttribute(ACTOR_TYPE, type)
                .setAttribute(MESSAGE_TYPE, messageType)
                .startSpan();
    }

    @Override
    public String toString() {
        return tracer == null ? "Traces.contexts()" : "Traces.spans()";
    }

    /**
     * One message in hand.
     *
     * @param span null if there is none
     */
    private record Handled(@Nullable Span span, Scope scope) implements Handling {
        @Override
        public void end(@Nullable Throwable failure) {
            try {
                if (span != null) {
                    Failures.end(span, failure);
                }
            } finally {
                scope.close();
            }
        }

        @Override
        public void abandon() {
            if (span != null) {
                Failures.abandoned(span);
            }
        }
    }
}
