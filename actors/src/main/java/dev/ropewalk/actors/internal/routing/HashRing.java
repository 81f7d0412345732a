package dev.ropewalk.actors.internal.routing;

import org.jspecify.annotations.Nullable;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;

/**
 * Consistent hashing (Karger and others, 1997): each member has {@value #POINTS} points on a ring
 * of hashes, and a key belongs to the next point after its own hash. One that joins takes the keys
 * before its points and no others.
 *
 * <p>The points of a member come from its path, and from the name of its node if there are several:
 * so they are the same on all nodes, and after a restart of the process. The number is part of that
 * where the path is not its own: without a name, or beside one of another system with the same
 * path. With so many of them the share of a member is within some ten percent of the even one (one
 * standard deviation is 1 / sqrt({@value #POINTS})).
 */
public final class HashRing<M> implements Choice<M> {
    private static final int POINTS = 128;

    // Of splitmix64 (Steele, Lea, Flood, 2014): each bit of the input moves each of the output.
    private static final long GAMMA = 0x9e3779b97f4a7c15L;
    private static final long MIX_1 = 0xbf58476d1ce4e5b9L;
    private static final long MIX_2 = 0x94d049bb133111ebL;

    private final Function<? super M, ?> key;

    /** Of the last roster that was seen. */
    private volatile Ring<M> ring = new Ring<>(Roster.empty());

    public HashRing(Function<? super M, ?> key) {
        this.key = key;
    }

    @Override
    public boolean needsMessage() {
        return true;
    }

    @Override
    public Member<M> choose(Roster<M> roster, @Nullable M message) {
        if (message == null) {
            throw new IllegalArgumentException("no message to take the key of");
        }
        int hash = hashOfKey(message, roster.isShared());
        Ring<M> now = ring;
        if (now.roster != roster) {
            now = new Ring<>(roster);
            ring = now;
        }
        return now.at(mix(hash));
    }

    private int hashOfKey(M message, boolean isShared) {
        String why = "is null";
        try {
            Object found = key.apply(message);
            if (found != null && !isShared) {
                return Keys.hashHere(found);
            }
            Integer hash = found == null ? null : Keys.hash(found);
            if (hash != null) {
                return hash;
            }
            if (found != null) {
                why = "is of " + found.getClass().getName() + "; " + Keys.ALLOWED;
            }
        } catch (RuntimeException failure) {
            throw new IllegalArgumentException(
                    "a hash router cannot send "
                            + message
                            + ": its key function failed, or the hashCode of the key",
                    failure);
        }
        throw new IllegalArgumentException(
                "a hash router cannot send " + message + ": its key " + why);
    }

    private static long mix(long value) {
        long mixed = value + GAMMA;
        mixed = (mixed ^ mixed >>> 30) * MIX_1;
        mixed = (mixed ^ mixed >>> 27) * MIX_2;
        return mixed ^ mixed >>> 31;
    }

    /** The points of a roster, in order, and whose they are. */
    private static final class Ring<M> {
        final Roster<M> roster;
        private final long[] points;
        private final int[] owners;

        Ring(Roster<M> roster) {
            this.roster = roster;
            int count = roster.size() * POINTS;
            Point[] all = new Point[count];
            Set<String> places = new HashSet<>();
            for (int member = 0; member < roster.size(); member++) {
                String place = place(roster.get(member), places);
                long hash = hash(place);
                for (int i = 0; i < POINTS; i++) {
                    hash += GAMMA;
                    all[member * POINTS + i] = new Point(mix(hash), place, member);
                }
            }
            Arrays.sort(all);
            points = new long[count];
            owners = new int[count];
            for (int i = 0; i < count; i++) {
                points[i] = all[i].at;
                owners[i] = all[i].member;
            }
        }

        /** Which no other member has, otherwise all keys of both would belong to one. */
        private static String place(Member<?> member, Set<String> places) {
            String place = member.place();
            for (int other = 0; !places.add(place); other++) {
                place = member.place() + '#' + member.actor().number() + ' ' + other;
            }
            return place;
        }

        Member<M> at(long hash) {
            int found = Arrays.binarySearch(points, hash);
            int next = found >= 0 ? found : -found - 1;
            return roster.get(owners[next == points.length ? 0 : next]);
        }
    }

    /** Equal points, which hardly exist, are in the order of the places, as on other nodes. */
    private record Point(long at, String place, int member) implements Comparable<Point> {
        @Override
        public int compareTo(Point other) {
            int byHash = Long.compare(at, other.at);
            return byHash != 0 ? byHash : place.compareTo(other.place);
        }
    }

    /** Of all characters: two names that differ in one are far apart. */
    private static long hash(String text) {
        long hash = text.length();
        for (int i = 0; i < text.length(); i++) {
            hash = mix(hash ^ text.charAt(i));
        }
        return hash;
    }
}
