package dev.ropewalk.fibers.metrics;

import dev.ropewalk.fibers.internal.dump.Lines;

import java.util.List;
import java.util.Objects;

/**
 * A number of a reading.
 *
 * @param metric its name, kind and help
 * @param tags of which class or group it is, in the order in which the source told them
 * @param value the number
 */
public record MetricValue(Metric metric, List<Tag> tags, double value) {
    /**
     * Keeps a copy of the list.
     *
     * @param metric its name, kind and help
     * @param tags of which class or group it is
     * @param value the number
     */
    public MetricValue {
        tags = List.copyOf(tags);
    }

    /**
     * A name and its value.
     *
     * @param name small letters
     * @param value a line, which is cut if it is long
     */
    public record Tag(String name, String value) {
        /**
         * Checks the name, and cuts the value.
         *
         * @param name small letters
         * @param value any text
         * @throws IllegalArgumentException if the name has other characters than a to z, or none
         */
        public Tag {
            boolean isName = !name.isEmpty() && name.chars().allMatch(c -> c >= 'a' && c <= 'z');
            if (!isName) {
                throw new IllegalArgumentException(
                        "name=" + name + " is no name of a tag; use small letters: group");
            }
            value = Lines.line(Objects.requireNonNull(value, "value"));
        }
    }
}
