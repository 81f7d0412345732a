package dev.ropewalk.actors.observer;

import dev.ropewalk.actors.observe.ActorGlance;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** Orders the actors of a system as rows. */
final class TreeOrder {
    /** Of which the first is the default. */
    enum By {
        TREE,
        QUEUED,
        RESTARTS;

        static By of(@Nullable String name) {
            for (By each : values()) {
                if (each.name().toLowerCase(Locale.ROOT).equals(name)) {
                    return each;
                }
            }
            return TREE;
        }
    }

    /**
     * An actor, or a supervisor above one.
     *
     * @param id of it alone
     * @param depth how many names are above it
     * @param actor null for a supervisor
     */
    record Row(String id, String path, int depth, @Nullable ActorGlance actor) {}

    private static final Comparator<ActorGlance> QUEUED =
            Comparator.comparingInt(ActorGlance::queued)
                    .reversed()
                    .thenComparing(ActorGlance::path);

    private static final Comparator<ActorGlance> RESTARTS =
            Comparator.comparingLong(ActorGlance::restarts)
                    .reversed()
                    .thenComparing(ActorGlance::path);

    private static final Comparator<ActorGlance> TREE =
            (one, other) -> byNames(one.path(), other.path());

    private TreeOrder() {}

    /**
     * All rows.
     *
     * @param filter a part of the path, of the cord's name or of the phase; empty for all
     */
    static List<Row> rows(List<ActorGlance> actors, String filter, By by) {
        String wanted = filter.toLowerCase(Locale.ROOT);
        List<ActorGlance> shown = new ArrayList<>(actors.size());
        for (ActorGlance each : actors) {
            if (wanted.isEmpty() || isFound(each, wanted)) {
                shown.add(each);
            }
        }
        shown.sort(
                switch (by) {
                    case TREE -> TREE;
                    case QUEUED -> QUEUED;
                    case RESTARTS -> RESTARTS;
                });
        return by == By.TREE && wanted.isEmpty() ? tree(shown) : flat(shown);
    }

    private static boolean isFound(ActorGlance actor, String wanted) {
        return actor.path().toLowerCase(Locale.ROOT).contains(wanted)
                || actor.cord().toLowerCase(Locale.ROOT).contains(wanted)
                || actor.phase().name().toLowerCase(Locale.ROOT).contains(wanted);
    }

    /** So that an actor stands directly above its own actors: name by name. */
    static int byNames(String one, String other) {
        int length = Math.min(one.length(), other.length());
        for (int i = 0; i < length; i++) {
            char left = one.charAt(i);
            char right = other.charAt(i);
            if (left != right) {
                return left == '/' ? -1 : right == '/' ? 1 : Character.compare(left, right);
            }
        }
        return Integer.compare(one.length(), other.length());
    }

    private static List<Row> flat(List<ActorGlance> actors) {
        List<Row> rows = new ArrayList<>(actors.size());
        for (ActorGlance each : actors) {
            rows.add(new Row(id(each), each.path(), 0, each));
        }
        return rows;
    }

    /** With a row for each supervisor that has actors below it. */
    private static List<Row> tree(List<ActorGlance> actors) {
        List<Row> rows = new ArrayList<>(actors.size() + 16);
        String above = "";
        for (ActorGlance each : actors) {
            int known = common(above, each.path());
            int end = each.path().indexOf('/', known);
            while (end >= 0) {
                String supervisor = each.path().substring(0, end);
                rows.add(new Row(id(supervisor), supervisor, depth(supervisor), null));
                end = each.path().indexOf('/', end + 1);
            }
            rows.add(new Row(id(each), each.path(), depth(each.path()), each));
            above = each.path();
        }
        return rows;
    }

    /** From where on the names of the second path have no row yet. */
    private static int common(String above, String path) {
        int last = 0;
        for (int i = 0; i < path.length(); i++) {
            boolean isEnd = i == above.length();
            if (path.charAt(i) == '/' && (isEnd || above.charAt(i) == '/')) {
                last = i + 1;
            }
            if (isEnd || above.charAt(i) != path.charAt(i)) {
                break;
            }
        }
        return last;
    }

    /** Short, because each event has those of all rows. */
    private static String id(ActorGlance actor) {
        return String.valueOf(actor.number());
    }

    /** By 64 bits (FNV-1a), because those of {@code hashCode} meet for short names. */
    private static String id(String supervisor) {
        long hash = 0xcbf2_9ce4_8422_2325L;
        for (int i = 0; i < supervisor.length(); i++) {
            hash = (hash ^ supervisor.charAt(i)) * 0x100_0000_01b3L;
        }
        return "s" + Long.toHexString(hash);
    }

    private static int depth(String path) {
        int depth = 0;
        for (int i = path.indexOf('/'); i >= 0; i = path.indexOf('/', i + 1)) {
            depth++;
        }
        return depth;
    }
}
