package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;

import java.util.HashMap;
import java.util.Map;

/** Virtual threads whose two ends have one carrier each, with the queues of the JDK or of Jox. */
public final class ApartPeer implements Peer {
    private final Carrier first = new Carrier();
    private final Carrier second = new Carrier();
    private final Map<String, Program> programs = new HashMap<>();

    private ApartPeer(Map<String, Program> apart) {
        ThreadCrew.Ends ends = new ThreadCrew.Ends(first.factory(), second.factory());
        apart.forEach((name, program) -> programs.put(name, ends.of(program)));
    }

    public static Peer queues() {
        return new ApartPeer(
                Map.of(
                        "pingpong_apart", VirtualThreadMessages::pingpong,
                        "counting_apart", VirtualThreadMessages::counting,
                        "fanin_apart", VirtualThreadMessages::fanin,
                        "chan_rendezvous_apart", VirtualThreadChannels::rendezvous,
                        "chan_buffered_apart", VirtualThreadChannels::buffered,
                        "chan_work_apart", VirtualThreadChannels::work,
                        "pipeline_apart", VirtualThreadChannels::pipeline));
    }

    public static Peer jox() {
        return new ApartPeer(
                Map.of(
                        "pingpong_apart", JoxPeer::pingpong,
                        "counting_apart", JoxPeer::counting,
                        "fanin_apart", JoxPeer::fanin,
                        "chan_rendezvous_apart", JoxPeer::rendezvous,
                        "chan_buffered_apart", JoxPeer::buffered,
                        "chan_work_apart", JoxPeer::work,
                        "pipeline_apart", JoxPeer::pipeline));
    }

    @Override
    public Map<String, Program> programs() {
        return programs;
    }

    @Override
    public void close() {
        first.close();
        second.close();
    }
}
