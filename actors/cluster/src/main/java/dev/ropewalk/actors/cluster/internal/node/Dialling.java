package dev.ropewalk.actors.cluster.internal.node;

import com.esotericsoftware.kryo.KryoException;

import dev.ropewalk.actors.cluster.Discovery;
import dev.ropewalk.actors.cluster.NodeDump;
import dev.ropewalk.actors.cluster.internal.session.Hello;
import dev.ropewalk.actors.cluster.internal.session.Refusal;
import dev.ropewalk.actors.cluster.internal.session.RefusedException;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TlsException;
import dev.ropewalk.fibers.spi.Alarm;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tries the addresses at which nodes may be, each in a fiber, as long as the node runs: again and
 * again, later after each failure, and not while a node from there is a peer. Confined to the cord.
 *
 * <p>An address is tried as long as discovery names it. One that another node has told, or that
 * discovery names no more, is forgotten when nobody has answered there for {@link #HEARSAY_TRIES}
 * tries.
 */
public final class Dialling {
    private static final Log LOG = Logs.logger(Dialling.class);

    static final Duration DISCOVERY = Duration.ofSeconds(2);
    static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    static final Duration LONGEST_PAUSE = Duration.ofSeconds(3);
    static final int HEARSAY_TRIES = 10;

    /** A node that has found no other one for so long says so, once. */
    static final Duration ALONE = Duration.ofSeconds(5);

    /** So many are tried; what other nodes tell beyond that is dropped. */
    static final int MAX_ADDRESSES = 1_000;

    private final Presence presence;
    private final Hello self;
    private final Set<Address> known = new LinkedHashSet<>();

    /** Those that discovery has named the last time; the ones before too where it has failed. */
    private Set<Address> named = Set.of();

    /** Those without a session, and the last reason; for any thread. */
    private final Map<Address, NodeDump.Unreached> unreached = new ConcurrentHashMap<>();

    /** Not tried yet. */
    private final ArrayDeque<Address> fresh = new ArrayDeque<>();

    private @Nullable WaitCell idle;
    private boolean isOver;
    private @Nullable String lastFailure;

    /** Whether the node has had a peer. */
    private boolean hasFound;

    private record Address(String host, int port) {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    Dialling(Presence presence, Hello self) {
        this.presence = presence;
        this.self = self;
    }

    /** Another node says that a node may be there. */
    void add(String host, int port) {
        if (known.size() < MAX_ADDRESSES) {
            add(new Address(host, port));
        }
    }

    private void add(Address address) {
        boolean isSelf = address.port == self.port() && address.host.equals(self.host());
        if (!isSelf && known.add(address)) {
            fresh.add(address);
            unreached.put(address, new NodeDump.Unreached(address.toString(), 0, "not tried yet"));
            if (idle != null) {
                idle.give(true);
            }
        }
    }

    /** Until its fiber is ended; it tries nothing more from {@link #end} on. A switchpoint. */
    public void run(List<Discovery> discoveries) {
        Alarm alone = Alarm.after(Waits.nanos(ALONE), this::tellAlone);
        try {
            keepLooking(discoveries);
            // The sessions that were dialled are below this fiber, and end behind what was sent.
            new WaitCell().await("the end of the node");
        } finally {
            alone.cancel();
        }
    }

    private void keepLooking(List<Discovery> discoveries) {
        while (!isOver) {
            look(discoveries);
            named.forEach(this::add);
            for (Address next = fresh.poll(); next != null; next = fresh.poll()) {
                Address address = next;
                Fiber.spin("dials " + address, () -> keepTrying(address));
            }
            WaitCell waiting = new WaitCell();
            idle = waiting;
            waiting.await("addresses of nodes", Waits.nanos(DISCOVERY));
            idle = null;
        }
    }

    /** Each by itself: what one of them does not know, another one may. */
    private void look(List<Discovery> discoveries) {
        Set<Address> now = new LinkedHashSet<>();
        List<String> failures = new ArrayList<>();
        for (Discovery each : discoveries) {
            try {
                for (InetSocketAddress address : each.addresses()) {
                    now.add(new Address(address.getHostString(), address.getPort()));
                }
            } catch (Exception failure) {
                failures.add(failure.toString());
            }
        }
        if (failures.isEmpty()) {
            lastFailure = null;
        } else {
            now.addAll(named);
            tellOnce(String.join("; ", failures));
        }
        named = now;
    }

    private void tellOnce(String failure) {
        if (!failure.equals(lastFailure)) {
            lastFailure = failure;
            LOG.warn("{}: discovery failed, and is tried again: {}", self, failure);
        }
    }

    private void keepTrying(Address address) {
        long pauseNs = FIRST_PAUSE.toNanos();
        int failures = 0;
        String name = null;
        while (!isOver) {
            if (name != null && presence.isUp(name)) {
                unreached.remove(address);
                pauseNs = FIRST_PAUSE.toNanos();
            } else {
                try {
                    name =
                            presence.dial(
                                    address.host, address.port, () -> unreached.remove(address));
                    failures = 0;
                    missed(address, failures, "the session with " + name + " has ended");
                    pauseNs = FIRST_PAUSE.toNanos();
                } catch (RefusedException refused) {
                    if (refused.refusal() == Refusal.SELF) {
                        unreached.remove(address);
                        return; // and it stays known, so that it is not tried again
                    }
                    presence.tellRefused(refused);
                    name = refused.peer() == null ? null : refused.peer().node().name();
                    failures++;
                    if (name == null || !presence.isUp(name)) {
                        missed(address, failures, refused.getMessage());
                    }
                    pauseNs = longer(pauseNs);
                } catch (TlsException refused) {
                    presence.tellRefused(address.toString(), refused);
                    missed(address, ++failures, refused.getMessage());
                    pauseNs = longer(pauseNs);
                } catch (ConnectionException | KryoException nobody) {
                    LOG.debug("{}: no node at {}", self, address, nobody);
                    missed(address, ++failures, nobody.getMessage());
                    pauseNs = longer(pauseNs);
                } catch (RuntimeException broken) {
                    // It ends this session, and not the node.
                    LOG.warn("{}: the session with {} failed", self, address, broken);
                    missed(address, ++failures, broken.toString());
                    pauseNs = longer(pauseNs);
                }
                if (failures >= HEARSAY_TRIES && !named.contains(address)) {
                    known.remove(address);
                    unreached.remove(address);
                    return;
                }
            }
            long spread = Cord.current().nextInt((int) (pauseNs / 4) + 1);
            Fiber.sleep(Duration.ofNanos(pauseNs - pauseNs / 8 + spread));
        }
    }

    private void missed(Address address, int tries, @Nullable String why) {
        unreached.put(
                address, new NodeDump.Unreached(address.toString(), tries, String.valueOf(why)));
    }

    /** For any thread. */
    List<NodeDump.Unreached> unreached() {
        return unreached.values().stream()
                .sorted(Comparator.comparing(NodeDump.Unreached::address))
                .toList();
    }

    private static long longer(long pauseNs) {
        return Math.min(2 * pauseNs, LONGEST_PAUSE.toNanos());
    }

    /** The node has a peer. */
    void found() {
        hasFound = true;
    }

    private void tellAlone() {
        if (hasFound || isOver) {
            return;
        }
        LOG.info(
                "{} is alone after {} s: {}",
                self,
                ALONE.toSeconds(),
                known.isEmpty()
                        ? "it knows no address of another node, and waits for one to call"
                        : "no node was found at " + known + ", which are tried again and again");
    }

    /** The node leaves: no address is tried any more. */
    void end() {
        isOver = true;
        if (idle != null) {
            idle.give(true);
        }
    }
}
