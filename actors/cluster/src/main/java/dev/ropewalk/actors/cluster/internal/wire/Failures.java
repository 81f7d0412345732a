package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.cluster.RemoteFailure;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * Failures on the wire: class, message, frames and causes, about {@link #MAX_BYTES} together, so
 * that a report of a failure has a bound whatever was thrown.
 */
public final class Failures {
    private static final int MAX_BYTES = 16 * 1024;
    private static final int MAX_CAUSES = 8;
    private static final int MAX_TEXT = 2 * 1024;

    private Failures() {}

    /** Also of an exception whose own methods throw. */
    public static void write(Output to, Throwable failure) {
        int end = to.position() + MAX_BYTES;
        Throwable each = failure;
        for (int i = 0; each != null && i < MAX_CAUSES && to.position() < end; i++) {
            writeOne(to, each, end);
            each = causeOf(each);
        }
        to.writeBoolean(false);
    }

    private static void writeOne(Output to, Throwable failure, int end) {
        to.writeBoolean(true);
        if (failure instanceof RemoteFailure far) {
            Text.write(to, cut(far.className()));
            Text.write(to, cut(far.text()));
        } else {
            Text.write(to, cut(failure.getClass().getName()));
            Text.write(to, cut(textOf(failure)));
        }
        for (StackTraceElement frame : framesOf(failure)) {
            if (to.position() >= end) {
                break;
            }
            to.writeBoolean(true);
            Text.write(to, cut(frame.getClassName()));
            Text.write(to, cut(frame.getMethodName()));
            Text.write(to, cut(frame.getFileName()));
            to.writeVarInt(frame.getLineNumber(), false);
        }
        to.writeBoolean(false);
    }

    private static @Nullable String cut(@Nullable String text) {
        return text == null || text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
    }

    private static @Nullable String textOf(Throwable failure) {
        try {
            return failure.getMessage();
        } catch (Throwable broken) {
            return "its message cannot be read: " + broken.getClass().getName();
        }
    }

    private static @Nullable Throwable causeOf(Throwable failure) {
        try {
            return failure.getCause();
        } catch (Throwable broken) {
            return null;
        }
    }

    private static StackTraceElement[] framesOf(Throwable failure) {
        try {
            return failure.getStackTrace();
        } catch (Throwable broken) {
            return new StackTraceElement[0];
        }
    }

    /**
     * Reads one.
     *
     * @throws KryoException if there is none
     */
    public static RemoteFailure read(WireInput from) {
        if (!from.readBoolean()) {
            throw new KryoException("a failure has no class");
        }
        List<Parts> chain = new ArrayList<>();
        do {
            if (chain.size() == MAX_CAUSES) {
                throw new KryoException("a failure has more than " + MAX_CAUSES + " causes");
            }
            chain.add(readOne(from));
        } while (from.readBoolean());
        RemoteFailure made = null;
        for (Parts each : chain.reversed()) {
            made = new RemoteFailure(each.className, each.text, made, each.frames);
        }
        return java.util.Objects.requireNonNull(made);
    }

    private record Parts(
            String className,
            @Nullable String text,
            @SuppressWarnings("ArrayRecordComponent") StackTraceElement[] frames) {}

    private static Parts readOne(WireInput from) {
        String className = Text.readSome(from);
        String text = Text.read(from);
        List<StackTraceElement> frames = new ArrayList<>();
        while (from.readBoolean()) {
            frames.add(
                    new StackTraceElement(
                            Text.readSome(from),
                            Text.readSome(from),
                            Text.read(from),
                            from.readVarInt(false)));
        }
        return new Parts(className, text, frames.toArray(StackTraceElement[]::new));
    }
}
