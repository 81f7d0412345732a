package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.measure.Laps;
import dev.ropewalk.benchmarks.measure.Sharing;
import dev.ropewalk.benchmarks.scenario.Sizes;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;

/** Messages to a few virtual threads, each with a queue as its mailbox. */
final class VirtualThreadMessages {
    /** Goes around until nothing is left; one with nothing left ends who gets it. */
    private record Hop(long left, long sum) {}

    sealed interface Message {}

    /** From whose thread it comes is for {@link Sharing}. */
    record Add(long value, int from) implements Message {
        Add(long value) {
            this(value, Sharing.here());
        }
    }

    record Get(CompletableFuture<Long> reply) implements Message {}

    record Stop() implements Message {}

    private VirtualThreadMessages() {}

    static long pingpong(long n) throws InterruptedException, ExecutionException {
        return passAround(2, n);
    }

    static long ring(long n) throws InterruptedException, ExecutionException {
        return passAround(Sizes.RING, n);
    }

    static long counting(long n) throws InterruptedException, ExecutionException {
        BlockingQueue<Message> counter = new ArrayBlockingQueue<>(Sizes.MAILBOX);
        CompletableFuture<Long> answer = new CompletableFuture<>();
        ThreadCrew.run(List.of(() -> count(counter), () -> produce(counter, n, answer)));
        return answer.get();
    }

    static long fanin(long n) throws InterruptedException, ExecutionException {
        BlockingQueue<Add> counter = new ArrayBlockingQueue<>(Sizes.MAILBOX);
        CompletableFuture<Long> answer = new CompletableFuture<>();
        List<ThreadCrew.Body> bodies = new ArrayList<>();
        bodies.add(() -> answer.complete(addUp(counter, n)));
        for (int producer = 0; producer < Sizes.PRODUCERS; producer++) {
            bodies.add(() -> sendAll(counter, n / Sizes.PRODUCERS));
        }
        ThreadCrew.run(bodies);
        return answer.get();
    }

    private static long passAround(int actors, long n)
            throws InterruptedException, ExecutionException {
        List<BlockingQueue<Hop>> mailboxes = new ArrayList<>();
        for (int actor = 0; actor < actors; actor++) {
            mailboxes.add(new LinkedBlockingQueue<>());
        }
        CompletableFuture<Long> answer = new CompletableFuture<>();
        List<ThreadCrew.Body> bodies = new ArrayList<>();
        for (int actor = 0; actor < actors; actor++) {
            BlockingQueue<Hop> own = mailboxes.get(actor);
            BlockingQueue<Hop> next = mailboxes.get((actor + 1) % actors);
            bodies.add(() -> passOn(own, next, answer));
        }
        mailboxes.getFirst().add(new Hop(Laps.hops(n, actors), Laps.sum(n, actors)));
        ThreadCrew.run(bodies);
        return answer.get();
    }

    private static void passOn(
            BlockingQueue<Hop> own, BlockingQueue<Hop> next, CompletableFuture<Long> answer)
            throws InterruptedException {
        while (true) {
            Hop hop = own.take();
            Laps.passed(hop.left());
            long sum = hop.sum() + hop.left();
            if (hop.left() <= 1) {
                answer.complete(sum);
                next.put(new Hop(0, sum));
                return;
            }
            next.put(new Hop(hop.left() - 1, sum));
        }
    }

    private static void produce(
            BlockingQueue<Message> counter, long n, CompletableFuture<Long> answer)
            throws InterruptedException, ExecutionException {
        for (long value = 1; value <= n; value++) {
            counter.put(new Add(value));
        }
        CompletableFuture<Long> total = new CompletableFuture<>();
        counter.put(new Get(total));
        answer.complete(total.get());
        counter.put(new Stop());
    }

    static void count(BlockingQueue<Message> mailbox) throws InterruptedException {
        long total = 0;
        while (true) {
            switch (mailbox.take()) {
                case Add(long value, int from) -> {
                    Sharing.received(from);
                    total += value;
                }
                case Get(CompletableFuture<Long> reply) -> reply.complete(total);
                case Stop() -> {
                    return;
                }
            }
        }
    }

    private static void sendAll(BlockingQueue<Add> counter, long n) throws InterruptedException {
        for (long value = 1; value <= n; value++) {
            counter.put(new Add(value));
        }
    }

    private static long addUp(BlockingQueue<Add> mailbox, long n) throws InterruptedException {
        long total = 0;
        for (long i = 0; i < n; i++) {
            Add add = mailbox.take();
            Sharing.received(add.from());
            total += add.value();
        }
        return total;
    }
}
