package dev.ropewalk.benchmarks.result;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The output of {@code observed}.
 *
 * @param facts about the run
 * @param lines what was seen, a sentence each
 */
public record Observations(Map<String, String> facts, List<String> lines) {
    /** A line that was seen begins with it. */
    public static final String KEYWORD = "OBSERVED";

    /** {@return what is in such an output; empty if it is another one} */
    public static Optional<Observations> of(List<String> text) {
        List<String> seen =
                text.stream()
                        .filter(each -> each.startsWith(KEYWORD + " "))
                        .map(each -> each.substring(KEYWORD.length() + 1))
                        .toList();
        Map<String, String> facts = new TreeMap<>();
        for (String each : text) {
            String[] words = each.split(" ", 3);
            if (words[0].equals(Results.FACT) && words.length == 3) {
                facts.put(words[1], words[2]);
            }
        }
        return seen.isEmpty() ? Optional.empty() : Optional.of(new Observations(facts, seen));
    }
}
