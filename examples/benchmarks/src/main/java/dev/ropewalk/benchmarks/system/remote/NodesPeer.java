package dev.ropewalk.benchmarks.system.remote;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.benchmarks.measure.Latencies;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.benchmarks.system.remote.Words.Note;
import dev.ropewalk.benchmarks.system.remote.Words.Question;
import dev.ropewalk.benchmarks.system.remote.Words.Word;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Two of Ropewalk's nodes, each with its system on a cord of its own: actors, or entities. */
public final class NodesPeer implements Peer {
    private @Nullable NodePair plain;
    private @Nullable NodePair encrypted;
    private @Nullable NodePair ofTwoProcesses;

    private final boolean isOfEntities;

    private NodesPeer(boolean isOfEntities) {
        this.isOfEntities = isOfEntities;
    }

    public static Peer actors() {
        return new NodesPeer(false);
    }

    public static Peer entities() {
        return new NodesPeer(true);
    }

    @Override
    public Map<String, Program> programs() {
        if (isOfEntities) {
            return Map.of(
                    "remote_tell", n -> on(plain(), adder -> Adder.tell(n, adder)),
                    "remote_ask", n -> on(plain(), adder -> ask(n, adder, true)),
                    "remote_ask_p99", n -> on(plain(), adder -> ask(n, adder, true)),
                    "remote_ask_64", n -> on(plain(), adder -> askers(n, adder)));
        }
        return Map.of(
                "processes_tell", n -> on(ofTwoProcesses(), adder -> Adder.tell(n, adder)),
                "processes_ask", n -> on(ofTwoProcesses(), adder -> ask(n, adder, true)),
                "processes_ask_64", n -> on(ofTwoProcesses(), adder -> askers(n, adder)),
                "remote_tell", n -> on(plain(), adder -> Adder.tell(n, adder)),
                "remote_tell_tls", n -> on(encrypted(), adder -> Adder.tell(n, adder)),
                "remote_ask", n -> on(plain(), adder -> ask(n, adder, true)),
                "remote_ask_p99", n -> on(plain(), adder -> ask(n, adder, true)),
                "remote_ask_64", n -> on(plain(), adder -> askers(n, adder)));
    }

    private NodePair plain() {
        if (plain == null) {
            plain = isOfEntities ? NodePair.ofEntities() : NodePair.plain();
        }
        return plain;
    }

    private NodePair encrypted() {
        if (encrypted == null) {
            encrypted = NodePair.encrypted();
        }
        return encrypted;
    }

    private NodePair ofTwoProcesses() {
        if (ofTwoProcesses == null) {
            ofTwoProcesses = NodePair.ofTwoProcesses();
        }
        return ofTwoProcesses;
    }

    @Override
    public void close() {
        for (NodePair each : new @Nullable NodePair[] {plain, encrypted, ofTwoProcesses}) {
            if (each != null) {
                each.close();
            }
        }
    }

    @FunctionalInterface
    private interface Body {
        long run(ActorRef<Word> adder);
    }

    private static long on(NodePair pair, Body body) {
        return pair.here().on(() -> body.run(pair.adderThere()));
    }

    // ---------------------------------------------------------------- programs, on the first cord

    private static long ask(long n, ActorRef<Word> adder, boolean isTimed) {
        long sum = 0;
        for (long value = 1; value <= n; value++) {
            long asked = value;
            long beganNs = isTimed ? Latencies.begin() : 0;
            sum += adder.<Note>ask(replyTo -> Question.of(asked, replyTo), Adder.LIMIT).value();
            if (isTimed) {
                Latencies.add(beganNs);
            }
        }
        return sum;
    }

    private static long askers(long n, ActorRef<Word> adder) {
        List<Fiber<Long>> askers = new ArrayList<>();
        for (int i = 0; i < Sizes.REMOTE_ASKERS; i++) {
            askers.add(Fiber.<Long>spin(() -> ask(n / Sizes.REMOTE_ASKERS, adder, false)));
        }
        long sum = 0;
        for (Fiber<Long> asker : askers) {
            sum += asker.await();
        }
        return sum;
    }
}
