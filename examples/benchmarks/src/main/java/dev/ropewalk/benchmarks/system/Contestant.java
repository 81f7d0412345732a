package dev.ropewalk.benchmarks.system;

import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.StackFlags;
import dev.ropewalk.benchmarks.system.durable.EntitiesPeer;
import dev.ropewalk.benchmarks.system.durable.WritesPeer;
import dev.ropewalk.benchmarks.system.kotlin.CoroutinePeers;
import dev.ropewalk.benchmarks.system.netty.NettyPeer;
import dev.ropewalk.benchmarks.system.pekko.PekkoPeer;
import dev.ropewalk.benchmarks.system.remote.LocalPeer;
import dev.ropewalk.benchmarks.system.remote.NodesPeer;
import dev.ropewalk.benchmarks.system.remote.PekkoRemotePeer;
import dev.ropewalk.benchmarks.system.remote.SocketsPeer;
import dev.ropewalk.benchmarks.system.ropewalk.RopewalkChannels;
import dev.ropewalk.benchmarks.system.ropewalk.RopewalkPeer;
import dev.ropewalk.benchmarks.system.ropewalk.RopewalkPortable;
import dev.ropewalk.benchmarks.system.ropewalk.RopewalkTasks;
import dev.ropewalk.benchmarks.system.thread.ApartPeer;
import dev.ropewalk.benchmarks.system.thread.ContinuationPeer;
import dev.ropewalk.benchmarks.system.thread.ForkJoinPeer;
import dev.ropewalk.benchmarks.system.thread.JoxPeer;
import dev.ropewalk.benchmarks.system.thread.LoopPeer;
import dev.ropewalk.benchmarks.system.thread.ThreadPeer;
import dev.ropewalk.benchmarks.system.thread.VirtualThreadPeer;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A system in one configuration, by the name that the command line and the results use.
 *
 * @param name on the command line
 * @param what it is, for the report
 * @param open makes the peer
 * @param flags of the JVM that runs it, beside the common ones
 * @param onTwoCores whether it can use more than one thread
 */
