package dev.ropewalk.channels.pipeline;

import dev.ropewalk.channels.internal.Elsewhere;
import dev.ropewalk.fibers.Block;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.blocking.BlockingOptions;
import dev.ropewalk.fibers.blocking.BlockingPool;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Receivable;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.io.Closeable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** The sources of segments' elements, besides links. */
final class Feeds {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(5);

    /** How soon a source that had nothing is asked again. */
    private static final Duration PAUSE = Duration.ofMillis(100);

    private Feeds() {}

    /** Elements that are there, or are computed on the cord. */
    static final class OfIterator implements Feed {
        private final Supplier<? extends Iterator<?>> opener;
        private final @Nullable AutoCloseable toClose;

        /** Null before the first element is wanted. */
        private @Nullable Iterator<?> opened;

        OfIterator(Supplier<? extends Iterator<?>> opener, @Nullable AutoCloseable toClose) {
            this.opener = opener;
            this.toClose = toClose;
        }

        @Override
        public @Nullable Object next(StageCounter counter) {
            Waits.switchpoint();
            Iterator<?> iterator = opened;
            if (iterator == null) {
                iterator = opener.get();
                opened = iterator;
            }
            if (!iterator.hasNext()) {
                return null;
            }
            return Objects.requireNonNull(iterator.next(), "a source has null among its elements");
        }

        @Override
        public void end(@Nullable Throwable why) {
            closeQuietly(toClose, why);
        }
    }

    /** A failure of the run counts; one of the clean-up is added to it, and otherwise thrown. */
    private static void closeQuietly(@Nullable AutoCloseable toClose, @Nullable Throwable why) {
        if (toClose == null) {
            return;
        }
        try {
            toClose.close();
        } catch (Throwable broken) {
            Waits.throwIfSignal(broken);
            if (!(why instanceof PipelineFailedException)) {
                throw new IllegalStateException("a source could not be closed: " + broken, broken);
            }
            why.addSuppressed(broken);
        }
    }

    /** A channel of the user's, the messages of a socket, a ticker. */
    static final class OfReceivable implements Feed {
        private final Receivable<?> source;

        OfReceivable(Receivable<?> source) {
            this.source = source;
        }

        @Override
        public @Nullable Object next(StageCounter counter) throws Exception {
            try {
                Waits.switchpoint();
                Object element = source.tryReceive();
                return element == null ? waitForNext(counter) : element;
            } catch (ClosedException end) {
                if (end.getCause() instanceof Exception failure) {
                    throw failure;
                }
                if (end.getCause() != null) {
                    throw end;
                }
                return null;
            }
        }

        private Object waitForNext(StageCounter counter) {
            long sinceNs = Waits.nanoTime();
            try {
                return source.receive();
            } finally {
                counter.waitedForInput(sinceNs);
            }
        }

        @Override
        public void end(@Nullable Throwable why) {
            Elsewhere.cancel(source);
        }
    }

    /** A source that is read in batches by calls that block, on other threads than the cord's. */
    interface Batches extends Closeable {
        /** Blocks for the next elements; empty if they are to come later; null at the end. */
        @Nullable List<?> read() throws Exception;
    }

    /**
     * Where processes and the standard input are waited for: without a bound on threads, because a
     * source may be silent for ever and would take the place of another call.
     */
    private static final BlockingPool SILENT =
            new BlockingPool(
                    BlockingOptions.named("silent source").withMaxConcurrency(Integer.MAX_VALUE));

    static Feed ofProcess(ProcessBuilder process, @Nullable LongConsumer malformed) {
        return new OffCord(() -> ProcessLines.start(process, malformed), SILENT);
    }

    static Feed ofStdin(@Nullable LongConsumer malformed) {
        return new OffCord(() -> Lines.ofStdin(malformed), SILENT);
    }

    /** Reads off the cord, one batch after the other. */
    static final class OffCord implements Feed {
        private final Callable<? extends Batches> opener;

        /** Null for that of {@link Blocking}. */
        private final @Nullable BlockingPool pool;

        private Iterator<?> current = List.of().iterator();

        /**
         * For both the fiber and the thread that reads, which may come late with the batches that
         * it opened.
         */
        private volatile @Nullable Batches batches;

        private volatile boolean isClosed;

        OffCord(Callable<? extends Batches> opener) {
            this(opener, null);
        }

        private OffCord(Callable<? extends Batches> opener, @Nullable BlockingPool pool) {
            this.opener = opener;
            this.pool = pool;
        }

        @Override
        public @Nullable Object next(StageCounter counter) throws Exception {
            if (current.hasNext()) {
                Waits.switchpoint();
                return current.next();
            }
            List<?> batch = apart(this::readBatch);
            while (batch != null && batch.isEmpty()) {
                long sinceNs = Waits.nanoTime();
                Fiber.sleep(PAUSE);
                counter.waitedForInput(sinceNs);
                batch = apart(this::readBatch);
            }
            if (batch == null) {
                return null;
            }
            current = batch.iterator();
            return current.next();
        }

