package dev.ropewalk.examples.wordcount;

import dev.ropewalk.examples.cli.Plain;

import java.util.List;
import java.util.Locale;

/**
 * What a run has counted.
 *
 * @param files files that were counted to their end
 * @param partial files that were counted in part
 * @param bytes length of what was counted
 * @param words words, repeats included
 * @param distinct different words
 * @param restarts how often a counter was restarted
 * @param problems how many problems were reported
 * @param warnings how many warnings were reported, of what was counted all the same
 * @param interrupted whether the run was ended before it was complete
 * @param top the most frequent words, in order
 */
record Summary(
        long files,
        long partial,
        long bytes,
        long words,
        long distinct,
        long elapsedNs,
        long restarts,
        long problems,
        long warnings,
        boolean interrupted,
        List<WordCount> top) {
    private static final double NS_PER_SECOND = 1e9;

    Summary {
        top = List.copyOf(top);
    }

    /** For people: a table of the most frequent words, then the totals. */
    String toText() {
        StringBuilder text = new StringBuilder();
        if (!top.isEmpty()) {
            int width = Math.max("count".length(), grouped(top.getFirst().count()).length());
            row(text, width, "count", "word");
            for (WordCount word : top) {
                row(text, width, grouped(word.count()), Plain.text(word.text()));
            }
            text.append('\n');
        }
        text.append(counted(files, "file"));
        if (partial > 0) {
            text.append(" and ").append(grouped(partial)).append(" in part");
        }
        text.append(": ").append(counted(words, "word"));
        text.append(", ").append(counted(distinct, "different word"));
        text.append('\n').append(counted(bytes, "byte"));
        text.append(" in ").append(decimal(3, elapsedNs / NS_PER_SECOND)).append(" s: ");
        text.append(decimal(1, perSecond(bytes) / 1e6)).append(" MB/s, ");
        text.append(decimal(1, perSecond(words) / 1e6)).append(" million words/s\n");
        text.append(counted(restarts, "restart")).append(", ");
        text.append(counted(problems, "problem"));
        if (warnings > 0) {
            text.append(", ").append(counted(warnings, "warning"));
        }
        text.append('\n');
        if (interrupted) {
            text.append("interrupted: the numbers cover what was counted until then\n");
        }
        return text.toString();
    }

    /** For programs: one object on one line. */
    String toJson() {
        StringBuilder json = new StringBuilder();
        json.append("{\"files\":").append(files);
        json.append(",\"partial\":").append(partial);
        json.append(",\"bytes\":").append(bytes);
        json.append(",\"words\":").append(words);
        json.append(",\"distinct\":").append(distinct);
        json.append(",\"elapsedNs\":").append(elapsedNs);
        json.append(",\"bytesPerSecond\":").append(Math.round(perSecond(bytes)));
        json.append(",\"wordsPerSecond\":").append(Math.round(perSecond(words)));
        json.append(",\"restarts\":").append(restarts);
        json.append(",\"problems\":").append(problems);
        json.append(",\"warnings\":").append(warnings);
        json.append(",\"interrupted\":").append(interrupted);
        json.append(",\"top\":[");
        String comma = "";
        for (WordCount word : top) {
            json.append(comma).append("{\"word\":");
            quote(json, word.text());
            json.append(",\"count\":").append(word.count()).append('}');
            comma = ",";
        }
        return json.append("]}\n").toString();
    }

    /** Appends a JSON string, which shows as it is wherever it is printed. */
    static void quote(StringBuilder to, String any) {
        String escaped = any.replace("\\", "\\\\").replace("\"", "\\\"");
        to.append('"').append(Plain.text(escaped)).append('"');
    }

    private double perSecond(long amount) {
        return elapsedNs <= 0 ? 0 : amount * NS_PER_SECOND / elapsedNs;
    }

    private static String counted(long number, String noun) {
        return grouped(number) + " " + noun + (number == 1 ? "" : "s");
    }

    private static String grouped(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String decimal(int places, double number) {
        return String.format(Locale.ROOT, "%." + places + "f", number);
    }

    private static void row(StringBuilder text, int width, String count, String word) {
        text.append(" ".repeat(width - count.length()));
        text.append(count).append("  ").append(word).append('\n');
    }
}
