package dev.ropewalk.examples.build;

import java.util.List;

/**
 * What came of a build.
 *
 * @param built the names of these tasks, in the order of the file
 * @param failed those with a command that failed
 * @param skipped all others
 * @param isInterrupted whether it was told to end before it was over
 */
record Summary(
        List<String> built, List<String> failed, List<String> skipped, boolean isInterrupted) {
    String toText() {
        int all = built.size() + failed.size() + skipped.size();
        StringBuilder text = new StringBuilder();
        text.append("build: ").append(built.size()).append(" of ").append(all).append(" built");
        if (isInterrupted) {
            text.append(" until the interrupt");
        }
        text.append('\n');
        append(text, "failed", failed);
        append(text, "not built", skipped);
        return text.toString();
    }

    private static void append(StringBuilder text, String what, List<String> names) {
        if (!names.isEmpty()) {
            text.append(what).append(": ").append(String.join(", ", names)).append('\n');
        }
    }
}
