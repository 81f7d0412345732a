package dev.ropewalk.benchmarks.system.thread;

import com.softwaremill.jox.Channel;
import com.softwaremill.jox.Select;
import com.softwaremill.jox.Sink;
import com.softwaremill.jox.Source;

import dev.ropewalk.benchmarks.measure.Heap;
import dev.ropewalk.benchmarks.measure.Laps;
import dev.ropewalk.benchmarks.measure.Sharing;
import dev.ropewalk.benchmarks.scenario.Peer;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.benchmarks.scenario.Work;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Channels of Jox between virtual threads, also as mailboxes. */
public final class JoxPeer implements Peer {
    /** From whose thread it comes is for {@link Sharing}. */
    private record Item(long value, int from) {
        Item(long value) {
            this(value, Sharing.here());
        }
    }

    /** Goes around until nothing is left. */
    private record Hop(long left, long sum) {}

    private sealed interface Message {}

    /** From whose thread it comes is for {@link Sharing}. */
    private record Add(long value, int from) implements Message {
        Add(long value) {
            this(value, Sharing.here());
        }
    }

    private record Get(Sink<Long> reply) implements Message {}

    @Override
    public Map<String, Program> programs() {
        return Map.ofEntries(
                Map.entry("pingpong", JoxPeer::pingpong),
                Map.entry("pingpong_free", JoxPeer::pingpong),
                Map.entry("ring", JoxPeer::ring),
                Map.entry("counting", JoxPeer::counting),
                Map.entry("counting_free", JoxPeer::counting),
                Map.entry("fanin", JoxPeer::fanin),
                Map.entry("fanin_free", JoxPeer::fanin),
                Map.entry("chan_rendezvous", JoxPeer::rendezvous),
                Map.entry("chan_buffered", JoxPeer::buffered),
                Map.entry("chan_rendezvous_free", JoxPeer::rendezvous),
                Map.entry("chan_buffered_free", JoxPeer::buffered),
                Map.entry("chan_work", JoxPeer::work),
                Map.entry("chan_work_free", JoxPeer::work),
                Map.entry("select_4", JoxPeer::select),
                Map.entry("idle_channel", JoxPeer::idle),
                Map.entry("pipeline", JoxPeer::pipeline),
                Map.entry("pipeline_free", JoxPeer::pipeline));
    }

