package dev.ropewalk.actors.cluster.internal.shard;

import dev.ropewalk.actors.cluster.store.StoreEntry;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Which life of which node owns which shard: the value of one key of the store, as lines of text
 * that an operator can read. Immutable. The decisions are functions of it and of the nodes that are
 * there, so two nodes that see the same decide the same.
 *
 * <pre>
 * ropewalk shards: 256, hash: CRC-32C, hash version: 1, format: 1
 * leaving: 5d1c n2
 * 00: 17 77a0 n1
 * 01: new 5d1c n2
 * 02: -
 * </pre>
 *
 * <p>A line of a shard has its epoch, the life of its owner in hexadecimal digits, and the node's
 * name, which may have spaces. The epoch is the revision of the write that made this life the
 * owner. The writer cannot know it, so it writes {@code new}, which stands for the revision of the
 * entry; the next writer puts the number there. So an epoch is never given twice, and grows with
 * each owner of a shard, because a value has a greater revision than the one that it replaced; also
 * if the table is removed and made again by an operator. Rejected: a count in each line, which
 * begins again with a table that is made again, when states with greater epochs are in the store.
 */
final class ShardTable {
    private static final String LEAVING = "leaving: ";
    private static final String NEW = "new";
    private static final String NOBODY = "-";

    private static final Comparator<Owner> BY_NAME =
            Comparator.comparing(Owner::node).thenComparingLong(Owner::life);

    private final long revision;

    /** By the numbers of the shards. */
    private final @Nullable Owner[] owners;

    /** 0 until the write that makes the owner has been answered. */
    private final long[] epochs;

    private final NavigableSet<Owner> leaving;

    /**
     * A life of a node.
     *
     * @param node its name
     * @param life the number that it has drawn
     */
    record Owner(String node, long life) {
        @Override
        public String toString() {
            return Long.toHexString(life) + " " + node;
        }
    }

    /**
     * A life that shards may be given to, as far as is known.
     *
     * @param owner which
     * @param version that of its program
     */
    record Taker(Owner owner, String version) {}

    /**
     * A shard that its owner is to give away.
     *
     * @param shard its number
     * @param to its next owner
     */
    record Move(int shard, Owner to) {}

    private ShardTable(
            long revision, @Nullable Owner[] owners, long[] epochs, NavigableSet<Owner> leaving) {
        this.revision = revision;
        this.owners = owners;
        this.epochs = epochs;
        this.leaving = leaving;
    }

    /** The one before the first, in which nobody owns anything. */
    static ShardTable empty() {
        return new ShardTable(
                0, new Owner[Shards.COUNT], new long[Shards.COUNT], new TreeSet<>(BY_NAME));
    }

    // ---------------------------------------------------------------- text

