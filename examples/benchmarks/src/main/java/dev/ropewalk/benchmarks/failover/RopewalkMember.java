package dev.ropewalk.benchmarks.failover;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.Node;
import dev.ropewalk.actors.cluster.NodeDump;
import dev.ropewalk.actors.cluster.NodeOptions;
import dev.ropewalk.actors.cluster.Protocol;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.cluster.ratis.RatisOptions;
import dev.ropewalk.actors.cluster.ratis.RatisStore;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A process of a cluster of Ropewalk: a node with its share of the entities, and a server of Ratis.
 */
final class RopewalkMember {
    /** Of an ask while a node leaves. */
    static final Duration ASK_LIMIT = Duration.ofSeconds(5);

    static final Duration LEAVE_LIMIT = Duration.ofSeconds(30);

    private static final int ASKERS = 2;
    private static final Duration IDLE = Duration.ofMinutes(30);
    private static final Duration LIMIT = Duration.ofMinutes(1);
    private static final Duration A_MOMENT = Duration.ofMillis(20);

    private final Console console;
    private final Store store;
    private final Node node;
    private final Entities<Where> entities;
    private final Cord cord = Cord.start("askers");

    /** Of the thread that obeys. */
    private final List<Fiber<?>> askers = new ArrayList<>();

    /** Those below are the cord's. */
    private final List<ActorRef<Where>> filled = new ArrayList<>();

    private boolean isStopped;
    private long asks;
    private long failed;
    private long longestNs;

    /** Is answered with the name of the node that has the entity. */
    record Where(Recipient<String> replyTo) {}

    private RopewalkMember(MemberSettings settings, PrintStream out) {
        console = new Console(out);
        store = openStore(settings);
        node =
                Node.start(
                        ActorSystem.start("failover"),
                        NodeOptions.named(settings.name())
                                .withCluster("failover")
                                .withAddress(MemberSettings.HOST, 0)
                                .withStore(store)
                                .withProtocol(Protocol.of(Where.class)));
        entities = node.entities(kind(settings.name()));
    }

    /**
     * Runs it.
     *
     * @param arguments as {@link MemberSettings#toWords} made them
     */
    public static void main(String[] arguments) throws IOException {
        RopewalkMember member =
                new RopewalkMember(MemberSettings.ofWords(List.of(arguments)), System.out);
        member.cord.spin("tells when it is ready", member::awaitReady);
        member.console.obey(System.in, member::obey);
    }

    private static Store openStore(MemberSettings settings) {
        SortedMap<String, String> group = new TreeMap<>();
        for (int i = 0; i < settings.ports().size(); i++) {
            group.put(MemberSettings.name(i), MemberSettings.HOST + ":" + settings.ports().get(i));
        }
        return RatisStore.open(
                RatisOptions.of(
                        settings.name(), group, settings.folder().resolve(settings.name())));
    }

    private static EntityKind<Where, Void> kind(String name) {
        return EntityKind.of(
                        "seat",
                        Where.class,
                        _ ->
                                Actor.handler(
                                        () ->
                                                where -> {
                                                    where.replyTo().tell(name);
                                                    return Behavior.same();
                                                }))
                .idle(IDLE);
    }

    /** Until it has its share, so that no shard moves by itself later. */
    private void awaitReady() {
        if (!node.awaitPeers(Trio.NODES - 1, LIMIT)) {
            console.say(Console.WRONG, "the nodes do not meet");
        }
        while (!node.isReady() || ownShards() < Shards.COUNT / Trio.NODES) {
            Fiber.sleep(A_MOMENT);
        }
        console.say(Console.READY);
    }

    private long ownShards() {
        NodeDump.Shards shards = node.dump().shards();
        return shards == null
                ? 0
                : shards.own().stream().filter(each -> each.state().equals("OWNED")).count();
    }

    private void obey(String[] order) {
        switch (order[0]) {
            case Console.WATCH -> new Askers(this::nodeOf, console).start();
            case Console.FILL ->
                    cord.spin("fills", () -> fill(Integer.parseInt(order[1]), order[2]));
            case Console.COUNT -> console.say(Console.RUNNING, entities.running());
            case Console.PRESS -> press();
            case Console.STOP -> stop();
            case Console.LEAVE -> Thread.ofPlatform().name("leaves").start(this::leave);
            default -> console.doesNotKnow(order[0]);
        }
    }

    private @Nullable String nodeOf(String key) {
        try {
            return entities.ref(key).<String>ask(Where::new, Duration.ofMillis(Askers.LIMIT_MS));
        } catch (AskException none) {
            return null;
        }
    }

    // ---------------------------------------------------------------- while a node leaves

    private void fill(int count, String name) {
        for (int i = 0; filled.size() < count; i++) {
            ActorRef<Where> entity = entities.ref("entity-" + i);
            if (entity.<String>ask(Where::new, ASK_LIMIT).equals(name)) {
                filled.add(entity);
            }
        }
        console.say(Console.FILLED, filled.size());
    }

    /** They are children of no fiber, because those end with it. */
    private void press() {
        for (int i = 1; i <= ASKERS; i++) {
            askers.add(cord.spin("asker " + i, this::askAgain));
        }
    }

    private void askAgain() {
        while (!isStopped) {
            ActorRef<Where> entity = filled.get(Cord.current().nextInt(filled.size()));
            long beganNs = Cord.current().nanoTime();
            try {
                String _ = entity.<String>ask(Where::new, ASK_LIMIT);
            } catch (AskException none) {
                failed++;
            }
            asks++;
            longestNs = Math.max(longestNs, Cord.current().nanoTime() - beganNs);
        }
    }

    private void stop() {
        List<Fiber<?>> all = List.copyOf(askers);
        cord.spin(
                "stops",
                () -> {
                    isStopped = true;
                    all.forEach(Fiber::await);
                    console.say(Console.ASKED, asks, failed, longestNs);
                });
    }

    /** Its process ends then, as that of a program does, and with it a server of the store. */
    private void leave() {
        console.say(Console.LEFT, node.leave(LEAVE_LIMIT));
        store.close();
        Runtime.getRuntime().halt(0);
    }
}
