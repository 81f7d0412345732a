package dev.ropewalk.actors.opentelemetry;

import dev.ropewalk.fibers.spi.Waits;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.StatusCode;

import org.jspecify.annotations.Nullable;

/** How spans end. */
final class Failures {
    private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");

    private Failures() {}

    /** With the failure; null for none. A signal to end is no exception of the program. */
    static void end(Span span, @Nullable Throwable failure) {
        if (failure != null && Waits.isSignal(failure)) {
            ended(span, "its fiber was ended");
        } else if (failure != null) {
            span.setAttribute(ERROR_TYPE, failure.getClass().getName());
            span.setStatus(StatusCode.ERROR);
            record(span, failure);
        }
        span.end();
    }

    /** Asks the failure for its text, which is code of the program. */
    private static void record(Span span, Throwable failure) {
        try {
            span.recordException(failure);
        } catch (RuntimeException | StackOverflowError broken) {
            span.addEvent("the exception cannot be told: " + broken.getClass().getName());
        }
    }

    /** The fiber of the span is over, which has not come to its end. */
    static void abandoned(Span span) {
        ended(span, "its fiber was given up");
        span.end();
    }

    /** The handler has not come to its end. */
    private static void ended(Span span, String how) {
        span.setAttribute(ERROR_TYPE, "ended");
        span.setStatus(StatusCode.ERROR, how);
    }

    /** The answer says of itself that something went wrong. */
    static void status(Span span, int status) {
        span.setAttribute(ERROR_TYPE, String.valueOf(status));
        span.setStatus(StatusCode.ERROR);
    }
}