public record Contestant(
        String name, String what, Supplier<Peer> open, List<String> flags, boolean onTwoCores) {
    private static final List<String> ONE_CARRIER =
            List.of(StackFlags.ONE_CARRIER, StackFlags.MAX_ONE_CARRIER);

    public static final List<Contestant> ALL =
            List.of(
                    of(
                            "ropewalk-handler",
                            "Ropewalk, handler-style actors",
                            RopewalkPeer::handlers),
                    of("ropewalk-loop", "Ropewalk, loop-style actors", RopewalkPeer::loops),
                    of(
                            "ropewalk-local",
                            "Ropewalk, fibers, and channels of one cord",
                            RopewalkChannels::local),
                    of(
                            "ropewalk-shared",
                            "Ropewalk, fibers, and channels for any cord",
                            RopewalkChannels::shared),
                    new Contestant(
                            "ropewalk-late",
                            "Ropewalk, fibers, and channels of one cord, with late unmount",
                            RopewalkChannels::late,
                            List.of("-Dropewalk.lateUnmount=true"),
                            false),
                    portable(
                            "ropewalk-portable",
                            "Ropewalk, one cord on portable stacks",
                            List.of()),
                    portable(
                            "ropewalk-portable-1",
                            "Ropewalk, one cord on portable stacks, one carrier",
                            ONE_CARRIER),
                    of("ropewalk-tasks", "Ropewalk, tasks of a scheduler", RopewalkTasks::new),
                    of("ropewalk-nodes", "Ropewalk, two nodes, a cord each", NodesPeer::actors),
                    of(
                            "ropewalk-entities",
                            "Ropewalk, an entity in memory of another node",
                            NodesPeer::entities),
                    of(
                            "ropewalk-durable",
                            "Ropewalk, durable entities of one node",
                            EntitiesPeer::new),
                    of(
                            "writes",
                            "plain threads and writes of the store: the floor of durable entities",
                            WritesPeer::new),
                    of("ropewalk-alone", "Ropewalk, a system without a node", LocalPeer::alone),
                    of("ropewalk-beside", "Ropewalk, a node with a peer", LocalPeer::beside),
                    of(
                            "ropewalk-deaf",
                            "Ropewalk, a node whose peer reads nothing",
                            LocalPeer::besideDeaf),
                    of("pekko", "Pekko typed, as it comes", PekkoPeer::asItComes),
                    oneThread(
                            "pekko-tuned",
                            "Pekko typed, one thread, throughput 100, tick 1 ms",
                            PekkoPeer::tuned),
                    of(
                            "pekko-apart",
                            "Pekko typed, two dispatchers of one thread",
                            PekkoPeer::apart),
                    of(
                            "pekko-remote",
                            "Pekko typed, two systems, Artery over TCP, the same Kryo",
                            PekkoRemotePeer::new),
                    oneThread(
                            "kotlin-loop",
                            "Kotlin coroutines, event loop",
                            CoroutinePeers::eventLoop),
                    of(
                            "kotlin-default",
                            "Kotlin coroutines, default dispatcher",
                            CoroutinePeers::defaultDispatcher),
                    of(
                            "kotlin-apart",
                            "Kotlin coroutines, two dispatchers of one thread",
                            CoroutinePeers::apart),
                    of("jox", "Jox channels on virtual threads", JoxPeer::new),
                    of(
                            "jox-apart",
                            "Jox channels on virtual threads, a scheduler of one carrier at each"
                                    + " end",
                            ApartPeer::jox),
                    new Contestant(
                            "jox-1",
                            "Jox channels on virtual threads, one carrier",
                            JoxPeer::new,
                            ONE_CARRIER,
                            false),
                    of("vthreads", "virtual threads and JDK queues", VirtualThreadPeer::new),
                    of(
                            "vthreads-apart",
                            "virtual threads and JDK queues, a scheduler of one carrier at each"
                                    + " end",
                            ApartPeer::queues),
                    new Contestant(
                            "vthreads-1",
                            "virtual threads and JDK queues, one carrier",
                            VirtualThreadPeer::new,
                            ONE_CARRIER,
                            false),
                    of(
                            "forkjoin-pool",
                            "the fork-join pool of the JDK, first in, first out",
                            ForkJoinPeer::new),
                    of(
                            "threads",
                            "plain threads that park, and the locks of the JDK",
                            ThreadPeer::parking),
                    of(
                            "spinning",
                            "two threads that spin on a field: the floor between cores",
                            ThreadPeer::spinning),
                    of(
                            "netty",
                            "Netty with epoll, one event loop: the floor of sockets",
                            NettyPeer::new),
                    of(
                            "sockets",
                            "a bare socket, a plain thread at each end, the same Kryo: the floor of"
                                    + " nodes",
                            SocketsPeer::new),
                    oneThread(
                            "loop", "a loop: the floor of one thread, no library", LoopPeer::loop),
                    oneThread("streams", "the streams of the JDK", LoopPeer::streams),
                    oneThread(
                            "continuations",
                            "bare continuations: the floor, no library",
                            ContinuationPeer::new));

    private static Contestant of(String name, String what, Supplier<Peer> open) {
        return new Contestant(name, what, open, List.of(), true);
    }

    private static Contestant portable(String name, String what, List<String> carriers) {
        List<String> flags = new ArrayList<>(carriers);
        flags.add(StackFlags.PORTABLE);
        return new Contestant(name, what, RopewalkPortable::new, List.copyOf(flags), false);
    }

    private static Contestant oneThread(String name, String what, Supplier<Peer> open) {
        return new Contestant(name, what, open, List.of(), false);
    }

    /** {@return what the system runs, by name} */
    public Set<String> programs() {
        try (Peer peer = open.get()) {
            return Set.copyOf(peer.programs().keySet());
        }
    }
}