    byte[] bytes() {
        StringBuilder text = new StringBuilder(ShardHead.LINE).append('\n');
        leaving.forEach(each -> text.append(LEAVING).append(each).append('\n'));
        for (int shard = 0; shard < Shards.COUNT; shard++) {
            text.append(Shards.hex(shard)).append(": ");
            Owner owner = owners[shard];
            if (owner == null) {
                text.append(NOBODY);
            } else {
                text.append(epochs[shard] == 0 ? NEW : "" + epochs[shard]);
                text.append(' ').append(owner);
            }
            text.append('\n');
        }
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * The table that an entry is; the empty one if there is no entry.
     *
     * @throws RefusedTableException if it is none, or one of a program whose shards are others
     */
    static ShardTable read(StoreEntry entry) {
        if (!entry.isPresent()) {
            return empty();
        }
        String text = new String(entry.value(), StandardCharsets.UTF_8);
        List<String> lines = text.lines().toList();
        String refusal = ShardHead.refusal(entry);
        if (refusal != null) {
            throw new RefusedTableException(refusal);
        }
        if (!text.endsWith("\n")) {
            throw broken(entry, lines.size(), "it has no end");
        }
        return new Reader(entry, lines).table();
    }

    private static String shortened(String line) {
        return line.length() > 100 ? line.substring(0, 100) + "..." : line;
    }

    private static RefusedTableException broken(StoreEntry entry, int line, String why) {
        return new RefusedTableException(
                "line "
                        + line
                        + " of the entry "
                        + entry.key()
                        + " is no line of a table of shards: "
                        + why
                        + "; stop all nodes, then repair or remove the entry");
    }

    /** Nothing is skipped: the next writer would drop it. */
    private static final class Reader {
        private final StoreEntry entry;
        private final List<String> lines;
        private final @Nullable Owner[] owners = new Owner[Shards.COUNT];
        private final long[] epochs = new long[Shards.COUNT];
        private final NavigableSet<Owner> leaving = new TreeSet<>(BY_NAME);
        private int at = 1;

        Reader(StoreEntry entry, List<String> lines) {
            this.entry = entry;
            this.lines = lines;
        }

        ShardTable table() {
            while (at < lines.size() && lines.get(at).startsWith(LEAVING)) {
                leaving.add(owner(lines.get(at).substring(LEAVING.length())));
                at++;
            }
            if (lines.size() - at != Shards.COUNT) {
                throw isBroken((lines.size() - at) + " lines of shards, not " + Shards.COUNT);
            }
            for (int shard = 0; shard < Shards.COUNT; shard++) {
                line(shard);
                at++;
            }
            return new ShardTable(entry.revision(), owners, epochs, leaving);
        }

        private void line(int shard) {
            String start = Shards.hex(shard) + ": ";
            String line = lines.get(at);
            if (!line.startsWith(start)) {
                throw isBroken("it must begin with \"" + start + "\"");
            }
            String rest = line.substring(start.length());
            if (rest.equals(NOBODY)) {
                return;
            }
            int space = Math.max(0, rest.indexOf(' '));
            epochs[shard] = epoch(rest.substring(0, space));
            owners[shard] = owner(rest.substring(space + 1));
        }

        private long epoch(String text) {
            if (text.equals(NEW)) {
                return entry.revision();
            }
            long epoch = number(text, 10);
            if (epoch <= 0 || epoch > entry.revision()) {
                throw isBroken("the epoch " + epoch + " is not from 1 to " + entry.revision());
            }
            return epoch;
        }

        private Owner owner(String text) {
            int space = text.indexOf(' ');
            if (space < 1 || space + 1 == text.length()) {
                throw isBroken("it must have a life and the name of a node");
            }
            return new Owner(text.substring(space + 1), number(text.substring(0, space), 16));
        }

        private long number(String text, int radix) {
            try {
                return radix == 16
                        ? Long.parseUnsignedLong(text, radix)
                        : Long.parseLong(text, radix);
            } catch (NumberFormatException notOne) {
                throw isBroken("\"" + shortened(text) + "\" is no number");
            }
        }

        private RefusedTableException isBroken(String why) {
            return broken(entry, Math.min(at, lines.size() - 1) + 1, why);
        }
    }

    /** The same, as it is read after it was written. */
    ShardTable written(long atRevision) {
        long[] known = epochs.clone();
        for (int shard = 0; shard < Shards.COUNT; shard++) {
            if (owners[shard] != null && known[shard] == 0) {
                known[shard] = atRevision;
            }
        }
        return new ShardTable(atRevision, owners, known, leaving);
    }

    // ---------------------------------------------------------------- what it says

    /** That of the entry which it was read from; 0 if there was none. */
    long revision() {
        return revision;
    }

    @Nullable Owner owner(int shard) {
        return owners[shard];
    }

    /** 0 if nobody owns the shard. */
    long epoch(int shard) {
        return epochs[shard];
    }

    boolean isLeaving(Owner owner) {
        return leaving.contains(owner);
    }

    /** All lives that it names. */
    Set<Owner> named() {
        Set<Owner> all = new TreeSet<>(leaving);
        for (Owner each : owners) {
            if (each != null) {
                all.add(each);
            }
        }
        return all;
    }

    /** In order. */
    List<Integer> shardsOf(Owner owner) {
        return IntStream.range(0, Shards.COUNT)
                .filter(shard -> owner.equals(owners[shard]))
                .boxed()
                .toList();
    }

    // ---------------------------------------------------------------- decisions

    /**
     * Shards that nobody owns, or a life that is over, go to those that have the fewest.
     *
     * @param over lives that are over for sure
     * @param takers all that are there
     * @return this one if nothing is to be changed
     */
    ShardTable settled(Set<Owner> over, Collection<Taker> takers) {
        List<Integer> orphans =
                IntStream.range(0, Shards.COUNT)
                        .filter(shard -> isNobodys(shard, over))
                        .boxed()
                        .toList();
        NavigableSet<Owner> still = new TreeSet<>(leaving);
        still.removeAll(over);
        Counts counts = counts(takers);
        boolean isSame = orphans.isEmpty() || counts.isEmpty();
        if (isSame && still.size() == leaving.size()) {
            return this;
        }
        return (isSame ? this : given(orphans, counts)).withLeaving(still);
    }

    private boolean isNobodys(int shard, Set<Owner> over) {
        Owner owner = owners[shard];
        return owner == null || over.contains(owner);
    }

    /** Shards that their owner has stopped go to those that have the fewest, or to nobody. */
    ShardTable givenToFewest(Collection<Integer> shards, Collection<Taker> takers) {
        return shards.isEmpty() ? this : given(shards, counts(takers));
    }

    private ShardTable given(Collection<Integer> shards, Counts counts) {
        @Nullable Owner[] next = owners.clone();
        long[] nextEpochs = epochs.clone();
        for (int shard : shards) {
            next[shard] = counts.isEmpty() ? null : counts.giveToFewest();
            nextEpochs[shard] = 0;
        }
        return new ShardTable(revision, next, nextEpochs, leaving);
    }

    /** One shard, which its owner has stopped. */
    ShardTable given(Move move) {
        @Nullable Owner[] next = owners.clone();
        long[] nextEpochs = epochs.clone();
        next[move.shard()] = move.to();
        nextEpochs[move.shard()] = 0;
        return new ShardTable(revision, next, nextEpochs, leaving);
    }

    /** Nothing is given to that life any more. */
    ShardTable withLeaving(Owner owner) {
        if (leaving.contains(owner)) {
            return this;
        }
        NavigableSet<Owner> more = new TreeSet<>(leaving);
        more.add(owner);
        return withLeaving(more);
    }

    private ShardTable withLeaving(NavigableSet<Owner> all) {
        return new ShardTable(revision, owners, epochs, all);
    }

    /**
     * The next shard that a life is to give away, so that all get the fair share. Only the one that
     * has the most gives, as long as another one has two less. So a node that joins N - 1 others in
     * balance gets floor(256 / N) shards, by as many moves, and nothing moves between the others.
     * Rejected: each that has two more than another one gives, because those in the middle give and
     * get.
     *
     * @param takers all that are there, the giver too
     * @return null if it is to keep what it has; also while programs of two versions run
     */
    @Nullable Move nextMove(Owner giver, Collection<Taker> takers) {
        Counts counts = counts(takers);
        boolean isOneVersion = takers.stream().map(Taker::version).distinct().count() == 1;
        if (!isOneVersion || !counts.has(giver)) {
            return null;
        }
        Owner most = counts.most();
        Owner fewest = counts.fewest();
        if (!most.equals(giver) || counts.of(most) - counts.of(fewest) < 2) {
            return null;
        }
        return new Move(shardsOf(giver).getFirst(), fewest);
    }

    private Counts counts(Collection<Taker> takers) {
        List<Taker> staying =
                takers.stream().filter(each -> !leaving.contains(each.owner())).toList();
        String newest =
                staying.stream().map(Taker::version).max(ShardTable::compareVersions).orElse("");
        Map<Owner, Integer> all = new TreeMap<>(BY_NAME);
        for (Taker each : staying) {
            if (each.version().equals(newest)) {
                all.put(each.owner(), 0);
            }
        }
        for (Owner each : owners) {
            if (each != null) {
                all.computeIfPresent(each, (_, count) -> count + 1);
            }
        }
        return new Counts(all);
    }

    /** How many shards each has that may get some. Of those with as many, the first by name. */
    private record Counts(Map<Owner, Integer> all) {
        boolean isEmpty() {
            return all.isEmpty();
        }

        boolean has(Owner owner) {
            return all.containsKey(owner);
        }

        int of(Owner owner) {
            return all.getOrDefault(owner, 0);
        }

        Owner fewest() {
            return first(Comparator.naturalOrder());
        }

        Owner most() {
            return first(Comparator.reverseOrder());
        }

        private Owner first(Comparator<Integer> order) {
            return all.entrySet().stream()
                    .min(Map.Entry.comparingByValue(order)) // the first of equal ones
                    .orElseThrow()
                    .getKey();
        }

        Owner giveToFewest() {
            Owner to = fewest();
            all.merge(to, 1, Integer::sum);
            return to;
        }
    }

    /**
     * Numbers in the texts count as numbers: 1.10 is newer than 1.9. Of texts that differ otherwise
     * the greater one is newer, so that all nodes agree.
     */
    static int compareVersions(String one, String other) {
        List<String> left = parts(one);
        List<String> right = parts(other);
        for (int i = 0; i < Math.min(left.size(), right.size()); i++) {
            int order = compareParts(left.get(i), right.get(i));
            if (order != 0) {
                return order;
            }
        }
        int order = Integer.compare(left.size(), right.size());
        return order != 0 ? order : one.compareTo(other);
    }

    private static int compareParts(String one, String other) {
        if (!isDigit(one.charAt(0)) || !isDigit(other.charAt(0))) {
            return one.compareTo(other);
        }
        String left = one.replaceFirst("^0+", "");
        String right = other.replaceFirst("^0+", "");
        int order = Integer.compare(left.length(), right.length());
        return order != 0 ? order : left.compareTo(right);
    }

    /** Runs of digits, and of others. */
    private static List<String> parts(String version) {
        List<String> all = new ArrayList<>();
        int begin = 0;
        for (int i = 1; i <= version.length(); i++) {
            boolean isEnd =
                    i == version.length()
                            || isDigit(version.charAt(i)) != isDigit(version.charAt(begin));
            if (isEnd && i > begin) {
                all.add(version.substring(begin, i));
                begin = i;
            }
        }
        return all;
    }

    private static boolean isDigit(char one) {
        return one >= '0' && one <= '9';
    }

    /** How many shards each node has, for reports. */
    Map<String, Integer> sizes() {
        Map<String, Integer> all = new HashMap<>();
        for (Owner each : owners) {
            if (each != null) {
                all.merge(each.node(), 1, Integer::sum);
            }
        }
        return new TreeMap<>(all);
    }

    @Override
    public String toString() {
        long none = Arrays.stream(owners).filter(each -> each == null).count();
        return "shards@" + revision + " " + sizes() + (none == 0 ? "" : ", nobody " + none);
    }
}
