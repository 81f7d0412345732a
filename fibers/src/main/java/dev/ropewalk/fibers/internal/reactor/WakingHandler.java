package dev.ropewalk.fibers.internal.reactor;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;

/**
 * Says when a wait is over, before anything is handled that has come: handlers run then, inside the
 * wait of a cord that sleeps, and one that blocks there is not to be taken for sleep (rule F13).
 *
 * <p>Each of Netty's three asks, after it has waited and before it handles, whether the time of
 * handling is to be reported; it does not ask before it waits. That question is the place for it.
 *
 * <p>Confined to the reactor's thread, except {@link #wakeup}.
 */
final class WakingHandler implements IoHandler {
    private final IoHandler handler;
    private final Waking waking;

    private WakingHandler(IoHandler handler, Runnable wakes) {
        this.handler = handler;
        this.waking = new Waking(wakes);
    }

    /**
     * Of the handlers of another factory.
     *
     * @param wakes run by each turn of the handler, once or twice, when its wait, if there was one,
     *     is over
     */
    static IoHandlerFactory newFactory(IoHandlerFactory factory, Runnable wakes) {
        return executor -> new WakingHandler(factory.newHandler(executor), wakes);
    }

    @Override
    public int run(IoHandlerContext context) {
        waking.context = context;
        int handled = handler.run(waking);
        waking.wakes.run(); // where nothing has come but tasks, which run now
        return handled;
    }

    /** The loop's own context, and the place. */
    private static final class Waking implements IoHandlerContext {
        private static final IoHandlerContext NONE =
                new IoHandlerContext() {
                    @Override
                    public boolean canBlock() {
                        return false;
                    }

                    @Override
                    public long delayNanos(long nowNs) {
                        return 0;
                    }

                    @Override
                    public long deadlineNanos() {
                        return -1;
                    }
                };

        private final Runnable wakes;
        private IoHandlerContext context = NONE;

        Waking(Runnable wakes) {
            this.wakes = wakes;
        }

        @Override
        public boolean shouldReportActiveIoTime() {
            wakes.run();
            return context.shouldReportActiveIoTime();
        }

        @Override
        public void reportActiveIoTime(long ns) {
            context.reportActiveIoTime(ns);
        }

        @Override
        public boolean canBlock() {
            return context.canBlock();
        }

        @Override
        public long delayNanos(long nowNs) {
            return context.delayNanos(nowNs);
        }

        @Override
        public long deadlineNanos() {
            return context.deadlineNanos();
        }
    }

    @Override
    public void initialize() {
        handler.initialize();
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return handler.register(handle);
    }

    @Override
    public void prepareToDestroy() {
        handler.prepareToDestroy();
    }

    @Override
    public void destroy() {
        handler.destroy();
    }

    @Override
    public void wakeup() {
        handler.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
        return handler.isCompatible(type);
    }
}
