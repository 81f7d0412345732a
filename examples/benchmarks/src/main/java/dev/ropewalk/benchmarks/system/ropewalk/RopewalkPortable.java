package dev.ropewalk.benchmarks.system.ropewalk;

import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Actors, fibers and channels of one cord by the programs of the others, in a JVM where a flag
 * makes all stacks portable.
 */
public final class RopewalkPortable implements Peer {
    private final Peer actors = RopewalkPeer.handlers();
    private final Peer channels = RopewalkChannels.local();
    private final Map<String, Program> programs = new HashMap<>();

    public RopewalkPortable() {
        take(actors, List.of("pingpong", "bank"));
        take(channels, List.of("chan_rendezvous", "chan_buffered", "snooze_10"));
    }

    private void take(Peer peer, List<String> names) {
        names.forEach(name -> programs.put(name, peer.programs().get(name)));
    }

    @Override
    public Map<String, Program> programs() {
        return programs;
    }

    @Override
    public void close() {
        channels.close();
        actors.close();
    }
}
