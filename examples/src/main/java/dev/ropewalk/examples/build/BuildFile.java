package dev.ropewalk.examples.build;

import static java.util.stream.Collectors.joining;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The tasks of a file.
 *
 * <pre>
 * compile: fetch, generate   # its name, and what it needs
 *   gcc -c main.c            # indented lines are its commands
 * </pre>
 */
final class BuildFile {
    /** How many names an error lists. */
    private static final int NAMES = 8;

    private static final Pattern NAME = Pattern.compile("[\\w./+-]+");
    private static final Pattern COMMENT = Pattern.compile("(^|\\s)#.*");
    private static final Pattern BETWEEN_NEEDS = Pattern.compile("[,\\s]+");

    private final String file;

    /** In the order of the file. */
    private final Map<String, Task> tasks = new LinkedHashMap<>();

    private int lineNumber;

    /** Takes the commands that come. */
    private @Nullable Task last;

    private BuildFile(String file) {
        this.file = file;
    }

    /**
     * Reads a file.
     *
     * @param file its name, for errors
     */
    static BuildFile parse(String file, List<String> lines) throws BadFile {
        BuildFile parsed = new BuildFile(file);
        for (String line : lines) {
            parsed.lineNumber++;
            parsed.read(line);
        }
        parsed.checkNeeds();
        return parsed;
    }

    /**
     * Returns tasks and all that they need, each behind what it needs, otherwise as in the file.
     *
     * @param wanted the names of the tasks; all if there are none
     */
    List<Task> inOrder(List<String> wanted) throws BadFile {
        List<Task> ordered = inOrder();
        if (wanted.isEmpty()) {
            return ordered;
        }
        Set<String> names = new HashSet<>();
        for (String each : wanted) {
            if (!tasks.containsKey(each)) {
                throw new BadFile(
                        file
                                + ": no task is named "
                                + each
                                + ", which the command line asks for; "
                                + known());
            }
            names.add(each);
        }
        // From the end, because a task stands behind what it needs.
        for (Task each : ordered.reversed()) {
            if (names.contains(each.name())) {
                names.addAll(each.needs());
            }
        }
        return ordered.stream().filter(each -> names.contains(each.name())).toList();
    }

    // ---------------------------------------------------------------- lines

    private void read(String line) throws BadFile {
        if (line.isBlank()) {
            return;
        }
        if (Character.isWhitespace(line.charAt(0))) {
            command(line.strip());
        } else {
            String text = COMMENT.matcher(line).replaceFirst("").strip();
            if (!text.isEmpty()) {
                heading(text);
            }
        }
    }

    private void command(String text) throws BadFile {
        if (text.startsWith("#")) {
            return;
        }
        if (last == null) {
            throw bad(
                    lineNumber,
                    "the command \""
                            + text
                            + "\" belongs to no task; write a line NAME: before it, or do not"
                            + " indent it if it is one");
        }
        last.commands().add(text);
    }

    private void heading(String text) throws BadFile {
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon).strip();
        if (colon < 0 || !NAME.matcher(name).matches()) {
            throw bad(
                    lineNumber,
                    "\""
                            + text
                            + "\" is neither a task nor a command; write NAME: NEEDS for a task,"
                            + " with letters, digits and _ . / + - in its name, and indent a"
                            + " command");
        }
        Task task = new Task(name, lineNumber, needs(text.substring(colon + 1)), new ArrayList<>());
        Task before = tasks.putIfAbsent(name, task);
        if (before != null) {
            throw bad(
                    lineNumber,
                    "task "
                            + name
                            + " is there already, in line "
                            + before.line()
                            + "; give one of the two another name, or make them one");
        }
        last = task;
    }

    private static List<String> needs(String text) {
        Set<String> needs = new LinkedHashSet<>(List.of(BETWEEN_NEEDS.split(text.strip())));
        needs.remove("");
        return List.copyOf(needs);
    }

    // ---------------------------------------------------------------- the graph

    private void checkNeeds() throws BadFile {
        for (Task task : tasks.values()) {
            for (String need : task.needs()) {
                if (!tasks.containsKey(need)) {
                    throw bad(
                            task.line(),
                            "task "
                                    + task.name()
                                    + " needs "
                                    + need
                                    + ", and no task is named so; add a line "
                                    + need
                                    + ": or need another one; "
                                    + known());
                }
            }
        }
    }

    private List<Task> inOrder() throws BadFile {
        Map<String, Integer> missing = new HashMap<>();
        Map<String, List<Task>> neededBy = new HashMap<>();
        PriorityQueue<Task> ready =
                new PriorityQueue<>((one, other) -> Integer.compare(one.line(), other.line()));
        for (Task task : tasks.values()) {
            missing.put(task.name(), task.needs().size());
            task.needs()
                    .forEach(
                            need ->
                                    neededBy.computeIfAbsent(need, _ -> new ArrayList<>())
                                            .add(task));
            if (task.needs().isEmpty()) {
                ready.add(task);
            }
        }
        List<Task> ordered = new ArrayList<>();
        for (Task next = ready.poll(); next != null; next = ready.poll()) {
            ordered.add(next);
            missing.remove(next.name());
            for (Task each : neededBy.getOrDefault(next.name(), List.of())) {
                if (missing.merge(each.name(), -1, Integer::sum) == 0) {
                    ready.add(each);
                }
            }
        }
        if (!missing.isEmpty()) {
            throw circle(missing.keySet());
        }
        return ordered;
    }

    /** Each of these needs another one of them, so whoever follows the needs comes round. */
    private BadFile circle(Set<String> left) {
        Deque<String> path = new ArrayDeque<>();
        Set<String> seen = new HashSet<>();
        String at = left.iterator().next();
        while (seen.add(at)) {
            path.addLast(at);
            at = task(at).needs().stream().filter(left::contains).findFirst().orElseThrow();
        }
        while (!path.getFirst().equals(at)) {
            path.removeFirst();
        }
        int first = path.stream().mapToInt(each -> task(each).line()).min().orElseThrow();
        while (task(path.getFirst()).line() != first) {
            path.addLast(path.removeFirst());
        }
        String start = path.getFirst();
        String circle = String.join(" -> ", path) + " -> " + start;
        return bad(
                first,
                path.size() == 1
                        ? "task " + start + " needs itself; take that need away"
                        : "these tasks need each other in a circle: "
                                + circle
                                + "; take one of these needs away");
    }

    private Task task(String name) {
        return Objects.requireNonNull(tasks.get(name), name);
    }

    // ---------------------------------------------------------------- errors

    private String known() {
        Collection<String> names = tasks.keySet();
        return names.isEmpty()
                ? "there is none"
                : "there are "
                        + names.stream().limit(NAMES).collect(joining(", "))
                        + (names.size() > NAMES ? " and " + (names.size() - NAMES) + " more" : "");
    }

    private BadFile bad(int line, String what) {
        return new BadFile(file + ":" + line + ": " + what);
    }
}
