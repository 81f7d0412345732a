package dev.ropewalk.benchmarks.report;

import dev.ropewalk.benchmarks.result.Measured;
import dev.ropewalk.benchmarks.result.Results;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Two runs beside each other: whether the second found each figure within the spread that the first
 * states. A row agrees if the ranges from least to greatest of the two runs meet.
 */
public final class Comparison {
    private final Results first;
    private final Results second;

    public Comparison(Results first, Results second) {
        this.first = first;
        this.second = second;
    }

    /** {@return one line for each row that does not agree, and one that counts} */
    public List<String> lines() {
        List<String> text = new ArrayList<>();
        int rows = 0;
        int agreeing = 0;
        for (Results.Line line : first.lines()) {
            Optional<Measured> again =
                    second.find(line.collector(), line.scenario(), line.system());
            if (again.isPresent()) {
                rows++;
                if (line.measured().meets(again.get())) {
                    agreeing++;
                } else {
                    text.add(difference(line, again.get()));
                }
            }
        }
        text.add(
                String.format(
                        Locale.ROOT, "%d of %d rows agree: their ranges meet", agreeing, rows));
        return text;
    }

    private static String difference(Results.Line line, Measured again) {
        Measured before = line.measured();
        return String.format(
                Locale.ROOT,
                "%s %s with %s: %.1f (%.1f to %.1f), then %.1f (%.1f to %.1f), %.2f times",
                line.scenario(),
                line.system(),
                line.collector(),
                before.median(),
                before.least(),
                before.most(),
                again.median(),
                again.least(),
                again.most(),
                again.median() / before.median());
    }
}
