package dev.ropewalk.benchmarks.system.thread;

import com.softwaremill.jox.Channel;
import com.softwaremill.jox.Sink;
import com.softwaremill.jox.Source;

import dev.ropewalk.benchmarks.measure.Laps;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Channels of Jox between virtual threads, also as mailboxes. */
public final class JoxPeer implements Peer {
    private record Item(long value) {}

    /** Goes around until nothing is left. */
    private record Hop(long left, long sum) {}

    private sealed interface Message {}

    private record Add(long value) implements Message {}

    private record Get(Sink<Long> reply) implements Message {}

    @Override
    public Map<String, Program> programs() {
        return Map.ofEntries(
                Map.entry("pingpong", JoxPeer::pingpong),
                Map.entry("pingpong_2", JoxPeer::pingpong),
                Map.entry("ring", JoxPeer::ring),
                Map.entry("counting", JoxPeer::counting),
                Map.entry("counting_2", JoxPeer::counting),
                Map.entry("fanin", JoxPeer::fanin),
                Map.entry("fanin_2", JoxPeer::fanin),
                Map.entry("chan_rendezvous", JoxPeer::rendezvous),
                Map.entry("chan_buffered", JoxPeer::buffered),
                Map.entry("chan_rendezvous_2", JoxPeer::rendezvous),
                Map.entry("chan_buffered_2", JoxPeer::buffered),
                Map.entry("pipeline", JoxPeer::pipeline),
                Map.entry("pipeline_2", JoxPeer::pipeline));
    }

    private static long pingpong(long n) throws InterruptedException, ExecutionException {
        return passAround(2, n);
    }

    private static long ring(long n) throws InterruptedException, ExecutionException {
        return passAround(Sizes.RING, n);
    }

    private static long passAround(int actors, long n)
            throws InterruptedException, ExecutionException {
        List<Channel<Hop>> mailboxes = new ArrayList<>();
        for (int actor = 0; actor < actors; actor++) {
            mailboxes.add(Channel.newBufferedChannel(Sizes.MAILBOX));
        }
        CompletableFuture<Long> answer = new CompletableFuture<>();
        List<VirtualThreadCrew.Body> bodies = new ArrayList<>();
        for (int actor = 0; actor < actors; actor++) {
            Source<Hop> own = mailboxes.get(actor);
            Sink<Hop> next = mailboxes.get((actor + 1) % actors);
            bodies.add(() -> passOn(own, next, answer));
        }
        mailboxes.getFirst().send(new Hop(Laps.hops(n, actors), Laps.sum(n, actors)));
        VirtualThreadCrew.run(bodies);
        return answer.get();
    }

    private static void passOn(Source<Hop> own, Sink<Hop> next, CompletableFuture<Long> answer)
            throws InterruptedException {
        while (own.receiveOrClosed() instanceof Hop(long left, long before)) {
            Laps.passed(left);
            long sum = before + left;
            if (left == 1) {
                answer.complete(sum);
                break;
            }
            next.send(new Hop(left - 1, sum));
        }
        next.done();
    }

    private static long counting(long n) throws InterruptedException, ExecutionException {
        Channel<Message> counter = Channel.newBufferedChannel(Sizes.MAILBOX);
        CompletableFuture<Long> answer = new CompletableFuture<>();
        VirtualThreadCrew.run(List.of(() -> count(counter), () -> produce(counter, n, answer)));
        return answer.get();
    }

    private static void produce(Sink<Message> counter, long n, CompletableFuture<Long> answer)
            throws InterruptedException {
        for (long value = 1; value <= n; value++) {
            counter.send(new Add(value));
        }
        Channel<Long> total = Channel.newRendezvousChannel();
        counter.send(new Get(total));
        answer.complete(total.receive());
        counter.done();
    }

    private static void count(Source<Message> mailbox) throws InterruptedException {
        long total = 0;
        while (mailbox.receiveOrClosed() instanceof Message message) {
            switch (message) {
                case Add(long value) -> total += value;
                case Get(Sink<Long> reply) -> reply.send(total);
            }
        }
    }

    private static long fanin(long n) throws InterruptedException, ExecutionException {
        Channel<Add> counter = Channel.newBufferedChannel(Sizes.MAILBOX);
        CompletableFuture<Long> answer = new CompletableFuture<>();
        List<VirtualThreadCrew.Body> bodies = new ArrayList<>();
        bodies.add(() -> answer.complete(addUp(counter, n)));
        for (int producer = 0; producer < Sizes.PRODUCERS; producer++) {
            bodies.add(() -> addAll(counter, n / Sizes.PRODUCERS));
        }
        VirtualThreadCrew.run(bodies);
        return answer.get();
    }

    private static void addAll(Sink<Add> counter, long n) throws InterruptedException {
        for (long value = 1; value <= n; value++) {
            counter.send(new Add(value));
        }
    }

    private static long addUp(Source<Add> mailbox, long n) throws InterruptedException {
        long total = 0;
        for (long i = 0; i < n; i++) {
            total += mailbox.receive().value();
        }
        return total;
    }

    private static long rendezvous(long n) throws InterruptedException, ExecutionException {
        return sendAndReceive(Channel.newRendezvousChannel(), n);
    }

    private static long buffered(long n) throws InterruptedException, ExecutionException {
        return sendAndReceive(Channel.newBufferedChannel(Sizes.BUFFER), n);
    }

    private static long pipeline(long n) throws InterruptedException, ExecutionException {
        List<VirtualThreadCrew.Body> bodies = new ArrayList<>();
        Channel<Item> first = Channel.newBufferedChannel(Sizes.BUFFER);
        bodies.add(() -> sendAll(first, n));
        Source<Item> last = first;
        for (int stage = 0; stage < Sizes.STAGES; stage++) {
            Source<Item> in = last;
            Channel<Item> out = Channel.newBufferedChannel(Sizes.BUFFER);
            bodies.add(() -> addOneToEach(in, out));
            last = out;
        }
        Source<Item> end = last;
        CompletableFuture<Long> answer = new CompletableFuture<>();
        bodies.add(() -> answer.complete(sum(end)));
        VirtualThreadCrew.run(bodies);
        return answer.get();
    }

    private static long sendAndReceive(Channel<Item> channel, long n)
            throws InterruptedException, ExecutionException {
        CompletableFuture<Long> answer = new CompletableFuture<>();
        VirtualThreadCrew.run(
                List.of(() -> sendAll(channel, n), () -> answer.complete(sum(channel))));
        return answer.get();
    }

    private static void sendAll(Sink<Item> out, long n) throws InterruptedException {
        for (long value = 1; value <= n; value++) {
            out.send(new Item(value));
        }
        out.done();
    }

    private static void addOneToEach(Source<Item> in, Sink<Item> out) throws InterruptedException {
        while (in.receiveOrClosed() instanceof Item(long value)) {
            out.send(new Item(value + 1));
        }
        out.done();
    }

    private static long sum(Source<Item> in) throws InterruptedException {
        long sum = 0;
        while (in.receiveOrClosed() instanceof Item(long value)) {
            sum += value;
        }
        return sum;
    }
}
