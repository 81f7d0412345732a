package dev.ropewalk.fibers.internal.watch;

import dev.ropewalk.fibers.observe.WatchdogReport;

import java.util.Locale;
import java.util.Objects;

/**
 * Trouble of a cord, for those who look after the whole process.
 *
 * @param kind of trouble
 * @param text a whole message, perhaps of several lines
 */
public record Alarm(Kind kind, String text) {
    /** The kinds of trouble, as in the name of a file. */
    public enum Kind {
        STUCK,
        ALL_STUCK,
        ALL_WAIT,
        GROWING,
        SILENT_REACTOR,
        BROKE;

        public String shown() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /** Checks the values. */
    public Alarm {
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(text, "text");
    }

    /** {@return whether the report tells of trouble, and not of its end} */
    static boolean isTrouble(WatchdogReport report) {
        return !(report instanceof WatchdogReport.Over);
    }

    static Kind kindOf(WatchdogReport report) {
        return switch (report) {
            case WatchdogReport.Stuck _, WatchdogReport.Over _ -> Kind.STUCK;
            case WatchdogReport.AllStuck _ -> Kind.ALL_STUCK;
            case WatchdogReport.AllWait _ -> Kind.ALL_WAIT;
            case WatchdogReport.Growing _ -> Kind.GROWING;
            case WatchdogReport.SilentReactor _ -> Kind.SILENT_REACTOR;
        };
    }
}
