package dev.ropewalk.fibers.internal.cord;

import dev.ropewalk.fibers.internal.log.RootLocal;
import dev.ropewalk.fibers.internal.platform.JvmFlags.Tie;
import dev.ropewalk.fibers.internal.stack.JdkThreads;
import dev.ropewalk.fibers.internal.stack.Stacks;

import org.jspecify.annotations.Nullable;

/**
 * Tells which cord a thread is: its stack says so, if it is a light one, which is short enough to
 * be part of every switchpoint; otherwise a thread-local. On a virtual thread that is its own one
 * if it is a portable stack, or that of its carrier if the carrier is a cord.
 */
public final class CurrentCord {
    private static final ThreadLocal<@Nullable CordImpl> LOCAL = new ThreadLocal<>();

    private static final boolean HAS_LIGHT_STACKS = Stacks.hasLight();
    private static final boolean HAS_CARRIERS = Tie.SCHEDULED_THREADS.isThere();

    /** The driver of cords on this thread in turns: no wait of the thread itself would ever end. */
    private static final RootLocal<Object> DRIVER = new RootLocal<>();

    /**
     * Set before the first portable stack is made, whose thread thus finds it. Where there are
     * none, no virtual thread is asked, because to ask makes it keep an empty answer.
     */
    private static boolean hasPortableStacks;

    private CurrentCord() {}

    /** Null if nothing drives cords here. */
    public static @Nullable Object driver() {
        return DRIVER.get();
    }

    public static void driver(@Nullable Object now) {
        DRIVER.set(now);
    }

    /** On a light stack, where it is always the current one; null elsewhere. */
    static @Nullable CordImpl ofLightStack() {
        return HAS_LIGHT_STACKS ? (CordImpl) Stacks.ownerOfMountedLight() : null;
    }

    /** Of the carrier of a virtual thread, also if the cord runs that as no fiber. */
    public static @Nullable CordImpl ofCarrier() {
        return HAS_CARRIERS ? JdkThreads.ofCarrier(LOCAL) : null;
    }

    /** Null on a thread that is one of a cord's but does not run as the cord now. */
    static @Nullable CordImpl ofThread() {
        CordImpl cord = Thread.currentThread().isVirtual() ? ofVirtualThread() : LOCAL.get();
        return cord == null || cord.isCurrent() ? cord : null;
    }

    private static @Nullable CordImpl ofVirtualThread() {
        CordImpl ofStack = hasPortableStacks ? LOCAL.get() : null;
        return ofStack == null ? ofCarrier() : ofStack;
    }

    static void set(CordImpl cord) {
        LOCAL.set(cord);
    }

    static void remove() {
        LOCAL.remove();
    }

    /** A cord will have portable stacks. */
    static void expectPortableStacks() {
        hasPortableStacks = true;
    }
}
