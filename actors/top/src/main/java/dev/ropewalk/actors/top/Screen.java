package dev.ropewalk.actors.top;

import com.google.gson.JsonObject;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A look as lines of text, for a terminal of some size or for a file. */
final class Screen {
    /** Names of a cord. */
    private static final int MAX_NAME = 24;

    private static final int MIN_PATH = 20;
    private static final int NUMBERS_OF_AN_ACTOR = 68;
    private static final int MIN_COLUMNS = 40;

    /** How many lines each part may have. */
    private static final int MAX_CYCLES = 3;

    private static final String BOLD = "\033[1m";
    private static final String REVERSE = "\033[7m";
    private static final String NORMAL = "\033[0m";

    private final int columns;
    private final boolean isEmphasised;
    private final List<String> lines = new ArrayList<>();

    private Screen(int columns, boolean isEmphasised) {
        this.columns = Math.max(MIN_COLUMNS, columns);
        this.isEmphasised = isEmphasised;
    }

    /** For a terminal: no more lines than it has. */
    static List<String> of(
            Look look, Options options, String title, int columns, int height, boolean emphasised)
            throws Stopped {
        Screen screen = new Screen(columns, emphasised);
        try {
            screen.add(look, options, title, height);
        } catch (RuntimeException bad) { // a field of another type
            throw Look.notUnderstood(bad);
        }
        List<String> lines = screen.lines;
        return lines.subList(0, Math.min(height, lines.size()));
    }

    private void add(Look look, Options options, String title, int height) throws Stopped {
        JsonObject process = look.all().getAsJsonObject("process");
        String head =
                String.format(
                        Locale.ROOT,
                        "ropewalk-top  pid %.0f  Java %s  %.0f processors  heap %.0f of %.0f MiB "
                                + " %s",
                        Look.number(process, "pid"),
                        Look.text(process, "java"),
                        Look.number(process, "processors"),
                        Look.number(process, "heapUsed") / (1 << 20),
                        Look.number(process, "heapMax") / (1 << 20),
                        title);
        line(BOLD, Plain.cut(head, columns));
        List<JsonObject> cords = new ArrayList<>(Look.list(look.all(), "cords"));
        cords.sort(Look.descending(Screen::heat));
        int room = Math.max(3, (height - 6) / 2);
        addCords(cords, room);
        addCycles(cords);
        addSystems(look);
        int left = Math.max(0, height - lines.size() - 1);
        int rows = options.rows() == Options.AS_FITS ? left : options.rows();
        addActors(look.sorted(options.sort(), rows), options);
    }

    /** A cord that does not answer is the first. */
    private static double heat(JsonObject cord) {
        return cord.get("silent").getAsBoolean() ? 2 : Look.number(cord, "busy");
    }

    private void addCords(List<JsonObject> cords, int room) {
        line(
                REVERSE,
                Plain.cell(
                        Plain.cell("CORD", MAX_NAME)
                                + "  BUSY  SWITCHES/S   FIBERS RUNNABLE    INBOX   TIMERS    TASKS",
                        columns));
        int shown = cords.size() <= room ? cords.size() : room - 1;
        for (JsonObject each : cords.subList(0, shown)) {
            double busy = Look.number(each, "busy");
            String text =
                    Plain.cell(name(each), MAX_NAME)
                            + Plain.right(busy < 0 ? "-" : Math.round(100 * busy) + "%", 6)
                            + column(each, "switches", 12)
                            + column(each, "fibers", 9)
                            + column(each, "runnable", 9)
                            + column(each, "inbox", 9)
                            + column(each, "timers", 9)
                            + column(each, "tasks", 9);
            boolean isStuck = each.get("silent").getAsBoolean();
            line(isStuck ? BOLD : "", Plain.cut(text, columns));
            if (isStuck) {
                line(BOLD, Plain.cut("  STUCK in " + place(each), columns));
            }
        }
        if (shown < cords.size()) {
            line("", "... and " + (cords.size() - shown) + " more cords");
        }
    }

