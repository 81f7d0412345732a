package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;

import java.util.Map;

/** Plain virtual threads and the queues of the JDK, on the JDK's own scheduler. */
public final class VirtualThreadPeer implements Peer {
    @Override
    public Map<String, Program> programs() {
        return Map.ofEntries(
                Map.entry("pingpong", VirtualThreadMessages::pingpong),
                Map.entry("pingpong_free", VirtualThreadMessages::pingpong),
                Map.entry("ring", VirtualThreadMessages::ring),
                Map.entry("counting", VirtualThreadMessages::counting),
                Map.entry("counting_bounded", VirtualThreadMessages::counting),
                Map.entry("counting_free", VirtualThreadMessages::counting),
                Map.entry("fanin", VirtualThreadMessages::fanin),
                Map.entry("fanin_free", VirtualThreadMessages::fanin),
                Map.entry("forkjoin_create", VirtualThreadForks::create),
                Map.entry("forkjoin_msg", VirtualThreadForks::messages),
                Map.entry("tasks", VirtualThreadForks::tasks),
                Map.entry("tasks_free", VirtualThreadForks::tasks),
                Map.entry("skynet", VirtualThreadTree::skynet),
                Map.entry("skynet_free", VirtualThreadTree::skynet),
                Map.entry("big", VirtualThreadBig::big),
                Map.entry("bank", VirtualThreadBank::bank),
                Map.entry("chan_rendezvous", VirtualThreadChannels::rendezvous),
                Map.entry("chan_buffered", VirtualThreadChannels::buffered),
                Map.entry("chan_rendezvous_free", VirtualThreadChannels::rendezvous),
                Map.entry("chan_buffered_free", VirtualThreadChannels::buffered),
                Map.entry("chan_work", VirtualThreadChannels::work),
                Map.entry("chan_work_free", VirtualThreadChannels::work),
                Map.entry("idle_channel", VirtualThreadChannels::idle),
                Map.entry("pipeline", VirtualThreadChannels::pipeline),
                Map.entry("pipeline_free", VirtualThreadChannels::pipeline),
                Map.entry("echo_64", VirtualThreadSockets::few),
                Map.entry("echo_64_cpu", VirtualThreadSockets::few),
                Map.entry("echo_1024", VirtualThreadSockets::many),
                Map.entry("echo_1024_cpu", VirtualThreadSockets::many),
                Map.entry("timers", VirtualThreadIdlers::timers),
                Map.entry("children", VirtualThreadIdlers::children),
                Map.entry("mem", VirtualThreadIdlers::mem),
                Map.entry("snooze_10", VirtualThreadTurns::few),
                Map.entry("snooze_10000", VirtualThreadTurns::many),
                Map.entry("snooze_gc", VirtualThreadTurns::afterCollection),
                Map.entry("cords", VirtualThreadTurns::roundTrips),
                Map.entry("parked", VirtualThreadTurns::parked),
                Map.entry("mutex_busy", VirtualThreadTurns::busyLock));
    }
}
