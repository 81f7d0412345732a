package dev.ropewalk.fibers.observe;

import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** When {@link DumpFiles} writes a dump, and how much; immutable. Start from {@link #into}. */
public final class DumpOptions {
    private static final int LEAST_BYTES = 64 * 1024;

    private static final Duration MAX_LIMIT = Duration.ofMinutes(1);

    private final Values values;

    private DumpOptions(Values values) {
        Objects.requireNonNull(values.directory, "directory");
        if (values.maxFiles < 1) {
            throw new IllegalArgumentException(
                    "maxFiles=" + values.maxFiles + " < 1: no dump could be kept");
        }
        if (values.maxBytes < LEAST_BYTES) {
            throw new IllegalArgumentException(
                    "maxBytes="
                            + values.maxBytes
                            + " < "
                            + LEAST_BYTES
                            + ": a dump has no room in it");
        }
        if (Waits.nanos(values.pause) == 0) {
            throw new IllegalArgumentException(
                    "pause=" + values.pause + ": alarms could fill the disk");
        }
        long limitNs = Waits.nanos(values.limit);
        if (limitNs == 0 || limitNs > MAX_LIMIT.toNanos()) {
            throw new IllegalArgumentException(
                    "limit="
                            + values.limit
                            + " is not above 0 and up to "
                            + MAX_LIMIT
                            + "; a stuck cord is waited for so long");
        }
        this.values = values;
    }

    /**
     * {@return the defaults: a dump when {@link DumpFiles#write} is called, 20 files of 16 MiB at
     * most}
     *
     * @param directory where the files are; made if it is not there
     */
    public static DumpOptions into(Path directory) {
        return new DumpOptions(new Values(directory));
    }

    /** {@return where the files are} */
    public Path directory() {
        return values.directory;
    }

    /** {@return the signal of the operating system that asks for a dump, or null} */
    public @Nullable String signal() {
        return values.signal;
    }

    /** {@return whether a cord that is stuck or breaks is dumped} */
    public boolean isOnAlarm() {
        return values.isOnAlarm;
    }

    /** {@return how many files are kept, of all processes that write there} */
    public int maxFiles() {
        return values.maxFiles;
    }

    /** {@return how large a file may become} */
    public int maxBytes() {
        return values.maxBytes;
    }

    /** {@return after how long alarms get one file more} */
    public Duration pause() {
        return values.pause;
    }

    /** {@return how long all cords together, and each section, may take to answer} */
    public Duration limit() {
        return values.limit;
    }

    /** {@return what the program adds, by its names; immutable} */
    public Map<String, Supplier<String>> sections() {
        return values.sections;
    }

    /**
     * {@return these options with a signal}
     *
     * @param name such as {@code "USR1"}; the JVM keeps some, as QUIT and USR2, for itself
     */
    public DumpOptions withSignal(String name) {
        Objects.requireNonNull(name, "name");
        return with(copy -> copy.signal = name);
    }

    /**
     * {@return these options with a dump for each alarm: when a cord breaks, and for what the
     * watchdog reports, but for its {@link WatchdogReport.Over}, whatever the stuck handlers are}
     */
    public DumpOptions onAlarm() {
        return with(copy -> copy.isOnAlarm = true);
    }

    /**
     * {@return these options with another number of files}
     *
     * @param files how many are kept, the newest ones, of all processes that write there
     */
    public DumpOptions withMaxFiles(int files) {
        return with(copy -> copy.maxFiles = files);
    }

    /**
     * {@return these options with another size}
     *
     * @param bytes of a file at most, 65,536 or more; the longest of its parts are cut
     */
    public DumpOptions withMaxBytes(int bytes) {
        return with(copy -> copy.maxBytes = bytes);
    }

    /**
     * {@return these options with another pause}
     *
     * @param pause three alarms have a file of their own at once, and one more after each pause;
     *     those in between are listed in the next file. Signals and calls are not bound by it
     */
    public DumpOptions withPause(Duration pause) {
        return with(copy -> copy.pause = pause);
    }

    /**
     * {@return these options with another limit}
     *
     * @param limit how long all cords together, and each section, may take to answer; those that do
     *     not are shown from outside, or as silent
     * @throws IllegalArgumentException if it is not above 0, or more than a minute
     */
    public DumpOptions withLimit(Duration limit) {
        return with(copy -> copy.limit = limit);
    }

    /**
     * {@return these options with one section more}
     *
     * @param name its title, another one than those that are there
     * @param text asked for each dump on a thread that is no cord, and interrupted after the limit;
     *     its exceptions are told in its place
     * @throws IllegalArgumentException if there is a section of that name
     */
    public DumpOptions withSection(String name, Supplier<String> text) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(text, "text");
        if (values.sections.containsKey(name)) {
            throw new IllegalArgumentException("section=" + name + " is there already");
        }
        Map<String, Supplier<String>> more = new LinkedHashMap<>(values.sections);
        more.put(name, text);
        return with(copy -> copy.sections = Collections.unmodifiableMap(more));
    }

    private DumpOptions with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new DumpOptions(copy);
    }

    /** Changed only while it is a copy that no options have yet. */
    private static final class Values implements Cloneable {
        final Path directory;
        @Nullable String signal;
        boolean isOnAlarm;
        int maxFiles = 20;
        int maxBytes = 16 << 20;
        Duration pause = Duration.ofMinutes(1);
        Duration limit = Duration.ofSeconds(2);
        Map<String, Supplier<String>> sections = Map.of();

        Values(Path directory) {
            this.directory = directory;
        }

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
