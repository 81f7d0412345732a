package dev.ropewalk.benchmarks.report;

import dev.ropewalk.benchmarks.result.Measured;
import dev.ropewalk.benchmarks.result.Results;
import dev.ropewalk.benchmarks.scenario.Row;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Fills in the tables of pages that are written by hand. A page says which systems it wants, and
 * perhaps which scenarios:
 *
 * <pre>
 *   &lt;!-- table: ropewalk SYSTEM... --&gt;        or  ropewalk SYSTEM... | SCENARIO...
 *   &lt;!-- end --&gt;
 * </pre>
 *
 * The first column is the best form of Ropewalk.
 */
final class PageTables {
    private static final Pattern TABLE =
            Pattern.compile(
                    "(<!-- table: ([^>]*) -->\\n)(?:(?!<!-- table:).)*?(<!-- end -->)",
                    Pattern.DOTALL);
    private static final Pattern BETWEEN_LISTS = Pattern.compile(" \\| ");
    private static final String COLLECTOR = Results.COLLECTORS.getFirst();

    private final Results results;
    private final Set<String> systems;

    PageTables(Results results, Set<String> systems) {
        this.results = results;
        this.systems = systems;
    }

    /** Writes the page anew; no effect if there is none. */
    void fillIn(Path page) throws IOException {
        if (Files.exists(page)) {
            Files.writeString(page, withTables(Files.readString(page)));
        }
    }

    String withTables(String text) {
        return TABLE.matcher(text).replaceAll(found -> Matcher.quoteReplacement(filled(found)));
    }

    private String filled(MatchResult found) {
        String[] lists = BETWEEN_LISTS.split(found.group(2), -1);
        List<String> columns = List.of(lists[0].split(" ", -1));
        for (String system : columns.subList(1, columns.size())) {
            if (!systems.contains(system)) {
                throw new IllegalArgumentException("no such system in a table: " + system);
            }
        }
        List<String> scenarios = lists.length < 2 ? List.of() : List.of(lists[1].split(" ", -1));
        return found.group(1) + table(columns, scenarios) + found.group(3);
    }

    private String table(List<String> columns, List<String> scenarios) {
        StringBuilder table = new StringBuilder("\n| |");
        columns.forEach(system -> table.append(' ').append(system).append(" |"));
        table.append("\n|---|").append("---:|".repeat(columns.size())).append('\n');
        for (Row row : Row.all()) {
            boolean isWanted = scenarios.isEmpty() || scenarios.contains(row.name());
            if (isWanted && !row.isScaling()) {
                results.best(row.name(), true).ifPresent(best -> add(table, row, best, columns));
            }
        }
        return table.append('\n').toString();
    }

    /** A line, if one of the others runs the scenario too. */
    private void add(StringBuilder table, Row row, String best, List<String> columns) {
        StringBuilder cells = new StringBuilder();
        boolean isShared = false;
        for (int i = 0; i < columns.size(); i++) {
            String system = i == 0 ? best : columns.get(i);
            Optional<Measured> measured = results.find(COLLECTOR, row.name(), system);
            isShared |= i > 0 && measured.isPresent();
            cells.append(' ').append(measured.map(m -> Chart.figure(m.median())).orElse("-"));
            cells.append(i == 0 ? ", " + best.substring(best.indexOf('-') + 1) : "");
            cells.append(" |");
        }
        if (isShared) {
            table.append("| ").append(row.name()).append(", ").append(row.scenario().unit());
            table.append(" |").append(cells).append('\n');
        }
    }
}
