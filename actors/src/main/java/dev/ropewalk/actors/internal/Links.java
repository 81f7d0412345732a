package dev.ropewalk.actors.internal;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Exit;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.internal.mailbox.Envelope;
import dev.ropewalk.actors.spi.Target;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The links of one incarnation. Both actors may link at the same time: then there are two links
 * between them, which count as one, because all with the same peer go together. Confined to the
 * actor's cord.
 */
final class Links {
    private final ActorCell<?> cell;

    /** Those that are up. */
    private final Map<Target<?>, List<LinkEnd>> up = new LinkedHashMap<>();

    /** Whose exits are in the mailbox; one a peer, the latest. */
    private final Map<Target<?>, LinkEnd> down = new LinkedHashMap<>();

    Links(ActorCell<?> cell) {
        this.cell = cell;
    }

    /** By the actor itself. */
    void link(ActorRef<?> peer) {
        if (up.containsKey(peer.target())) {
            return;
        }
        LinkEnd end = new LinkEnd(cell, peer);
        add(end); // first: it may end at once
        boolean hasBegun = false;
        try {
            end.begin();
            hasBegun = true;
        } finally {
            if (!hasBegun) {
                unlinked(end);
            }
        }
    }

    /** Also when the other side has linked. */
    void add(LinkEnd end) {
        up.computeIfAbsent(end.peer(), _ -> new ArrayList<>(1)).add(end);
    }

    /** By the actor itself; also an exit that waits in the mailbox does not come any more. */
    void unlink(Target<?> peer) {
        List<LinkEnd> ends = up.remove(peer);
        if (ends != null) {
            for (LinkEnd end : ends) {
                end.state(LinkEnd.State.UP, LinkEnd.State.OVER);
                end.other().unlinked();
            }
        }
        LinkEnd exited = down.get(peer);
        if (exited != null) {
            exited.done();
        }
    }

    /** Those that are up. */
    List<ActorRef<?>> peers() {
        List<ActorRef<?>> all = new ArrayList<>();
        up.values().forEach(ends -> all.add(ends.getFirst().peerRef()));
        return all;
    }

    /** Whether they are linked. */
    boolean isUp(Target<?> peer) {
        return up.containsKey(peer);
    }

    /** The other side has unlinked. */
    void unlinked(LinkEnd end) {
        List<LinkEnd> ends = up.get(end.peer());
        if (ends != null && ends.remove(end)) {
            end.state(LinkEnd.State.UP, LinkEnd.State.OVER);
            if (ends.isEmpty()) {
                up.remove(end.peer());
            }
        }
    }

    /**
     * The other incarnation is over; true if this one is to end for that.
     *
     * @param trap makes a message of it; null if exits are not trapped
     */
    boolean exited(LinkEnd end, ExitReason reason, @Nullable Function<? super Exit, ?> trap) {
        if (end.state() != LinkEnd.State.UP) {
            return false; // unlinked meanwhile
        }
        List<LinkEnd> ends = up.remove(end.peer());
        if (ends != null) {
            for (LinkEnd each : ends) {
                each.state(LinkEnd.State.UP, LinkEnd.State.OVER);
                if (each != end) {
                    // It may be with the peer's next incarnation, which is linked no more either.
                    each.other().unlinked();
                }
            }
        }
        if (trap == null) {
            return !(reason instanceof ExitReason.Normal);
        }
        end.trappedIn(down);
        cell.deliver(new Envelope.Notice<>(trap, end.exit(reason), end));
        return false;
    }

    /** This incarnation is over: the others hear of it. */
    void over(ExitReason reason) {
        for (List<LinkEnd> ends : up.values()) {
            for (LinkEnd end : ends) {
                end.state(LinkEnd.State.UP, LinkEnd.State.OVER);
                end.other().ended(reason);
            }
        }
        up.clear();
        List.copyOf(down.values()).forEach(LinkEnd::done);
    }
}
