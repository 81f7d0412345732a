package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.internal.reactor.ReactorKind;

import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The sockets that this run of the suite asks for. A kernel that allows no io_uring, as in many
 * containers, skips the run on it, and says so in each test. Found as a service.
 */
public final class Transport implements ExecutionCondition {
    static final String ASKED = System.getProperty("ropewalk.reactor", "epoll");

    /** Of this run. */
    static final boolean HAS_UNIX_SOCKETS = ASKED.equals("epoll");

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        Throwable why = ASKED.equals("io_uring") ? ReactorKind.IO_URING.whyUnavailable() : null;
        return why == null
                ? ConditionEvaluationResult.enabled("it can be had")
                : ConditionEvaluationResult.disabled("no io_uring here: " + why);
    }
}
