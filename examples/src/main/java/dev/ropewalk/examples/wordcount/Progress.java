package dev.ropewalk.examples.wordcount;

import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** What is known while the run goes on; counted from any thread. */
final class Progress {
    private final LongAdder files = new LongAdder();
    private final LongAdder partial = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final LongAdder words = new LongAdder();
    private final LongAdder problems = new LongAdder();
    private final LongAdder warnings = new LongAdder();

    void filesCounted(long more) {
        files.add(more);
    }

    void filesCutOff(long more) {
        partial.add(more);
    }

    void bytesRead(long more) {
        bytes.add(more);
    }

    void wordsCounted(long more) {
        words.add(more);
    }

    void problem(Problem problem) {
        (problem.counted() ? warnings : problems).increment();
    }

    long files() {
        return files.sum();
    }

    long partial() {
        return partial.sum();
    }

    long bytes() {
        return bytes.sum();
    }

    long words() {
        return words.sum();
    }

    long problems() {
        return problems.sum();
    }

    long warnings() {
        return warnings.sum();
    }

    /** One line for a terminal, without its end. */
    String line(double seconds) {
        double megabytes = bytes() / 1e6;
        return String.format(
                Locale.ROOT,
                "%,d files, %,.1f MB, %,d words, %,.1f MB/s",
                files(),
                megabytes,
                words(),
                seconds <= 0 ? 0 : megabytes / seconds);
    }
}
