package dev.ropewalk.fibers.internal.context;

import dev.ropewalk.fibers.Block;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.SwitchHook;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.internal.platform.SafeText;
import dev.ropewalk.fibers.internal.stack.Stacks;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

/**
 * The switch hooks of one cord, which has this only if it has some.
 *
 * <p>A fiber keeps its context when it leaves, and gets it when it comes, each on its own thread:
 * on {@link StackKind#VIRTUAL_THREAD} the root frame runs on another one. In between, the context
 * stays on the thread, because the next fiber may have the same. The thread's own context is the
 * one that it had when it became a cord.
 *
 * <p>Hooks run as no fiber and pinned, so a hook that waits or blocks switches nothing: others
 * would find a fiber here that is on its way to wait, and give it what it cannot take yet.
 *
 * <p>Confined to the cord.
 */
public final class SwitchHooks {
    private static final Log LOG = Logs.logger(SwitchHooks.class);

    private final CordImpl cord;
    private final List<Carrier<?>> carriers = new ArrayList<>();

    /** A hook, and its context on the thread before that became the cord's. */
    private static final class Carrier<T extends @Nullable Object> {
        final ContextHook<T> hook;
        private final T threadsOwn;

        Carrier(ContextHook<T> hook) {
            this.hook = hook;
            this.threadsOwn = hook.read();
        }

        void showThreadsOwn() {
            hook.show(threadsOwn);
        }
    }

    /** A context on its way to a thread that is no cord. */
    private record Carried<T extends @Nullable Object>(ContextHook<T> hook, T context) {
        static <T extends @Nullable Object> Carried<T> of(ContextHook<T> hook) {
            return new Carried<>(hook, hook.read());
        }

        void show() {
            try {
                hook.show(context);
            } catch (Throwable broken) {
                Logs.tellBroken(LOG, broken, "{} could not set the context of a call", hook);
            }
        }
    }

    private interface Step {
        void take(Carrier<?> carrier);
    }

    /** Null without hooks; this check is the whole cost for a cord without hooks. */
    public static @Nullable SwitchHooks of(CordImpl cord, List<SwitchHook<?>> hooks) {
        return hooks.isEmpty() ? null : new SwitchHooks(cord);
    }

    private SwitchHooks(CordImpl cord) {
        this.cord = cord;
    }

    /** On the thread that becomes the cord, whose root fiber begins with its context. */
    public void begin(List<SwitchHook<?>> hooks, FiberImpl<?> root) {
        for (SwitchHook<?> each : hooks) {
            ContextHook<?> hook = (ContextHook<?>) each;
            try {
                carriers.add(new Carrier<>(hook));
                hook.keep(root);
            } catch (Throwable broken) {
                report(root, hook, "read the context of " + Thread.currentThread(), broken);
            }
        }
        if (root.locals != null) {
            root.locals = root.locals.handDown(); // what it begins with, also when restarted
        }
    }

    /** The fiber is about to leave this thread, or to spin another that begins with its context. */
    public void keep(FiberImpl<?> fiber) {
        if (fiber.outcome() != null) {
            return; // abandoned while it ran
        }
        each(fiber, "read the context of", carrier -> carrier.hook.keep(fiber));
    }

    /** The fiber has come onto this thread. */
    public void show(FiberImpl<?> fiber) {
        each(fiber, "set the context of", carrier -> carrier.hook.showThatOf(fiber));
    }

    /** No fiber runs now. */
    public void showThreadsOwn() {
        each(cord.root(), "set the thread's own context beside", Carrier::showThreadsOwn);
    }

    /**
     * {@return the code, which gives the thread that runs it the contexts of the fiber that runs
     * here; the code itself on a cord without hooks}
     */
    public static <T extends @Nullable Object, X extends Exception> Block<T, X> carried(
            CordImpl here, Block<T, X> code) {
        SwitchHooks hooks = here.loop.hooks;
        FiberImpl<?> fiber = here.loop.running();
        if (hooks == null || fiber == null) {
            return code;
        }
        List<Carried<?>> contexts = new ArrayList<>();
        hooks.each(fiber, "read the context of", each -> contexts.add(Carried.of(each.hook)));
        return () -> {
            contexts.forEach(Carried::show);
            return code.run();
        };
    }

    private void each(FiberImpl<?> fiber, String what, Step step) {
        cord.loop.asNoFiber(
                () -> {
                    if (cord.stacks() == StackKind.VIRTUAL_THREAD // a hook may block
                            && Thread.currentThread().isVirtual()) {
                        Stacks.runPinned(() -> take(fiber, what, step));
                    } else {
                        take(fiber, what, step);
                    }
                });
    }

    private void take(FiberImpl<?> fiber, String what, Step step) {
        for (Carrier<?> carrier : carriers) {
            try {
                step.take(carrier);
            } catch (Throwable broken) {
                report(fiber, carrier.hook, what + " " + fiber, broken);
            }
        }
    }

    private void report(FiberImpl<?> fiber, SwitchHook<?> hook, String what, Throwable broken) {
        cord.reportUncaught(
                fiber,
                new IllegalStateException(
                        hook + " could not " + what + ": " + SafeText.of(broken), broken));
    }

    /** A fiber is being made; its parent may be the one that runs here. */
    static void beforeSpin(FiberImpl<?> parent) {
        CordImpl here = parent.cordOrNull();
        if (here != null
                && here.loop.hooks != null
                && here.isCurrent()
                && here.loop.running() == parent) {
            here.loop.hooks.keep(parent);
        }
    }
}