        private <T extends @Nullable Object> T apart(Block<T, Exception> code) throws Exception {
            return pool == null ? Blocking.<T, Exception>call(code) : pool.<T, Exception>call(code);
        }

        private @Nullable List<?> readBatch() throws Exception {
            Batches opened = batches;
            if (opened == null) {
                opened = opener.call();
                batches = opened;
                if (isClosed) {
                    opened.close();
                    return null;
                }
            }
            List<?> batch = opened.read();
            if (batch == null) {
                isClosed = true;
                opened.close();
            }
            return batch;
        }

        @Override
        public void end(@Nullable Throwable why) {
            boolean wasClosed = isClosed;
            isClosed = true;
            Batches opened = batches;
            if (opened == null || wasClosed) {
                return;
            }
            closeQuietly(
                    () ->
                            CancelScope.<@Nullable Object, Exception>shielded(
                                    CLOSE_LIMIT,
                                    () ->
                                            apart(
                                                    () -> {
                                                        opened.close();
                                                        return null;
                                                    })),
                    why);
        }
    }

    /**
     * Lists of up to so many elements, none older than the limit, counted from when it {@linkplain
     * Steps#stamp came}, even while the later stages were busy and did not ask.
     */
    static final class OfBatches implements Feed {
        private final Link link;
        private final int size;
        private final long limitNs;

        /** Counts the elements; the counter of the stage that asks counts the lists. */
        private final StageCounter counter;

        private boolean isAtEnd;

        OfBatches(Link link, int size, long limitNs, StageCounter counter) {
            this.link = link;
            this.size = size;
            this.limitNs = limitNs;
            this.counter = counter;
        }

        @Override
        public @Nullable Object next(StageCounter unused) throws EndedElsewhere {
            Object first = isAtEnd ? null : link.next(counter);
            if (first == null) {
                return null;
            }
            Steps.Arrived oldest = (Steps.Arrived) first;
            List<Object> batch = new ArrayList<>();
            batch.add(oldest.element());
            while (batch.size() < size) {
                Object next = nextFor(oldest);
                if (next == null) {
                    isAtEnd = true;
                    break;
                }
                if (next == Waits.TIMED_OUT) {
                    break;
                }
                batch.add(((Steps.Arrived) next).element());
            }
            counter.elements += batch.size();
            return batch;
        }

        /** Elements that are there go along even if the limit has passed. */
        private @Nullable Object nextFor(Steps.Arrived oldest) throws EndedElsewhere {
            Waits.switchpoint(); // others may send without an end
            Object next = link.now();
            if (next != Link.NOTHING) {
                return next;
            }
            long leftNs = limitNs - (Waits.nanoTime() - oldest.atNs());
            return leftNs <= 0 ? Waits.TIMED_OUT : link.nextWithin(leftNs, counter);
        }

        @Override
        public void end(@Nullable Throwable why) {
            link.end(why);
        }
    }

    /** Pairs: an element of each side, made into one; ends with the shorter side. */
    static final class OfPairs implements Feed {
        private final Link first;
        private final Link second;
        private final String name;
        private final BiFunction<Object, Object, Object> function;

        OfPairs(Link first, Link second, String name, BiFunction<Object, Object, Object> function) {
            this.first = first;
            this.second = second;
            this.name = name;
            this.function = function;
        }

        @Override
        public @Nullable Object next(StageCounter counter) throws EndedElsewhere {
            Waits.switchpoint();
            Object one = first.now();
            Object other = one == null ? null : second.now();
            if (one == Link.NOTHING && other == Link.NOTHING) {
                Link.Taken came = Link.awaitEither(first, second, counter);
                if (came.from() == first) {
                    one = came.element();
                } else {
                    other = came.element();
                }
            }
            if (one != null && other == Link.NOTHING) {
                other = second.next(counter);
            } else if (one == Link.NOTHING && other != null) {
                one = first.next(counter);
            }
            if (one == null || other == null) {
                return null;
            }
            return Step.notNull(name, function.apply(one, other));
        }

        @Override
        public void end(@Nullable Throwable why) {
            first.end(why);
            second.end(why);
        }
    }

    /** The results of several fibers, in the order in which the elements came. */
    static final class InOrder implements Feed {
        private final Link link;

        InOrder(Link link) {
            this.link = link;
        }

        @Override
        public @Nullable Object next(StageCounter counter) throws EndedElsewhere {
            Object slot = link.next(counter);
            return slot == null ? null : ((OrderedSlot) slot).await(counter);
        }

        @Override
        public void end(@Nullable Throwable why) {
            link.end(why);
        }
    }
}