    private static String name(JsonObject of) {
        return "" + Look.text(of, "name");
    }

    private static String place(JsonObject cord) {
        String running = Look.text(cord, "running");
        List<String> stack = Look.texts(cord, "stack");
        return (running == null ? "no fiber" : "fiber " + running)
                + (stack.isEmpty() ? "" : " at " + stack.getFirst());
    }

    private void addCycles(List<JsonObject> cords) {
        List<String> cycles = new ArrayList<>();
        cords.forEach(each -> cycles.addAll(Look.texts(each, "cycles")));
        for (String each : cycles.subList(0, Math.min(cycles.size(), MAX_CYCLES))) {
            line(BOLD, Plain.cut(each, columns));
        }
        if (cycles.size() > MAX_CYCLES) {
            line("", "... and " + (cycles.size() - MAX_CYCLES) + " more cycles");
        }
    }

    private void addSystems(Look look) {
        String shown = Look.text(look.all(), "system");
        for (JsonObject each : Look.list(look.all(), "systems")) {
            String name = name(each);
            if (name.equals(shown)) {
                double letters = Look.number(each, "letters");
                String failure = Look.text(each, "failure");
                line(
                        "",
                        Plain.cut(
                                "system "
                                        + name
                                        + ": "
                                        + shown(Look.number(each, "actors"))
                                        + " actors, "
                                        + shown(Look.number(each, "deadLetters"))
                                        + " dead letters"
                                        + (letters < 0 ? "" : ", " + shown(letters) + " a second")
                                        + (failure == null ? "" : "; not seen: " + failure),
                                columns));
            }
        }
    }

    private void addActors(Look look, Options options) {
        if (Look.text(look.all(), "system") == null) {
            line(
                    "",
                    Plain.cut(
                            options.system() == null
                                    ? "no system of actors"
                                    : "no system of actors is called " + options.system(),
                            columns));
            return;
        }
        int path = Math.max(MIN_PATH, columns - NUMBERS_OF_AN_ACTOR);
        line(
                REVERSE,
                Plain.cell(
                        Plain.cell("ACTOR", path)
                                + "   QUEUED   OLDEST   RATE/S RESTARTS PHASE        HANDLES",
                        columns));
        for (JsonObject each : look.rows()) {
            double oldest = Look.number(each, "oldest");
            String handles = Look.text(each, "handles");
            String phase = Look.text(each, "phase");
            line(
                    "",
                    Plain.cut(
                            Plain.cell("" + Look.text(each, "path"), path)
                                    + column(each, "queued", 9)
                                    + Plain.right(oldest < 0 ? "-" : age(oldest), 9)
                                    + column(each, "rate", 9)
                                    + column(each, "restarts", 9)
                                    + " "
                                    + Plain.cell(phase == null ? "supervisor" : phase, 12)
                                    + " "
                                    + (handles == null ? "" : handles),
                            columns));
        }
        long more = Math.round(Look.number(look.all(), "total")) - look.rows().size();
        if (more > 0) {
            line("", "... and " + shown((double) more) + " more");
        }
    }

    private static String column(JsonObject of, String name, int width) {
        double value = Look.number(of, name);
        return Plain.right(value < 0 ? "-" : shown(value), width);
    }

    private static String shown(double number) {
        return number < 10 && number != Math.rint(number)
                ? String.format(Locale.ROOT, "%.1f", number)
                : String.format(Locale.ROOT, "%,d", Math.round(number));
    }

    private static String age(double millis) {
        return millis < 10_000
                ? Math.round(millis) + "ms"
                : String.format(Locale.ROOT, "%,ds", Math.round(millis / 1_000));
    }

    private void line(String emphasis, String text) {
        lines.add(isEmphasised && !emphasis.isEmpty() ? emphasis + text + NORMAL : text);
    }
}
