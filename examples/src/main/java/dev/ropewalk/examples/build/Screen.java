package dev.ropewalk.examples.build;

import dev.ropewalk.actors.Behavior;
import dev.ropewalk.examples.build.BuildEvent.Ended;
import dev.ropewalk.examples.build.BuildEvent.Failed;
import dev.ropewalk.examples.build.BuildEvent.Finished;
import dev.ropewalk.examples.build.BuildEvent.Line;
import dev.ropewalk.examples.build.BuildEvent.Skipped;
import dev.ropewalk.examples.build.BuildEvent.Started;
import dev.ropewalk.examples.build.BuildEvent.Tick;
import dev.ropewalk.examples.cli.Plain;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Tells people what happens. On a terminal its last line is drawn again as tasks come and go, but
 * at ticks only, so that many short tasks do not make it flicker.
 */
final class Screen implements Behavior<BuildEvent> {
    /** Goes to the begin of the line, and clears it. */
    static final String ERASE = "\r\u001b[K";

    /** The width of a narrow terminal, less one: a full line would break. */
    private static final int WIDTH = 79;

    private final Printer printer;
    private final int all;
    private final boolean hasProgress;
    private final Set<String> running = new LinkedHashSet<>();
    private int begun;
    private int over;
    private boolean isOver;

    /** What stands in the progress line; empty if there is none. */
    private String drawn = "";

    /**
     * Makes one.
     *
     * @param all how many tasks there are
     * @param hasProgress whether there is a progress line
     */
    Screen(Printer printer, int all, boolean hasProgress) {
        this.printer = printer;
        this.all = all;
        this.hasProgress = hasProgress;
    }

    @Override
    public Behavior<BuildEvent> onMessage(BuildEvent event) {
        switch (event) {
            case Tick _ -> draw();
            case Started started -> {
                begun++;
                running.add(started.task());
                print("[" + begun + "/" + all + "] " + started.task());
            }
            case Line line -> print(line.task() + "| " + line.text().replace("\t", "    "));
            case Finished finished -> {
                over(finished.task());
                printCut(finished.task(), finished.cutLines());
            }
            case Failed failed -> {
                over(failed.task());
                printCut(failed.task(), failed.cutLines());
                print(failed.task() + " failed: " + failed.why() + " of " + failed.command());
            }
            case Skipped skipped -> {
                over(skipped.task());
                print(skipped.task() + " is not built: " + skipped.why());
            }
            case Ended ended -> {
                isOver = true;
                printer.print(erased() + ended.summary().toText());
            }
        }
        return Behavior.same();
    }

    private void over(String task) {
        over++;
        running.remove(task);
    }

    private void printCut(String task, long lines) {
        if (lines > 0) {
            print(
                    task
                            + ": "
                            + lines
                            + " more lines of output were cut; --output-limit keeps more");
        }
    }

    private void print(String line) {
        printer.print(erased() + Plain.text(line) + "\n");
    }

    private String erased() {
        String erase = drawn.isEmpty() ? "" : ERASE;
        drawn = "";
        return erase;
    }

    private void draw() {
        String line = over + "/" + all + " done, running: " + String.join(", ", running);
        line = line.length() > WIDTH ? line.substring(0, WIDTH - 3) + "..." : line;
        if (hasProgress && !isOver && !line.equals(drawn)) {
            printer.print(erased() + line);
            drawn = line;
        }
    }
}
