package dev.ropewalk.channels.pipeline;

import dev.ropewalk.channels.ChannelOptions;
import dev.ropewalk.channels.Ports;
import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.channels.SendPort;
import dev.ropewalk.channels.Ticker;
import dev.ropewalk.fibers.Spinner;
import dev.ropewalk.fibers.spi.Receivable;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Elements from a source through stages, as one expression (rule C5).
 *
 * {@snippet :
 * long stored = Pipeline.lines(accessLog)
 *         .map("parse", LogLine::parse)
 *         .filter("errors", line -> line.status() >= 500)
 *         .mapParallel("look up", 8, this::lookUp)
 *         .batch(100, Duration.ofSeconds(1))
 *         .forEach("store", store::write)
 *         .run()
 *         .count();
 * }
 *
 * <p>A pipeline is a description: nothing happens until the {@link PipelineRun} that the last stage
 * returns is run. It is immutable, so several can begin with the same part; whether the source can
 * be read again is up to the source.
 *
 * <p>Stages that follow each other are carried out by one fiber, without a channel in between. A
 * channel stands only where {@link #buffer} or {@link #on} asks for it, around a stage of several
 * fibers, before batches by time, and where pipelines join. Each channel is bounded, so a slow
 * stage holds up the stages before it, and memory stays flat. All fibers run on the cord of the
 * caller, unless {@code on} says otherwise.
 *
 * <p>If a stage throws, those before it are cancelled, all fibers of the run end, and the run
 * throws {@link PipelineFailedException} with the stage's name and its failure. Elements that were
 * on their way are dropped then. To cancel the caller, or its scope, ends the run likewise.
 *
 * <p>Elements are never null. Functions may wait and throw.
 *
 * @param <E> the type of the elements
 */
public final class Pipeline<E> {
    /**
     * A throttle lets through at once as many elements as its rate allows in so many milliseconds.
     */
    static final int BURST_MS = 10;

    private final List<Part> parts;

    private Pipeline(List<Part> parts) {
        this.parts = parts;
    }

    private static <E> Pipeline<E> from(String name, Supplier<? extends Feed> feed) {
        return new Pipeline<>(List.of(new Part.Open(name, feed)));
    }

    private <F> Pipeline<F> with(Part part) {
        List<Part> more = new ArrayList<>(parts);
        more.add(part);
        return new Pipeline<>(List.copyOf(more));
    }

    private <F> Pipeline<F> with(Step.Kind kind, String name, Object function) {
        checkName(name);
        Step step = new Step(kind, name, Objects.requireNonNull(function, "function"));
        return with(new Part.Do(() -> step));
    }

    private <F> Pipeline<F> withState(String name, Supplier<Step.Stateful> state) {
        checkName(name);
        return with(new Part.Do(() -> new Step(Step.Kind.STATEFUL, name, state.get())));
    }

    private static void checkName(String name) {
        Objects.requireNonNull(name, "name");
    }

    private static int atLeastOne(String what, int n) {
        if (n < 1) {
            throw new IllegalArgumentException(what + "=" + n + " < 1; give at least 1");
        }
        return n;
    }

    private static int notNegative(int capacity) {
        if (capacity < 0) {
            throw new IllegalArgumentException("capacity=" + capacity + " < 0; 0 hands over");
        }
        return capacity;
    }

    private static void notNegative(String what, long n) {
        if (n < 0) {
            throw new IllegalArgumentException(what + "=" + n + " < 0; give 0 or more");
        }
    }

    private static void moreThanZero(String what, Duration time) {
        if (Waits.nanos(time) == 0) {
            throw new IllegalArgumentException(what + "=" + time + "; give a time above 0");
        }
    }

    // ---------------------------------------------------------------- sources

    /**
     * {@return a pipeline of the elements}
     *
     * @param <E> the type of the elements
     * @param elements the elements
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the list copies them
    public static <E> Pipeline<E> of(E... elements) {
        for (int i = 0; i < elements.length; i++) {
            int at = i;
            Objects.requireNonNull(
                    elements[i],
                    () ->
                            "elements["
                                    + at
                                    + "] is null; a pipeline has no null among its elements");
        }
        return from(List.of(elements));
    }

    /**
     * {@return a pipeline of the iterable's elements} Its iterator is asked on the cord, by the
     * fiber of the first segment; an iterator that blocks a thread holds up the cord.
     *
     * @param <E> the type of the elements
     * @param elements asked for an iterator at the run
     */
    public static <E> Pipeline<E> from(Iterable<? extends E> elements) {
        Objects.requireNonNull(elements, "elements");
        return from("source", () -> new Feeds.OfIterator(elements::iterator, null));
    }

    /**
     * {@return a pipeline of the stream's elements, in its order} For one run. The stream is closed
     * at its end. It is asked on the cord, as an iterable is.
     *
     * @param <E> the type of the elements
     * @param elements a stream that was not used yet
     */
    public static <E> Pipeline<E> from(Stream<? extends E> elements) {
        Objects.requireNonNull(elements, "elements");
        return from("source", () -> new Feeds.OfIterator(elements::iterator, elements));
    }

    /**
     * {@return a pipeline of the elements that are received} It ends when the port is closed, and
     * fails if the port is closed with a cause; a run that ends earlier cancels it.
     *
     * @param <E> the type of the elements
     * @param source a channel, a subscription, a ticker, the messages of a socket
     */
    public static <E> Pipeline<E> from(Receivable<? extends E> source) {
        Objects.requireNonNull(source, "source");
        return from("source", () -> new Feeds.OfReceivable(source));
    }

    /**
     * {@return a pipeline of the numbers of ticks, each period, without an end}
     *
     * @param period the time between two ticks, above 0
     * @throws IllegalArgumentException if the period is 0 or negative, or longer than 292 years
     */
    public static Pipeline<Long> ticks(Duration period) {
        moreThanZero("period", period);
        return from("ticks", () -> new Feeds.OfReceivable(Ticker.every(period)));
    }

    /**
     * {@return a pipeline of the lines of a file of UTF-8, read off the cord} Lines end with LF or
     * CR LF. A line that is no UTF-8 fails the source, with the number of the line.
     *
     * @param file opened at the run
     */
    public static Pipeline<String> lines(Path file) {
        Objects.requireNonNull(file, "file");
        return from("lines", () -> new Feeds.OffCord(() -> Lines.of(file, null)));
    }

    /**
     * {@return a pipeline of the lines of a file of UTF-8, read off the cord} A line that is no
     * UTF-8 goes on with U+FFFD in place of the unreadable bytes.
     *
     * @param file opened at the run
     * @param malformed gets the number of each such line, from 1 on; on the thread that reads
     */
    public static Pipeline<String> lines(Path file, LongConsumer malformed) {
        Objects.requireNonNull(file, "file");
        Objects.requireNonNull(malformed, "malformed");
        return from("lines", () -> new Feeds.OffCord(() -> Lines.of(file, malformed)));
    }

    /**
     * {@return a pipeline of the lines of a file of UTF-8, and of those that are appended to it,
     * read off the cord; it has no end} The file is looked at ten times a second. A file that is
     * shortened, or replaced by another of its name, is read from its beginning; a file that is not
     * there yet is waited for.
     *
     * @param file may be missing at first
     * @param malformed gets the number of each line that is no UTF-8, on the thread that reads; the
     *     first line is 1, and they are counted on when the file is shortened or replaced
     */
    public static Pipeline<String> follow(Path file, LongConsumer malformed) {
        Objects.requireNonNull(file, "file");
        Objects.requireNonNull(malformed, "malformed");
        return from("follow", () -> new Feeds.OffCord(() -> new FollowedFile(file, malformed)));
    }

    /**
     * {@return a pipeline of the lines of the program's standard input, read off the cord} They
     * come as they are written there. A line that is no UTF-8 fails the source, with the number of
     * the line. A run that ends leaves what it has not read to {@code System.in} and the next run;
     * bytes that were read together with its last line are lost.
     */
    public static Pipeline<String> stdin() {
        return from("stdin", () -> Feeds.ofStdin(null));
    }

    /**
     * {@return a pipeline of the lines of the program's standard input, like {@link #stdin()}} A
     * line that is no UTF-8 goes on with U+FFFD in place of the unreadable bytes.
     *
     * @param malformed gets the number of each such line, from 1 on; on the thread that reads
     */
    public static Pipeline<String> stdin(LongConsumer malformed) {
        Objects.requireNonNull(malformed, "malformed");
        return from("stdin", () -> Feeds.ofStdin(malformed));
    }

    /**
     * {@return a pipeline of the bytes of a file, in arrays, read off the cord}
     *
     * @param file opened at the run
     * @param length of each array but the last; at least 1
     * @throws IllegalArgumentException if the length is less than 1
     */
    public static Pipeline<byte[]> bytes(Path file, int length) {
        Objects.requireNonNull(file, "file");
        atLeastOne("length", length);
        return from("bytes", () -> new Feeds.OffCord(() -> FileBatches.bytes(file, length)));
    }

    /**
     * {@return a pipeline of a directory, and all files and directories below it, walked off the
     * cord} Links are not followed.
     *
     * @param directory where the walk begins
     */
    public static Pipeline<Path> walk(Path directory) {
        Objects.requireNonNull(directory, "directory");
        return from("walk", () -> new Feeds.OffCord(() -> FileBatches.walk(directory)));
    }

    /**
     * {@return a pipeline of the lines of UTF-8 that a process writes, read off the cord} The
     * process is started at the run; its standard input is empty, unless the builder redirects it.
     * If it exits with another code than 0 the source fails, with the end of its standard error. If
     * the run ends earlier, the process and those below it are ended: by TERM, and after 2 s by
     * KILL. A line that is no UTF-8 fails the source, with the number of the line.
     *
     * @param process how it is started
     * @throws IllegalArgumentException if its output is redirected
     */
    public static Pipeline<String> output(ProcessBuilder process) {
        ProcessLines.checkOutput(Objects.requireNonNull(process, "process"));
        return from("output", () -> Feeds.ofProcess(process, null));
    }

    /**
     * {@return a pipeline of the lines that a process writes, like {@link #output(ProcessBuilder)}}
     * A line that is no UTF-8 goes on with U+FFFD in place of the unreadable bytes.
     *
     * @param process how it is started
     * @param malformed gets the number of each such line, from 1 on; on the thread that reads
     * @throws IllegalArgumentException if its output is redirected
     */
    public static Pipeline<String> output(ProcessBuilder process, LongConsumer malformed) {
        ProcessLines.checkOutput(Objects.requireNonNull(process, "process"));
        Objects.requireNonNull(malformed, "malformed");
        return from("output", () -> Feeds.ofProcess(process, malformed));
    }

    // ---------------------------------------------------------------- stages

    /**
     * {@return the same with a stage that makes an element of each element}
     *
     * @param <F> the type of its results
     * @param name of the stage, in failures and statistics
     * @param function makes an element, not null
     */
    public <F> Pipeline<F> map(String name, StageFunction<? super E, ? extends F> function) {
        return with(Step.Kind.MAP, name, function);
    }

    /**
     * {@return the same with a stage that lets some elements through}
     *
     * @param name of the stage, in failures and statistics
     * @param test which go on
     */
    public Pipeline<E> filter(String name, StageTest<? super E> test) {
        return with(Step.Kind.FILTER, name, test);
    }

    /**
     * {@return the same with a stage that makes any number of elements of each}
     *
     * @param <F> the type of its results
     * @param name of the stage, in failures and statistics
     * @param function makes the elements, none of them null
     */
    public <F> Pipeline<F> flatMap(
            String name, StageFunction<? super E, ? extends Iterable<? extends F>> function) {
        return with(Step.Kind.FLAT, name, function);
    }

    /**
     * {@return the same with a stage that sees each element}
     *
     * @param name of the stage, in failures and statistics
     * @param action gets each element, before the stages that follow
     */
    public Pipeline<E> peek(String name, StageAction<? super E> action) {
        return with(Step.Kind.EACH, name, action);
    }

    /**
     * {@return the same with a stage of several fibers} What they make goes on as it is ready, so
     * the order changes; {@link #ordered} keeps it. For functions that wait; with {@link #on} a
     * scheduler before it, for functions that compute.
     *
     * @param <F> the type of its results
     * @param name of the stage, in failures and statistics
     * @param fibers how many, at least 1
     * @param function makes an element, not null
     * @throws IllegalArgumentException if there are less than 1
     */
    @SuppressWarnings("unchecked") // it gets nothing but E
    public <F> Pipeline<F> mapParallel(
            String name, int fibers, StageFunction<? super E, ? extends F> function) {
        checkName(name);
        Objects.requireNonNull(function, "function");
        return with(
                new Part.Parallel(
                        name,
                        atLeastOne("fibers", fibers),
                        (StageFunction<Object, Object>) function,
                        false));
    }

    /**
     * {@return the same, where the stage of several fibers that is the last so far keeps the order}
     * Up to twice as many elements as it has fibers are on their way there then.
     *
     * @throws IllegalStateException if the last stage is not {@link #mapParallel}
     */
    public Pipeline<E> ordered() {
        if (!(parts.getLast() instanceof Part.Parallel last)) {
            throw new IllegalStateException(
                    "ordered() belongs to the stage of several fibers before it; call it directly"
                            + " after mapParallel");
        }
        List<Part> changed = new ArrayList<>(parts.subList(0, parts.size() - 1));
        changed.add(new Part.Parallel(last.name(), last.fibers(), last.function(), true));
        return new Pipeline<>(List.copyOf(changed));
    }

    /**
     * {@return the same with a stage that makes lists of elements} The last one may be shorter.
     *
     * @param size how many are in a list, at least 1
     * @throws IllegalArgumentException if the size is less than 1
     */
    public Pipeline<List<E>> batch(int size) {
        atLeastOne("size", size);
        return withState("batch", () -> Steps.batch(size));
    }

    /**
     * {@return the same with a stage that makes lists of elements, and keeps none for longer than
     * the limit} A list goes on when it is full, when its first element has waited for the limit,
     * and at the end. No list is empty. The time counts from when the first element came here, even
     * while the stages behind this one were busy with the list before: a list over the limit goes
     * on as soon as they ask, with all elements that are there.
     *
     * @param size how many are in a full list, at least 1
     * @param limit how long the first element waits for others
     * @throws IllegalArgumentException if the size is less than 1, or the limit is negative or
     *     longer than 292 years
     */
    public Pipeline<List<E>> batch(int size, Duration limit) {
        return with(new Part.Batch("batch", atLeastOne("size", size), Waits.nanos(limit)));
    }

    /**
     * {@return the same with a stage that makes lists of the newest elements}
     *
     * @param size how many are in each list, at least 1
     * @param every after how many elements the next list follows, at least 1
     * @throws IllegalArgumentException if one of them is less than 1
     */
    public Pipeline<List<E>> window(int size, int every) {
        atLeastOne("size", size);
        atLeastOne("every", every);
        return withState("window", () -> Steps.window(size, every));
    }

    /**
     * {@return the same with a stage that makes of each element and its last result the next one}
     *
     * @param <F> the type of the results
     * @param name of the stage, in failures and statistics
     * @param first the result before the first element
     * @param function makes the next result, not null
     */
    @SuppressWarnings("unchecked") // it gets nothing but F and E
    public <F> Pipeline<F> scan(
            String name, F first, BiFunction<? super F, ? super E, ? extends F> function) {
        Objects.requireNonNull(first, "first");
        Objects.requireNonNull(function, "function");
        return withState(
                name, () -> Steps.scan(first, (BiFunction<Object, Object, Object>) function));
    }

    /**
     * {@return the same with no more than the first elements} When they have come, those before are
     * cancelled; with 0 at once.
     *
     * @param n how many, 0 or more
     * @throws IllegalArgumentException if the number is negative
     */
    public Pipeline<E> take(long n) {
        notNegative("n", n);
        return withState("take", () -> Steps.take(n));
    }

    /**
     * {@return the same with the elements before the first one that fails the test}
     *
     * @param name of the stage, in failures and statistics
     * @param test what the elements pass
     */
    @SuppressWarnings("unchecked") // it gets nothing but E
    public Pipeline<E> takeWhile(String name, StageTest<? super E> test) {
        Objects.requireNonNull(test, "test");
        return withState(name, () -> Steps.takeWhile((StageTest<Object>) test));
    }

    /**
     * {@return the same without the first elements}
     *
     * @param n how many are left out, 0 or more
     * @throws IllegalArgumentException if the number is negative
     */
    public Pipeline<E> drop(long n) {
        notNegative("n", n);
        return withState("drop", () -> Steps.drop(n));
    }

    /**
     * {@return the same with no more elements than a rate allows} Elements that come sooner wait.
     * As many as the rate allows in {@value #BURST_MS} ms may go on at once, at the beginning and
     * after a pause, because a timer is late by up to a millisecond. So a high rate is kept, and
     * elements that are more than {@value #BURST_MS} ms apart are spread evenly. In any time at
     * most as many go on as the rate allows in it, and one burst more.
     *
     * @param elements how many, at least 1
     * @param per the time for so many, above 0
     * @throws IllegalArgumentException if there are less than 1, or the time is 0 or negative, or
     *     longer than 292 years
     */
    public Pipeline<E> throttle(int elements, Duration per) {
        atLeastOne("elements", elements);
        moreThanZero("per", per);
        double inBurst = (double) elements * BURST_MS * 1_000_000 / Waits.nanos(per);
        int burst = (int) Math.max(1, Math.min(elements, inBurst));
        return withState("throttle", () -> Steps.throttle(elements, per, burst));
    }

    /**
     * {@return the same with no more elements than a rate allows} Those that come sooner wait. As
     * many as the burst may go on at once, at the beginning and after a pause. In any time there
     * are no more than the rate allows in it and those of one burst.
     *
     * @param elements how many, at least 1
     * @param per the time for so many, above 0
     * @param burst how many at once, at least 1, which spreads them evenly; with less than the rate
     *     allows in a millisecond or two, late timers make it slower than the rate
     * @throws IllegalArgumentException if there are less than 1, or the time is 0 or negative, or
     *     longer than 292 years
     */
    public Pipeline<E> throttle(int elements, Duration per, int burst) {
        atLeastOne("elements", elements);
        moreThanZero("per", per);
        atLeastOne("burst", burst);
        return withState("throttle", () -> Steps.throttle(elements, per, burst));
    }

    /**
     * {@return the same, and each element is sent to the port too, before it goes on} Several
     * receivers get it from a broadcast. The port is not closed at the end.
     *
     * @param name of the stage, in failures and statistics
     * @param port if it is closed the stage fails
     */
    @SuppressWarnings("unchecked") // it gets nothing but E
    public Pipeline<E> alsoTo(String name, SendPort<? super E> port) {
        Objects.requireNonNull(port, "port");
        return withState(name, () -> Steps.alsoTo((SendPort<Object>) port));
    }

    // ---------------------------------------------------------------- joining and placing

    /**
     * {@return the elements of this and of the others, as they come} Each is read by a fiber.
     *
     * @param others at least one
     * @throws IllegalArgumentException if the list is empty
     */
    @SafeVarargs
    @SuppressWarnings("varargs") // the list copies them
    public final Pipeline<E> merge(Pipeline<? extends E>... others) {
        if (others.length == 0) {
            throw new IllegalArgumentException("others=[]: give at least one to merge with");
        }
        return merge(List.of(others));
    }

    /**
     * {@return the elements of this and of the others, as they come} Each is read by a fiber.
     *
     * @param others any number; without one it is this pipeline
     */
    public Pipeline<E> merge(List<? extends Pipeline<? extends E>> others) {
        if (others.isEmpty()) {
            return this;
        }
        List<List<Part>> theirs = new ArrayList<>();
        for (Pipeline<? extends E> each : others) {
            theirs.add(each.parts);
        }
        return with(new Part.Merge("merge", List.copyOf(theirs)));
    }

    /**
     * {@return a pipeline of the function's results for the first elements of both, for the second
     * ones, and so on} It ends as soon as one of the two is at its end, even if the other would
     * never give another element; the other is cancelled then.
     *
     * @param <F> the type of the other's elements
     * @param <G> the type of the function's results
     * @param other the other pipeline
     * @param function makes an element, not null
     */
    @SuppressWarnings("unchecked") // it gets nothing but E and F
    public <F, G> Pipeline<G> zip(
            Pipeline<F> other, BiFunction<? super E, ? super F, ? extends G> function) {
        Objects.requireNonNull(other, "other");
        Objects.requireNonNull(function, "function");
        return with(
                new Part.Zip("zip", other.parts, (BiFunction<Object, Object, Object>) function));
    }

    /**
     * {@return the same with a channel here} The stages before it and the stages after it run in
     * two fibers.
     *
     * @param capacity how many elements wait there; 0 hands each over
     * @throws IllegalArgumentException if the capacity is negative
     */
    public Pipeline<E> buffer(int capacity) {
        return with(new Part.Buffer(notNegative(capacity)));
    }

    /**
     * {@return the same, with the later stages on that cord, or as tasks of that scheduler} There
     * is a channel of 64 elements here.
     *
     * @param where a cord or a scheduler
     */
    public Pipeline<E> on(Spinner where) {
        return on(where, PipelinePlan.DEFAULT_CAPACITY);
    }

    /**
     * {@return the same, with the later stages on that cord, or as tasks of that scheduler} For
     * large elements, of which only a few are to wait in the channel here.
     *
     * @param where a cord or a scheduler
     * @param capacity how many elements wait there; 0 hands each over
     * @throws IllegalArgumentException if the capacity is negative
     */
    public Pipeline<E> on(Spinner where, int capacity) {
        Objects.requireNonNull(where, "where");
        return with(new Part.On(where, notNegative(capacity)));
    }

    // ---------------------------------------------------------------- last stages

    /**
     * {@return a run that gives each element to the action}
     *
     * @param name of the stage, in failures and statistics
     * @param action gets each element
     */
    public PipelineRun<@Nullable Void> forEach(String name, StageAction<? super E> action) {
        return new PipelineRun<>(this.<E>with(Step.Kind.EACH, name, action).parts, () -> null);
    }

    /**
     * {@return a run that sends each element to the port} It ends early when that is closed or
     * cancelled: by a channel at once, by another port when it is to send the next element. At the
     * end of the elements the port is closed, in the fiber of this stage; with the {@link
     * PipelineFailedException} if a stage before has failed, and with a {@link
     * CancellationException} if the run was cancelled.
     *
     * @param name of the stage, in failures and statistics
     * @param port where they go; one of a single cord belongs to that of this stage
     */
    @SuppressWarnings("unchecked") // it gets nothing but E
    public PipelineRun<@Nullable Void> to(String name, SendPort<? super E> port) {
        Objects.requireNonNull(port, "port");
        Pipeline<E> all = withState(name, () -> Steps.to((SendPort<Object>) port));
        return new PipelineRun<>(all.parts, () -> null, port);
    }

    /**
     * {@return a run that collects the elements}
     *
     * @param <A> the type of the collector's state
     * @param <R> the type of the result
     * @param collector for one run, unless it may be used again
     */
    @SuppressWarnings("unchecked") // it gets nothing but E
    public <A, R extends @Nullable Object> PipelineRun<R> collect(
            Collector<? super E, A, R> collector) {
        A container = collector.supplier().get();
        Pipeline<E> all =
                withState(
                        "collect",
                        () ->
                                Steps.collect(
                                        Objects.requireNonNull((Object) container, "container"),
                                        (BiConsumer<Object, Object>) collector.accumulator()));
        return new PipelineRun<>(all.parts, () -> collector.finisher().apply(container));
    }

    /** {@return a run that makes a list of the elements; nothing but memory bounds it} */
    public PipelineRun<List<E>> toList() {
        return collect(Collectors.toList());
    }

    /**
     * {@return a run that folds the elements into one value}
     *
     * @param <R> the type of the value
     * @param first the value of no elements
     * @param function makes a value of the last one and an element, not null
     */
    public <R> PipelineRun<R> reduce(
            R first, BiFunction<? super R, ? super E, ? extends R> function) {
        Objects.requireNonNull(first, "first");
        Objects.requireNonNull(function, "function");
        List<R> value = new ArrayList<>(List.of(first));
        Pipeline<E> all =
                with(
                        Step.Kind.EACH,
                        "reduce",
                        (StageAction<E>)
                                element ->
                                        value.set(
                                                0,
                                                Step.notNull(
                                                        "reduce",
                                                        function.apply(value.get(0), element))));
        return new PipelineRun<>(all.parts, value::getFirst);
    }

    /**
     * {@return a port that receives the elements} A child of the caller runs the pipeline; to
     * cancel the port ends it. If it fails, the port is closed with the {@link
     * PipelineFailedException}. An iterator and a stream come from the port.
     *
     * @param options how the channel behind the port is made
     * @throws IllegalStateException if no fiber runs on this thread
     */
    public ReceivePort<E> toPort(ChannelOptions<? super E> options) {
        return Ports.produce("pipeline", options, port -> to("port", port).run());
    }

    @Override
    public String toString() {
        return "pipeline of " + parts;
    }
}
