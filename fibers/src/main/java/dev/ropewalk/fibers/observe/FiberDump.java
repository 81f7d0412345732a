package dev.ropewalk.fibers.observe;

import dev.ropewalk.fibers.FiberState;

import org.jspecify.annotations.Nullable;

import java.util.List;

/**
 * One fiber in a {@link CordDump}.
 *
 * @param id the fiber's number
 * @param name its name
 * @param depth how many of the fibers in this dump are above it: 0 for the root and for foreign
 *     children
 * @param parent the parent's number; 0 for the root
 * @param isForeignChild whether the parent is on another cord
 * @param state where the fiber is in its life
 * @param waitKind how it waits: {@code suspend} for a schedule by any caller, {@code library} for
 *     the given reason, {@code blocked in jdk} in a call of the JDK that blocks, {@code handler}
 *     between two turns; null if it does not wait
 * @param reason what it waits for, as one line; null if it does not wait
 * @param awaits names of the fibers that it waits for, as far as that is known: the fiber that it
 *     awaits, the holder of the thing that it waits for, or, if it is ending, its children; some at
 *     most
 * @param pending what its next switchpoint throws, a termination for example; null if nothing
 * @param children how many children it has, those on other cords included
 * @param time how often and how long it ran; null unless that is switched on
 * @param stack where it waits or runs, the innermost frame first; empty if it has no stack, or the
 *     dump has enough of them
 */
public record FiberDump(
        long id,
        String name,
        int depth,
        long parent,
        boolean isForeignChild,
        FiberState state,
        @Nullable String waitKind,
        @Nullable String reason,
        List<String> awaits,
        @Nullable String pending,
        int children,
        @Nullable FiberTime time,
        List<StackTraceElement> stack) {
    /** Copies the lists. */
    public FiberDump {
        awaits = List.copyOf(awaits);
        stack = List.copyOf(stack);
    }
}
