package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.scenario.Sizes;

/** A tree of virtual threads, each of which joins its children. */
final class VirtualThreadTree {
    private VirtualThreadTree() {}

    static long skynet(long n) throws InterruptedException {
        Node root = new Node(0, n);
        Thread.startVirtualThread(root).join();
        return root.reply();
    }

    /** One node; who made it reads its reply once its thread has ended. */
    private static final class Node implements Runnable {
        private final long number;
        private final long size;
        private long reply = -1;

        Node(long number, long size) {
            this.number = number;
            this.size = size;
        }

        long reply() {
            if (reply < 0) {
                throw new IllegalStateException("node " + number + " of " + size + " failed");
            }
            return reply;
        }

        @Override
        public void run() {
            if (size == 1) {
                reply = number;
            } else {
                ThreadCrew.runToEnd(this::askChildren);
            }
        }

        private void askChildren() throws InterruptedException {
            Node[] children = new Node[Sizes.FANOUT];
            Thread[] threads = new Thread[Sizes.FANOUT];
            for (int i = 0; i < Sizes.FANOUT; i++) {
                children[i] = new Node(number + i * size / Sizes.FANOUT, size / Sizes.FANOUT);
                threads[i] = Thread.startVirtualThread(children[i]);
            }
            long sum = 0;
            for (int i = 0; i < Sizes.FANOUT; i++) {
                threads[i].join();
                sum += children[i].reply();
            }
            reply = sum;
        }
    }
}
