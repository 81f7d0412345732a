package dev.ropewalk.actors.cluster;

import dev.ropewalk.fibers.internal.dump.JsonWriter;
import dev.ropewalk.fibers.internal.dump.Lines;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;

/**
 * A node and its sessions at a moment; made by {@link Node#dump}. Each session has its own moment.
 *
 * @param name of the node
 * @param incarnation the number that it has drawn at its start
 * @param cluster the name of its cluster
 * @param address where other nodes reach it
 * @param exports how many of its actors other nodes know
 * @param peers the nodes that it has sessions with, in alphabetical order
 * @param unreached addresses at which it has no session with a node, in alphabetical order
 * @param registration what it has in its store; null if it has none
 * @param shards those of entities; null if it has no store
 */
public record NodeDump(
        String name,
        String incarnation,
        String cluster,
        String address,
        int exports,
        List<Peer> peers,
        List<Unreached> unreached,
        @Nullable Registration registration,
        @Nullable Shards shards) {
    /**
     * Keeps copies of the lists.
     *
     * @param name of the node
     * @param incarnation its number
     * @param cluster the name of its cluster
     * @param address where it is reached
     * @param exports how many of its actors other nodes know
     * @param peers the nodes that it has sessions with
     * @param unreached addresses without a session
     * @param registration what it has in its store; null if it has none
     * @param shards those of entities; null if it has no store
     */
    public NodeDump {
        peers = List.copyOf(peers);
        unreached = List.copyOf(unreached);
    }

    /**
     * A session with another node.
     *
     * @param name of the other node
     * @param incarnation its number
     * @param address where it is reached
     * @param up how long the session has lasted
     * @param out what was sent to it
     * @param in what came from it
     * @param entries what the session keeps
     * @param refusedTypes the types that it sends and this node cannot read, each with the reason
     */
    public record Peer(
            String name,
            String incarnation,
            String address,
            Duration up,
            Out out,
            In in,
            Entries entries,
            List<String> refusedTypes) {
        /**
         * Keeps a copy of the list.
         *
         * @param name of the other node
         * @param incarnation its number
         * @param address where it is reached
         * @param up how long the session has lasted
         * @param out what was sent to it
         * @param in what came from it
         * @param entries what the session keeps
         * @param refusedTypes the types that this node cannot read
         */
        public Peer {
            refusedTypes = List.copyOf(refusedTypes);
        }
    }

    /**
     * The way to another node. Messages are tells, asks, replies, and words about actors; the bytes
     * are all that is written.
     *
     * @param queuedBytes not given to the connection yet
     * @param unacknowledged messages that may not have arrived, queued ones too
     * @param unacknowledgedBytes of those
     * @param waiting senders that wait for room in the queue
     * @param messages so far
     * @param bytes so far, queued ones too
     */
    public record Out(
            long queuedBytes,
            int unacknowledged,
            long unacknowledgedBytes,
            int waiting,
            long messages,
            long bytes) {}

    /**
     * The way from another node.
     *
     * @param messages so far
     * @param bytes so far
     */
    public record In(long messages, long bytes) {}

    /**
     * The entries of a session, which come and go with actors, asks and monitors.
     *
     * @param asks of this node that wait for replies
     * @param monitored actors of the other node that have monitors here
     * @param monitors of the other node on actors here
     * @param asked asks of waiting actors of the other node that are open here
     * @param addresses of adapters and asks here that the other node knows
     * @param windows bounded mailboxes of the other node in which this one has or wants room
     * @param loans bounded mailboxes here in which the other one has or wants room
     * @param links of actors here with actors of the other node
     * @param members of the other node in groups here
     * @param sizes of mailboxes of the other node that routers here are kept told of
     */
    public record Entries(
            int asks,
            int monitored,
            int monitors,
            int asked,
            int addresses,
            int windows,
            int loans,
            int links,
            int members,
            int sizes) {}

    /**
     * An address that is tried again and again.
     *
     * @param address host and port
     * @param tries in vain since the last session with a node from there
     * @param reason of the last one
     */
    public record Unreached(String address, int tries, String reason) {}

    /**
     * The register of a node in its store, and those of others.
     *
     * @param life the number that the node has drawn for this registration
     * @param leaseLeft how long its lease is held without another renewal; zero if it is not held
     * @param nodes the names of the nodes that are registered and not dead, in alphabetical order
     * @param trouble why the lease is not held, or others are not seen; empty if all is well
     * @param store the calls of this node
     */
    public record Registration(
            String life, Duration leaseLeft, List<String> nodes, String trouble, StoreCalls store) {
        /**
         * Keeps a copy of the list.
         *
         * @param life the number of the registration
         * @param leaseLeft how long its lease is held
         * @param nodes the names of the nodes that are registered
         * @param trouble why the lease is not held, or others are not seen; empty if all is well
         * @param store the calls of this node
         */
        public Registration {
            nodes = List.copyOf(nodes);
        }
    }

    /**
     * The calls of a node to its store so far.
     *
     * @param engine the store, in its own words
     * @param reads that were answered, lists too
     * @param written writes that succeeded
     * @param refused writes that found another revision
     * @param unknown writes whose outcome nobody knows
     * @param failed calls that threw
     */
    public record StoreCalls(
            String engine, long reads, long written, long refused, long unknown, long failed) {}

    /**
     * The shards of entities, as this node knows them.
     *
     * @param revision of their table in the store; 0 if there is none
     * @param owners how many shards each node owns, in alphabetical order; those of nobody are
     *     missing
     * @param own the shards of this node, in order
     * @param kinds the kinds of entities that this node uses, in alphabetical order
     * @param taken how often this node began to own a shard
     * @param given how often it gave one away
     * @param lost how often it lost one with its lease
     * @param trouble why no shard moves; empty if all is well
     */
    public record Shards(
            long revision,
            List<Share> owners,
            List<Shard> own,
            List<Kind> kinds,
            long taken,
            long given,
            long lost,
            String trouble) {
        /**
         * Keeps copies of the lists.
         *
         * @param revision of the table
         * @param owners how many shards each node owns
         * @param own the shards of this node
         * @param kinds of entities
         * @param taken how often one was taken
         * @param given how often one was given away
         * @param lost how often one was lost
         * @param trouble why no shard moves; empty if all is well
         */
        public Shards {
            owners = List.copyOf(owners);
            own = List.copyOf(own);
            kinds = List.copyOf(kinds);
        }

        /** {@return how many messages wait for the owner of their shard} */
        public long held() {
            return kinds.stream().mapToLong(Kind::held).sum();
        }
    }

    /**
     * The shards of a node.
     *
     * @param node its name
     * @param shards how many
     */
    public record Share(String node, int shards) {}

    /**
     * A shard of this node.
     *
     * @param shard its number, from 0
     * @param epoch greater than that of each owner before
     * @param state OWNED; GIVING while its entities end, because another node is to have it; GIVEN
     *     until the table says so
     * @param since how long this node has owned it
     */
    public record Shard(int shard, long epoch, String state, Duration since) {}

    /**
     * A kind of entities.
     *
     * @param name of the kind
     * @param running entities that have an actor on this node
     * @param held messages of this node that wait for the owner of their shard
     */
    public record Kind(String name, int running, int held) {}

    /** {@return one object of JSON; times are in nanoseconds} */
    public String toJson() {
        JsonWriter json = new JsonWriter();
        json.begin();
        json.field("name", name);
        json.field("incarnation", incarnation);
        json.field("cluster", cluster);
        json.field("address", address);
        json.field("exports", (Number) exports);
        json.list("peers", peers, each -> peer(json, each));
        json.list(
                "unreached",
                unreached,
                each -> {
                    json.begin();
                    json.field("address", each.address);
                    json.field("tries", (Number) each.tries);
                    json.field("reason", each.reason);
                    json.end();
                });
        if (registration != null) {
            json.field("life", registration.life);
            json.nanos("leaseLeftNanos", registration.leaseLeft);
            json.list("registered", registration.nodes, json::string);
            json.field("trouble", registration.trouble);
            json.begin("store");
            json.field("engine", registration.store.engine);
            json.field("reads", (Number) registration.store.reads);
            json.field("written", (Number) registration.store.written);
            json.field("refused", (Number) registration.store.refused);
            json.field("unknown", (Number) registration.store.unknown);
            json.field("failed", (Number) registration.store.failed);
            json.end();
        }
        if (shards != null) {
            shards(json, shards);
        }
        json.end();
        return json.toString();
    }

    private static void shards(JsonWriter json, Shards shards) {
        json.begin("shards");
        json.field("revision", (Number) shards.revision);
        json.list(
                "owners",
                shards.owners,
                each -> {
                    json.begin();
                    json.field("node", each.node);
                    json.field("shards", (Number) each.shards);
                    json.end();
                });
        json.list(
                "own",
                shards.own,
                each -> {
                    json.begin();
                    json.field("shard", (Number) each.shard);
                    json.field("epoch", (Number) each.epoch);
                    json.field("state", each.state);
                    json.nanos("sinceNanos", each.since);
                    json.end();
                });
        json.list(
                "kinds",
                shards.kinds,
                each -> {
                    json.begin();
                    json.field("name", each.name);
                    json.field("running", (Number) each.running);
                    json.field("held", (Number) each.held);
                    json.end();
                });
        json.field("taken", (Number) shards.taken);
        json.field("given", (Number) shards.given);
        json.field("lost", (Number) shards.lost);
        json.field("trouble", shards.trouble);
        json.end();
    }

    private static void peer(JsonWriter json, Peer peer) {
        json.begin();
        json.field("name", peer.name);
        json.field("incarnation", peer.incarnation);
        json.field("address", peer.address);
        json.nanos("upNanos", peer.up);
        json.field("queuedBytes", (Number) peer.out.queuedBytes);
        json.field("unacknowledged", (Number) peer.out.unacknowledged);
        json.field("unacknowledgedBytes", (Number) peer.out.unacknowledgedBytes);
        json.field("waiting", (Number) peer.out.waiting);
        json.field("messagesOut", (Number) peer.out.messages);
        json.field("bytesOut", (Number) peer.out.bytes);
        json.field("messagesIn", (Number) peer.in.messages);
        json.field("bytesIn", (Number) peer.in.bytes);
        json.field("asks", (Number) peer.entries.asks);
        json.field("monitored", (Number) peer.entries.monitored);
        json.field("monitors", (Number) peer.entries.monitors);
        json.field("asked", (Number) peer.entries.asked);
        json.field("addresses", (Number) peer.entries.addresses);
        json.field("windows", (Number) peer.entries.windows);
        json.field("loans", (Number) peer.entries.loans);
        json.field("links", (Number) peer.entries.links);
        json.field("members", (Number) peer.entries.members);
        json.field("sizes", (Number) peer.entries.sizes);
        json.list("refusedTypes", peer.refusedTypes, json::string);
        json.end();
    }

    /** For people, with a line for each session and each address that is not reached. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        text.append("node ").append(name).append('@').append(incarnation);
        text.append(" at ").append(address).append(" in cluster ").append(cluster);
        text.append(": peers=").append(peers.size()).append(", exports=").append(exports);
        text.append('\n');
        if (registration != null) {
            text.append("  registered as ").append(registration.life);
            text.append(", lease left ").append(registration.leaseLeft.toMillis());
            text.append(" ms, beside ").append(registration.nodes);
            if (!registration.trouble.isEmpty()) {
                text.append("; it ").append(Lines.line(registration.trouble));
            }
            text.append("; ").append(parts(registration.store)).append('\n');
        }
        if (shards != null && shards.revision > 0) {
            shards(text, shards);
        }
        for (Peer each : peers) {
            peer(text, each);
        }
        for (Unreached each : unreached) {
            text.append("  no session with ").append(each.address);
            text.append(" after tries=").append(each.tries);
            text.append(": ").append(Lines.line(each.reason)).append('\n');
        }
        return text.toString();
    }

    private static void shards(StringBuilder text, Shards shards) {
        text.append("  shards at revision ").append(shards.revision);
        shards.owners.forEach(
                each -> text.append(", ").append(each.node).append('=').append(each.shards));
        text.append("; taken=").append(shards.taken).append(", given=").append(shards.given);
        text.append(", lost=").append(shards.lost);
        if (!shards.trouble.isEmpty()) {
            text.append("; it moves none: ").append(Lines.line(shards.trouble));
        }
        text.append('\n');
        for (Kind each : shards.kinds) {
            text.append("  kind ").append(each.name).append(": running=").append(each.running);
            text.append(", held=").append(each.held).append('\n');
        }
        for (Shard each : shards.own) {
            if (!each.state.equals("OWNED")) {
                text.append("  shard ").append(each.shard).append(" is ").append(each.state);
                text.append(", epoch=").append(each.epoch).append('\n');
            }
        }
    }

    private static void peer(StringBuilder text, Peer peer) {
        text.append("  ").append(peer.name).append('@').append(peer.incarnation);
        text.append(" at ").append(peer.address);
        text.append(", up for ").append(peer.up.toMillis()).append(" ms; out: ");
        text.append(parts(peer.out)).append("; in: ").append(parts(peer.in));
        text.append("; ").append(parts(peer.entries)).append('\n');
        for (String each : peer.refusedTypes) {
            text.append("    cannot read ").append(Lines.line(each)).append('\n');
        }
    }

    /** The components of a record as it tells them itself, without its name. */
    private static String parts(Record values) {
        String text = values.toString();
        return text.substring(text.indexOf('[') + 1, text.length() - 1);
    }
}
