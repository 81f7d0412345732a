package dev.ropewalk.actors.cluster;

import dev.ropewalk.actors.cluster.NodeDump.Peer;
import dev.ropewalk.actors.cluster.NodeDump.Registration;
import dev.ropewalk.actors.cluster.NodeDump.Shards;
import dev.ropewalk.actors.cluster.NodeDump.StoreCalls;
import dev.ropewalk.fibers.metrics.Metric;
import dev.ropewalk.fibers.metrics.MetricSink;
import dev.ropewalk.fibers.metrics.MetricSource;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The numbers of a node: its sessions, its store and its shards. */
public final class NodeMetrics {
    private static final Metric SESSIONS =
            Metric.gauge("ropewalk.node.sessions", "Other nodes that it has sessions with.");
    private static final Metric UNREACHED =
            Metric.gauge("ropewalk.node.unreached", "Addresses at which it reaches no node.");
    private static final Metric QUEUED =
            Metric.gauge(
                    "ropewalk.node.queued.bytes", "Bytes for other nodes that wait to be written.");
    private static final Metric UNACKNOWLEDGED =
            Metric.gauge("ropewalk.node.unacknowledged", "Messages that may not have arrived.");
    private static final Metric SENDERS =
            Metric.gauge(
                    "ropewalk.node.senders",
                    "Senders that wait for room in the queue of a session.");
    private static final Metric SENT =
            Metric.counter("ropewalk.node.sent", "Messages to other nodes.");
    private static final Metric SENT_BYTES =
            Metric.counter("ropewalk.node.sent.bytes", "Bytes to other nodes.");
    private static final Metric RECEIVED =
            Metric.counter("ropewalk.node.received", "Messages of other nodes.");
    private static final Metric RECEIVED_BYTES =
            Metric.counter("ropewalk.node.received.bytes", "Bytes of other nodes.");

    private static final Metric LEASE =
            Metric.gauge(
                    "ropewalk.node.lease.seconds", "How long the lease is held without a renewal.");
    private static final Metric STORE =
            Metric.counter(
                    "ropewalk.node.store.calls", "Calls to the store, by what became of them.");

    private static final Metric SHARDS =
            Metric.gauge("ropewalk.node.shards", "Shards that the node owns.");
    private static final Metric MOVES =
            Metric.counter("ropewalk.node.shard.moves", "Shards that were taken, given or lost.");
    private static final Metric ENTITIES =
            Metric.gauge("ropewalk.node.entities", "Entities that have an actor on the node.");
    private static final Metric HELD =
            Metric.gauge("ropewalk.node.held", "Messages that wait for the owner of their shard.");

    private NodeMetrics() {}

    /**
     * {@return the numbers of a node} Those of its sessions are added; entities are told by kind.
     *
     * @param node open or closed
     */
    public static MetricSource of(Node node) {
        Objects.requireNonNull(node, "node");
        Sessions sessions = new Sessions();
        return sink -> collect(node, sessions, sink);
    }

    /** A session that is begun anew counts from 0: it is another part. */
    private static final class Sessions {
        private record Session(int count, long messages) {}

        private final Map<String, Session> last = new HashMap<>();

        /** The number of the session with a node. */
        synchronized int of(String node, long messages) {
            Session before = last.getOrDefault(node, new Session(0, 0));
            int count = messages < before.messages ? before.count + 1 : before.count;
            last.put(node, new Session(count, messages));
            return count;
        }

        synchronized void keepOnly(Set<String> nodes) {
            last.keySet().retainAll(nodes);
        }
    }

    /** The counts of a session. */
    private record Counted(Node node, String session, int number) {}

    private static void collect(Node node, Sessions sessions, MetricSink sink) {
        NodeDump dump = node.dump();
        sink.add(SESSIONS, dump.peers().size());
        sink.add(UNREACHED, dump.unreached().size());
        sink.add(QUEUED, dump.peers().stream().mapToDouble(each -> each.out().queuedBytes()).sum());
        sink.add(
                UNACKNOWLEDGED,
                dump.peers().stream().mapToDouble(each -> each.out().unacknowledged()).sum());
        sink.add(SENDERS, dump.peers().stream().mapToDouble(each -> each.out().waiting()).sum());
        Set<String> names = new HashSet<>();
        for (Peer each : dump.peers()) {
            String name = each.name() + "#" + each.incarnation();
            names.add(name);
            long all = each.out().messages() + each.in().messages();
            Counted session = new Counted(node, name, sessions.of(name, all));
            sink.count(SENT, session, (double) each.out().messages());
            sink.count(SENT_BYTES, session, (double) each.out().bytes());
            sink.count(RECEIVED, session, (double) each.in().messages());
            sink.count(RECEIVED_BYTES, session, (double) each.in().bytes());
        }
        sessions.keepOnly(names);
        Registration registration = dump.registration();
        if (registration != null) {
            sink.add(LEASE, registration.leaseLeft().toNanos() / 1e9);
            store(node, registration.store(), sink);
        }
        Shards shards = dump.shards();
        if (shards != null) {
            shards(node, shards, sink);
        }
    }

    private static void store(Node node, StoreCalls calls, MetricSink sink) {
        sink.count(STORE, node, (double) calls.reads(), "outcome", "read");
        sink.count(STORE, node, (double) calls.written(), "outcome", "written");
        sink.count(STORE, node, (double) calls.refused(), "outcome", "refused");
        sink.count(STORE, node, (double) calls.unknown(), "outcome", "unknown");
        sink.count(STORE, node, (double) calls.failed(), "outcome", "failed");
    }

    private static void shards(Node node, Shards shards, MetricSink sink) {
        sink.add(SHARDS, shards.own().size());
        sink.count(MOVES, node, (double) shards.taken(), "kind", "taken");
        sink.count(MOVES, node, (double) shards.given(), "kind", "given");
        sink.count(MOVES, node, (double) shards.lost(), "kind", "lost");
        for (NodeDump.Kind each : shards.kinds()) {
            sink.add(ENTITIES, each.running(), "kind", each.name());
            sink.add(HELD, each.held(), "kind", each.name());
        }
    }
}
