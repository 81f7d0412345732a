package dev.ropewalk.fibers.internal.reactor;

import dev.ropewalk.fibers.internal.log.Logs;

import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.channel.uring.IoUringIoHandler;
import io.netty.channel.uring.IoUringIoOps;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Netty's io_uring, whose sockets are over before the ring is.
 *
 * <p>Mended here, of Netty 4.2.18:
 *
 * <ul>
 *   <li>It ends a ring by a request that the kernel begins when all before it are done. A request
 *       that is never done, such as the poll of a socket whose close is still on its way, holds up
 *       the last one and all that come after it. Among them is the read of the loop's own wake-up,
 *       for which the end then waits for ever. The descriptor of a listener that was closed right
 *       before leaks. So the sockets are closed first, and the ring runs until each of them has no
 *       request in the kernel any more.
 *   <li>A socket that is closed while it handles its input polls for more, after its polls were
 *       cancelled. That poll holds the socket open in the kernel: the other side never hears of the
 *       close. So each poll that is left when the descriptor is closed is cancelled then.
 *   <li>A poll that goes on by itself tells of changes alone, and the transport reads until the
 *       socket is empty, which is before the error: the reset of a connection whose reader pauses
 *       was lost. So polls are of one event.
 * </ul>
 *
 * <p>Confined to the reactor's thread, except {@link #wakeup}.
 */
final class UringHandler implements IoHandler {
    /** How long one turn waits for the sockets: its events come without a wake-up. */
    private static final long TURN_NS = TimeUnit.MILLISECONDS.toNanos(1);

    /** How many turns they may take; only a kernel that does not answer needs them all. */
    private static final int MAX_TURNS = 2_000;

    /** Read by Netty once. */
    private static final String MULTISHOT = "io.netty.iouring.pollAddMultishotEnabled";

    /** Waits for completions, for {@link #TURN_NS} at most. */
    private static final IoHandlerContext SHORT_TURN =
            new IoHandlerContext() {
                @Override
                public boolean canBlock() {
                    return true;
                }

                @Override
                public long delayNanos(long nowNs) {
                    return TURN_NS;
                }

                // There is a deadline, but the ring does not read it.
                @Override
                public long deadlineNanos() {
                    return Long.MAX_VALUE;
                }
            };

    private final IoHandler ring;

    /** The sockets that may have requests in the kernel. */
    private final Set<Socket> open = new LinkedHashSet<>();

    private UringHandler(IoHandler ring) {
        this.ring = ring;
    }

    static @Nullable Throwable whyUnavailable() {
        System.setProperty(MULTISHOT, "false"); // in time, unless Netty's classes are loaded
        Throwable why = IoUring.unavailabilityCause();
        return why == null && IoUring.isPollAddMultishotEnabled()
                ? new IllegalStateException(
                        "something else has used Netty's io_uring before; start the process with -D"
                                + MULTISHOT
                                + "=false")
                : why;
    }

    /** Of a kind that {@linkplain #whyUnavailable can be had}. */
    static IoHandlerFactory newFactory() {
        IoHandlerFactory netty = IoUringIoHandler.newFactory();
        return executor -> new UringHandler(netty.newHandler(executor));
    }

    @Override
    public IoRegistration register(IoHandle handle) throws Exception {
        Socket socket = new Socket((IoUringIoHandle) handle);
        socket.registration = ring.register(socket);
        open.add(socket);
        return socket;
    }

    /** Closes the sockets that are left, and awaits their end. */
    @Override
    public void prepareToDestroy() {
        List<Socket> left = new ArrayList<>(open);
        left.forEach(Socket::closeQuietly);
        for (int turns = 0; !open.isEmpty() && turns < MAX_TURNS; turns++) {
            ring.run(SHORT_TURN);
        }
        if (!open.isEmpty()) {
            Logs.logger(UringHandler.class)
                    .warn(
                            "a reactor of io_uring ends with sockets={} that the kernel has not"
                                    + " let go in {} turns",
                            open.size(),
                            MAX_TURNS);
        }
        ring.prepareToDestroy();
    }

    @Override
    public void initialize() {
        ring.initialize();
    }

    @Override
    public int run(IoHandlerContext context) {
        return ring.run(context);
    }

    @Override
    public void destroy() {
        ring.destroy();
    }

    @Override
    public void wakeup() {
        ring.wakeup();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> type) {
        return ring.isCompatible(type);
    }

    /** Between one channel and the ring; it is out when the kernel has let go of it. */
    @SuppressWarnings("try") // Netty declares that its close may throw anything
    private final class Socket implements IoUringIoHandle, IoRegistration {
        private static final byte POLL_ADD = 6;
        private static final byte ASYNC_CANCEL = 14;
        private static final byte CLOSE = 19;

        private final IoUringIoHandle channel;

        /** Set right after it was made. */
        @SuppressWarnings("NullAway.Init")
        private IoRegistration registration;

        /** The requests for polls that are not done; few, and 0 stands for an empty place. */
        private long[] polls = new long[2];

        Socket(IoUringIoHandle channel) {
            this.channel = channel;
        }

        // ------------------------------------------------------------ for the channel

        @Override
        public long submit(IoOps request) {
            long number = registration.submit(request);
            byte kind = kindOf(number);
            if (kind == POLL_ADD) {
                addPoll(number);
            } else if (kind == CLOSE) {
                cancelPolls();
            }
            return number;
        }

        /** Netty numbers requests so: the socket, the kind, and a number chosen by the channel. */
        private static byte kindOf(long number) {
            return (byte) (number >>> 16);
        }

        private void addPoll(long number) {
            for (int i = 0; i < polls.length; i++) {
                if (polls[i] == 0) {
                    polls[i] = number;
                    return;
                }
            }
            int length = polls.length;
            polls = Arrays.copyOf(polls, 2 * length);
            polls[length] = number;
        }

        private void cancelPolls() {
            for (long poll : polls) {
                if (poll != 0) {
                    registration.submit(cancelling(poll));
                }
            }
        }

        private static IoUringIoOps cancelling(long number) {
            short none = 0;
            byte noFlags = 0;
            return new IoUringIoOps(
                    ASYNC_CANCEL,
                    noFlags,
                    none,
                    -1,
                    0,
                    number,
                    0,
                    0,
                    (long) POLL_ADD,
                    none,
                    none,
                    0,
                    0);
        }

        @Override
        public boolean isValid() {
            return registration.isValid();
        }

        @Override
        public boolean cancel() {
            return registration.cancel();
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // as Netty declares it
        public <T extends @Nullable Object> T attachment() {
            return registration.attachment();
        }

        // ------------------------------------------------------------ for the ring

        @Override
        public void registered() {
            channel.registered();
        }

        @Override
        public void handle(IoRegistration netty, IoEvent event) {
            IoUringIoEvent done = (IoUringIoEvent) event;
            if (done.opcode() == POLL_ADD) {
                removePoll((short) done.userData());
            }
            channel.handle(this, event);
        }

        private void removePoll(short chosen) {
            for (int i = 0; i < polls.length; i++) {
                if ((short) polls[i] == chosen) {
                    polls[i] = 0;
                }
            }
        }

        @Override
        public void unregistered() {
            open.remove(this);
            channel.unregistered();
        }

        @Override
        public void close() throws Exception {
            channel.close();
        }

        void closeQuietly() {
            try {
                channel.close();
            } catch (Exception failed) {
                Logs.logger(UringHandler.class).warn("{} cannot be closed", channel, failed);
            }
        }

        @Override
        public String toString() {
            return channel.toString();
        }
    }
}
