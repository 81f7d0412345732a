package dev.ropewalk.channels;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/** What channels show to nobody: how many stand in their waiting lines. */
final class Inside {
    private static final VarHandle SENDERS;
    private static final VarHandle RECEIVERS;
    private static final VarHandle FIRST;

    static {
        try {
            MethodHandles.Lookup here = MethodHandles.lookup();
            MethodHandles.Lookup queue = MethodHandles.privateLookupIn(QueueChannel.class, here);
            SENDERS = queue.findVarHandle(QueueChannel.class, "senders", WaitingLine.class);
            RECEIVERS = queue.findVarHandle(QueueChannel.class, "receivers", WaitingLine.class);
            FIRST =
                    MethodHandles.privateLookupIn(WaitingLine.class, here)
                            .findVarHandle(WaitingLine.class, "first", Party.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private Inside() {}

    static int waiting(Channel<?> channel) {
        QueueChannel<?> queue = (QueueChannel<?>) channel;
        queue.enter();
        try {
            return size(line(SENDERS.get(queue))) + size(line(RECEIVERS.get(queue)));
        } finally {
            queue.exit();
        }
    }

    static int size(WaitingLine<?> line) {
        int size = 0;
        for (@Nullable Party<?> party = (Party<?>) FIRST.get(line);
                party != null;
                party = party.next) {
            size++;
        }
        return size;
    }

    private static WaitingLine<?> line(@Nullable Object line) {
        return (WaitingLine<?>) Objects.requireNonNull(line);
    }
}
