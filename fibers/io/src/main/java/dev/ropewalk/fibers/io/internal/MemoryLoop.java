package dev.ropewalk.fibers.io.internal;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.internal.io.CordIo;
import dev.ropewalk.fibers.spi.Alarm;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * An event loop of Netty on a virtual clock: a task is a message of the cord, and a scheduled task
 * is one of its alarms. So the driver of the virtual time decides about all of them, and a seed
 * replays them.
 */
@SuppressWarnings("FutureReturnValueIgnored") // failures are told to the handler
public final class MemoryLoop extends AbstractEventExecutor implements EventLoop {
    private final Cord cord;
    private final Network network;

    /** Closed with the cord. */
    private final List<Channel> channels = new ArrayList<>();

    /** The cord has ended, and its channels are being closed on its thread. */
    private boolean isOver;

    /** Tasks of then, and those that the cord had not come to. */
    private final ArrayDeque<Runnable> last = new ArrayDeque<>();

    private boolean isRunningLast;

    private final Future<?> termination = new DefaultPromise<>(this);

    MemoryLoop(Cord cord, Network network) {
        this.cord = cord;
        this.network = network;
        CordIo.atClose(cord, this::cordEnded);
    }

    /**
     * The loop of a cord on a virtual clock, always the same.
     *
     * @param cord the current one
     */
    public static MemoryLoop of(Cord cord) {
        return Network.of(cord).loop(cord);
    }

    public Channel newConnection() {
        return new MemoryChannel(null, network, cord);
    }

    public ServerChannel newListener() {
        return new MemoryServerChannel(network, cord);
    }

    public Channel newDatagramSocket() {
        return new MemoryDatagramChannel(network, cord);
    }

    Cord cord() {
        return cord;
    }

    void add(Channel channel) {
        channels.add(channel);
    }

    void remove(Channel channel) {
        channels.remove(channel);
    }

    /** As when the system closes the sockets of a process that has ended, or was killed. */
    private void cordEnded() {
        network.forget(cord);
        isOver = true;
        if (CordIo.isKilled(cord)) {
            for (Channel each : channels) {
                if (each instanceof MemoryChannel connection) {
                    connection.abort();
                }
            }
        }
        for (Channel each : List.copyOf(channels)) {
            each.unsafe().close(each.voidPromise());
        }
        runLast();
    }

    private void runLast() {
        if (!isRunningLast) {
            isRunningLast = true;
            for (Runnable task = last.poll(); task != null; task = last.poll()) {
                safeExecute(task);
            }
            isRunningLast = false;
        }
    }

    // ---------------------------------------------------------------- tasks

    @Override
    public boolean inEventLoop(Thread thread) {
        return cord.isCurrent() || isOver;
    }

    @Override
    public void execute(Runnable task) {
        if (isOver) {
            runAtEnd(task);
        } else {
            cord.post(new Task(task));
        }
    }

    private void runAtEnd(Runnable task) {
        last.add(task);
        if (isOver) {
            runLast();
        }
    }

    private final class Task extends CordMessage {
        private final Runnable task;

        Task(Runnable task) {
            this.task = task;
        }

        @Override
        public void onCord() {
            safeExecute(task);
        }

        @Override
        public void onClosed() {
            if (!CordIo.isKilled(cord)) {
                runAtEnd(task); // a closed channel has still to leave its pipeline
            }
        }
    }

    // ---------------------------------------------------------------- times

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
        return schedule(Executors.callable(command), delay, unit);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
        Scheduled<V> made = new Scheduled<>(callable, unit.toNanos(delay), 0);
        made.arm();
        return made;
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
            Runnable command, long initialDelay, long period, TimeUnit unit) {
        Scheduled<?> made =
                new Scheduled<>(
                        Executors.callable(command),
                        unit.toNanos(initialDelay),
                        unit.toNanos(period));
        made.arm();
        return made;
    }

    /** In virtual time a task takes no time, so that a rate and a delay are the same. */
    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
            Runnable command, long initialDelay, long delay, TimeUnit unit) {
        return scheduleAtFixedRate(command, initialDelay, delay, unit);
    }

    private final class Scheduled<V> extends DefaultPromise<V> implements ScheduledFuture<V> {
        private final Callable<V> callable;

        /** 0 if it runs once. */
        private final long periodNs;

        private long deadlineNs;
        private @Nullable Alarm alarm;

        Scheduled(Callable<V> callable, long delayNs, long periodNs) {
            super(MemoryLoop.this);
            this.callable = callable;
            this.deadlineNs = cord.nanoTime() + delayNs;
            this.periodNs = periodNs;
        }

        void arm() {
            if (inEventLoop()) {
                alarm = Alarm.after(deadlineNs - cord.nanoTime(), this::run);
            } else {
                execute(this::arm);
            }
        }

        private void run() {
            if (isDone()) {
                return;
            }
            try {
                V result = callable.call();
                if (periodNs == 0) {
                    trySuccess(result);
                    return;
                }
            } catch (Exception failed) {
                tryFailure(failed);
                return;
            }
            deadlineNs += periodNs;
            arm();
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            boolean isCancelled = super.cancel(mayInterruptIfRunning);
            if (isCancelled && alarm != null && inEventLoop()) {
                alarm.cancel();
            }
            return isCancelled;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(deadlineNs - cord.nanoTime(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(
                    getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }

    // ---------------------------------------------------------------- as a group of one

    @Override
    public EventLoop next() {
        return this;
    }

    @Override
    public @Nullable EventLoopGroup parent() {
        return null;
    }

    @Override
    public ChannelFuture register(Channel channel) {
        return register(new DefaultChannelPromise(channel, this));
    }

    @Override
    public ChannelFuture register(ChannelPromise promise) {
        promise.channel().unsafe().register(this, promise);
        return promise;
    }

    @Deprecated
    @Override
    public ChannelFuture register(Channel channel, ChannelPromise promise) {
        channel.unsafe().register(this, promise);
        return promise;
    }

    /** It ends with its cord. */
    @Override
    public Future<?> shutdownGracefully(long quietPeriod, long timeout, TimeUnit unit) {
        throw new UnsupportedOperationException(this + " ends with its cord");
    }

    @Deprecated
    @Override
    public void shutdown() {
        throw new UnsupportedOperationException(this + " ends with its cord");
    }

    @Override
    public Future<?> terminationFuture() {
        return termination;
    }

    @Override
    public boolean isShuttingDown() {
        return isTerminated();
    }

    @Override
    public boolean isShutdown() {
        return isTerminated();
    }

    @Override
    public boolean isTerminated() {
        return isOver || !cord.isAlive();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return isTerminated();
    }

    @Override
    public String toString() {
        return "event loop in memory of " + cord;
    }
}
