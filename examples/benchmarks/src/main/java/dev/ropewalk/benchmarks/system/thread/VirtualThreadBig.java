package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.scenario.Sizes;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

/** Many virtual threads that ping one another at random. */
final class VirtualThreadBig {
    private sealed interface Message {}

    private record Ping(BlockingQueue<Message> replyTo) implements Message {}

    private record Pong() implements Message {}

    private record Stop() implements Message {}

    private VirtualThreadBig() {}

    static long big(long n) throws InterruptedException {
        List<BlockingQueue<Message>> mailboxes = new ArrayList<>();
        for (int index = 0; index < Sizes.BIG; index++) {
            mailboxes.add(new LinkedBlockingQueue<>());
        }
        CountDownLatch done = new CountDownLatch(Sizes.BIG);
        List<Pinger> pingers = new ArrayList<>();
        for (int index = 0; index < Sizes.BIG; index++) {
            pingers.add(new Pinger(mailboxes, index, n / Sizes.BIG, done));
        }
        List<ThreadCrew.Body> bodies = new ArrayList<>(pingers);
        bodies.add(() -> stopAll(mailboxes, done));
        ThreadCrew.run(bodies);
        return pingers.stream().mapToLong(Pinger::pongs).sum();
    }

    private static void stopAll(List<BlockingQueue<Message>> mailboxes, CountDownLatch done)
            throws InterruptedException {
        done.await();
        for (BlockingQueue<Message> mailbox : mailboxes) {
            mailbox.add(new Stop());
        }
    }

    /** One of the many. It has one ping of its own under way at most. */
    private static final class Pinger implements ThreadCrew.Body {
        private final List<BlockingQueue<Message>> all;
        private final BlockingQueue<Message> mailbox;
        private final int index;
        private final long pings;
        private final CountDownLatch done;
        private int random;
        private long pongs;

        Pinger(List<BlockingQueue<Message>> all, int index, long pings, CountDownLatch done) {
            this.all = all;
            this.mailbox = all.get(index);
            this.index = index;
            this.pings = pings;
            this.done = done;
            this.random = index + 1;
        }

        long pongs() {
            return pongs;
        }

        @Override
        public void run() throws InterruptedException {
            pingNext();
            while (true) {
                switch (mailbox.take()) {
                    case Ping(BlockingQueue<Message> replyTo) -> replyTo.add(new Pong());
                    case Pong() -> {
                        pongs++;
                        pingNext();
                    }
                    case Stop() -> {
                        return;
                    }
                }
            }
        }

        private void pingNext() {
            if (pongs == pings) {
                done.countDown();
                return;
            }
            random = Sizes.random(random);
            all.get(Sizes.other(index, random)).add(new Ping(mailbox));
        }
    }
}
