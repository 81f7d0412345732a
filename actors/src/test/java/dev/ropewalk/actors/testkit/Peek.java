package dev.ropewalk.actors.testkit;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.internal.ActorCell;
import dev.ropewalk.actors.internal.SystemCore;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;

/** Looks at what has no name in the API: whether a fiber has a stack, what an actor holds. */
public final class Peek {
    private Peek() {}

    public static boolean hasStack(Fiber<?> fiber) {
        for (Class<?> type = fiber.getClass(); type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (method.getName().equals("stack") && method.getParameterCount() == 0) {
                    return call(method, fiber) != null;
                }
            }
        }
        throw new AssertionError("a fiber no longer has a method stack()");
    }

    private static @Nullable Object call(Method method, Fiber<?> fiber) {
        try {
            method.setAccessible(true);
            return method.invoke(fiber);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("fibers or actors have changed inside", e);
        }
    }

    /** Of how many cords the snapshots of the system keep something. */
    public static int cordsOfSnapshots(ActorSystem system) {
        return core(system).snapshots().cords();
    }

    /** How many actors the next snapshot of the system is to visit. */
    public static int changedOfSnapshots(ActorSystem system) {
        return core(system).snapshots().changed();
    }

    /** The workers of a pool. */
    public static List<ActorRef<Object>> pool(ActorSystem system, String name) {
        return core(system).<Object>pool(name).members();
    }

    private static SystemCore core(ActorSystem system) {
        try {
            Field core = ActorSystem.class.getDeclaredField("core");
            core.setAccessible(true);
            return (SystemCore) core.get(system);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("actors have changed inside", e);
        }
    }

    /** Moves the virtual clock of this cord on, in the middle of a turn: nothing runs meanwhile. */
    public static void pass(Duration time) {
        try {
            Cord cord = Cord.current();
            Object platform = field(cord, "platform");
            Method timeOf = platform.getClass().getMethod("time");
            timeOf.setAccessible(true);
            Object virtual = timeOf.invoke(platform);
            Method moveOn = virtual.getClass().getMethod("moveOnTo", long.class);
            moveOn.setAccessible(true);
            moveOn.invoke(virtual, cord.nanoTime() + time.toNanos());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("fibers have changed inside", e);
        }
    }

    private static Object field(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }

    /** On the actor's cord. */
    public static int mailboxSize(ActorRef<?> actor) {
        return actor.mailbox().queued();
    }

    /** On the actor's cord. */
    public static int openAsks(ActorRef<?> actor) {
        return ((ActorCell<?>) actor.target()).openAsks();
    }
}
