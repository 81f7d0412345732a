package dev.ropewalk.fibers.internal.reactor;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;

import org.jspecify.annotations.Nullable;

/**
 * Netty's epoll, with registrations that come back.
 *
 * <p>A socket of which no event is wanted for now must leave the epoll set: the kernel tells the
 * end of both its halves whether it is asked to or not, and the loop would never sleep again. Netty
 * 4.2.18 takes it out, and forgets that it has: the next event that is wanted fails with ENOENT,
 * and with it the connection. So a half-closed connection whose reader pauses, or that writes more
 * than the kernel takes at once, was lost. Here it is registered anew in that case.
 *
 * <p>Confined to the reactor's thread, except {@link #wakeup}.
 */
final class EpollHandler implements IoHandler {
    private final IoHandler epoll;

    private EpollHandler(IoHandler epoll) {
        this.epoll = epoll;
    }

    static IoHandlerFactory newFactory() {
        IoHandlerFactory netty = EpollIoHandler.newFactory();
        return executor -> new EpollHandler(netty.newHandler(executor));
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        return new Registration(handle, epoll.register(handle));
    }

    /**
     * The registration of one socket: passes calls on to Netty's current one, unless it is dormant.
     */
    private final class Registration implements IoRegistration {
        private final IoHandle handle;
        private IoRegistration current;

        /** The current one has been cancelled, because no event was wanted. */
        private boolean isDormant;

        private volatile boolean isCancelled;

        Registration(IoHandle handle, IoRegistration first) {
            this.handle = handle;
            this.current = first;
        }

        @Override
        public long submit(IoOps ops) {
            if (isCancelled) {
                return -1;
            }
            if (((EpollIoOps) ops).value() == EpollIoOps.NONE.value()) {
                if (!isDormant) {
                    isDormant = true;
                    current.cancel();
                }
                return 0;
            }
            if (isDormant) {
                current = registerAgain();
                isDormant = false;
            }
            return current.submit(ops);
        }

        private IoRegistration registerAgain() {
            try {
                return epoll.register(handle);
            } catch (Exception failed) {
                throw new IllegalStateException(handle + " cannot be registered again", failed);
            }
        }

        @Override
        public boolean isValid() {
            return !isCancelled;
        }

        @Override
        public boolean cancel() {
            if (isCancelled) {
                return false;
            }
            isCancelled = true;
            if (!isDormant) {
                current.cancel();
            }
            return true;
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // as Netty declares it
        public <T extends @Nullable Object> T attachment() {
            return current.attachment();
        }
    }

    @Override
    public void initialize() {
        epoll.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
        return epoll.run(context);
    }

    @Override
    public void prepareToDestroy() {
        epoll.prepareToDestroy();
    }

    @Override
    public void destroy() {
        epoll.destroy();
    }

    @Override
    public void wakeup() {
        epoll.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
        return epoll.isCompatible(type);
    }
}
