package dev.ropewalk.fibers.internal.dump;

import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

/** Texts that the layers above add to the file of a dump, by their names. For any thread. */
public final class DumpSections {
    /** Makes the text of a section. */
    @FunctionalInterface
    public interface Section {
        /**
         * Called on a thread that is no cord.
         *
         * @param limit how long it may take
         * @return of several lines
         */
        String text(Duration limit);
    }

    private static final Map<String, Section> ALL = new ConcurrentSkipListMap<>();

    private DumpSections() {}

    /** For the life of the process. */
    public static void add(String name, Section section) {
        ALL.put(name, section);
    }

    public static Map<String, Section> all() {
        return new TreeMap<>(ALL);
    }
}
