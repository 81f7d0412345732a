package dev.ropewalk.examples.build;

import static java.util.stream.Collectors.joining;

import dev.ropewalk.actors.Behavior;
import dev.ropewalk.examples.build.BuildEvent.Ended;
import dev.ropewalk.examples.build.BuildEvent.Failed;
import dev.ropewalk.examples.build.BuildEvent.Finished;
import dev.ropewalk.examples.build.BuildEvent.Line;
import dev.ropewalk.examples.build.BuildEvent.Skipped;
import dev.ropewalk.examples.build.BuildEvent.Started;
import dev.ropewalk.examples.build.BuildEvent.Tick;

import java.util.HexFormat;
import java.util.List;

/** Tells programs what happens: an object of JSON on a line for each event. */
final class JsonLines implements Behavior<BuildEvent> {
    private final Printer printer;

    JsonLines(Printer printer) {
        this.printer = printer;
    }

    @Override
    public Behavior<BuildEvent> onMessage(BuildEvent event) {
        switch (event) {
            case Tick _ -> {}
            case Started started -> print("started", task(started.task()));
            case Line line -> print("output", task(line.task()) + field("line", line.text()));
            case Finished finished ->
                    print(
                            "finished",
                            task(finished.task()) + counts(finished.ms(), finished.cutLines()));
            case Failed failed ->
                    print(
                            "failed",
                            task(failed.task())
                                    + counts(failed.ms(), failed.cutLines())
                                    + field("command", failed.command())
                                    + field("why", failed.why()));
            case Skipped skipped ->
                    print("skipped", task(skipped.task()) + field("why", skipped.why()));
            case Ended ended -> {
                Summary summary = ended.summary();
                print(
                        "ended",
                        names("built", summary.built())
                                + names("failed", summary.failed())
                                + names("skipped", summary.skipped())
                                + ",\"interrupted\":"
                                + summary.isInterrupted());
            }
        }
        return Behavior.same();
    }

    private void print(String event, String rest) {
        printer.print("{\"event\":\"" + event + "\"" + rest + "}\n");
    }

    private static String task(String name) {
        return field("task", name);
    }

    private static String counts(long ms, long cutLines) {
        return ",\"ms\":" + ms + ",\"cutLines\":" + cutLines;
    }

    private static String field(String name, String value) {
        return ",\"" + name + "\":" + quoted(value);
    }

    private static String names(String name, List<String> values) {
        return values.stream()
                .map(JsonLines::quoted)
                .collect(joining(",", ",\"" + name + "\":[", "]"));
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ' || Character.isSurrogate(c)) {
                quoted.append("\\u").append(HexFormat.of().toHexDigits(c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