    static long pingpong(long n) throws InterruptedException, ExecutionException {
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
        List<ThreadCrew.Body> bodies = new ArrayList<>();
        for (int actor = 0; actor < actors; actor++) {
            Source<Hop> own = mailboxes.get(actor);
            Sink<Hop> next = mailboxes.get((actor + 1) % actors);
            bodies.add(() -> passOn(own, next, answer));
        }
        mailboxes.getFirst().send(new Hop(Laps.hops(n, actors), Laps.sum(n, actors)));
        ThreadCrew.run(bodies);
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

    static long counting(long n) throws InterruptedException, ExecutionException {
        Channel<Message> counter = Channel.newBufferedChannel(Sizes.MAILBOX);
        CompletableFuture<Long> answer = new CompletableFuture<>();
        ThreadCrew.run(List.of(() -> count(counter), () -> produce(counter, n, answer)));
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
                case Add(long value, int from) -> {
                    Sharing.received(from);
                    total += value;
                }
                case Get(Sink<Long> reply) -> reply.send(total);
            }
        }
    }

    static long fanin(long n) throws InterruptedException, ExecutionException {
        Channel<Add> counter = Channel.newBufferedChannel(Sizes.MAILBOX);
        CompletableFuture<Long> answer = new CompletableFuture<>();
        List<ThreadCrew.Body> bodies = new ArrayList<>();
        bodies.add(() -> answer.complete(addUp(counter, n)));
        for (int producer = 0; producer < Sizes.PRODUCERS; producer++) {
            bodies.add(() -> addAll(counter, n / Sizes.PRODUCERS));
        }
        ThreadCrew.run(bodies);
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
            Add add = mailbox.receive();
            Sharing.received(add.from());
            total += add.value();
        }
        return total;
    }

    static long rendezvous(long n) throws InterruptedException, ExecutionException {
        return sendAndReceive(Channel.newRendezvousChannel(), n);
    }

    static long buffered(long n) throws InterruptedException, ExecutionException {
        return sendAndReceive(Channel.newBufferedChannel(Sizes.BUFFER), n);
    }

    static long pipeline(long n) throws InterruptedException, ExecutionException {
        List<ThreadCrew.Body> bodies = new ArrayList<>();
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
        ThreadCrew.run(bodies, bodies.size() / 2);
        return answer.get();
    }

    static long work(long n) throws InterruptedException, ExecutionException {
        Channel<Item> channel = Channel.newBufferedChannel(Sizes.BUFFER);
        CompletableFuture<Long> answer = new CompletableFuture<>();
        ThreadCrew.run(
                List.of(
                        () -> {
                            for (long value = 1; value <= n; value++) {
                                channel.send(new Item(Work.on(value)));
                            }
                            channel.done();
                        },
                        () -> {
                            long sum = 0;
                            while (channel.receiveOrClosed()
                                    instanceof Item(long value, int from)) {
                                Sharing.received(from);
                                sum += Work.on(value);
                            }
                            answer.complete(sum);
                        }));
        return answer.get();
    }

    private static long select(long n) throws InterruptedException, ExecutionException {
        List<Channel<Item>> channels = new ArrayList<>();
        List<ThreadCrew.Body> bodies = new ArrayList<>();
        for (int i = 0; i < Sizes.SELECTED; i++) {
            Channel<Item> channel = Channel.newBufferedChannel(Sizes.BUFFER);
            channels.add(channel);
            bodies.add(
                    () -> {
                        for (long value = 1; value <= n / Sizes.SELECTED; value++) {
                            channel.send(new Item(value));
                        }
                    });
        }
        CompletableFuture<Long> answer = new CompletableFuture<>();
        bodies.add(
                () -> {
                    long sum = 0;
                    for (long i = 0; i < n; i++) {
                        Item item =
                                Select.select(
                                        channels.get(0).receiveClause(),
                                        channels.get(1).receiveClause(),
                                        channels.get(2).receiveClause(),
                                        channels.get(3).receiveClause());
                        sum += item.value();
                    }
                    answer.complete(sum);
                });
        ThreadCrew.run(bodies);
        return answer.get();
    }

    private static long idle(long n) throws InterruptedException {
        List<Channel<Item>> all = new ArrayList<>();
        for (long i = 0; i < n; i++) {
            Channel<Item> channel = Channel.newBufferedChannel(Sizes.BUFFER);
            channel.send(new Item(i));
            channel.receive();
            all.add(channel);
        }
        Heap.measure();
        return all.size();
    }

    private static long sendAndReceive(Channel<Item> channel, long n)
            throws InterruptedException, ExecutionException {
        CompletableFuture<Long> answer = new CompletableFuture<>();
        ThreadCrew.run(List.of(() -> sendAll(channel, n), () -> answer.complete(sum(channel))));
        return answer.get();
    }

    private static void sendAll(Sink<Item> out, long n) throws InterruptedException {
        for (long value = 1; value <= n; value++) {
            out.send(new Item(value));
        }
        out.done();
    }

    private static void addOneToEach(Source<Item> in, Sink<Item> out) throws InterruptedException {
        while (in.receiveOrClosed() instanceof Item(long value, int from)) {
            Sharing.received(from);
            out.send(new Item(value + 1));
        }
        out.done();
    }

    private static long sum(Source<Item> in) throws InterruptedException {
        long sum = 0;
        while (in.receiveOrClosed() instanceof Item(long value, int from)) {
            Sharing.received(from);
            sum += value;
        }
        return sum;
    }
}
