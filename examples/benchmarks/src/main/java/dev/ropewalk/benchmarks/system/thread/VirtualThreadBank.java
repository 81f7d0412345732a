package dev.ropewalk.benchmarks.system.thread;

import dev.ropewalk.benchmarks.scenario.Sizes;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;

/** Accounts that ask one another while a teller waits for them. */
final class VirtualThreadBank {
    private sealed interface Message {}

    private record Transfer(Account destination, long amount, BlockingQueue<Done> teller)
            implements Message {}

    private record Credit(long amount, CompletableFuture<Done> reply) implements Message {}

    private record Stop() implements Message {}

    private record Done(long amount) {}

    private VirtualThreadBank() {}

    static long bank(long n) throws InterruptedException, ExecutionException {
        List<Account> accounts = new ArrayList<>();
        for (int account = 0; account < Sizes.ACCOUNTS; account++) {
            accounts.add(new Account());
        }
        CompletableFuture<Long> credited = new CompletableFuture<>();
        List<ThreadCrew.Body> bodies = new ArrayList<>(accounts);
        bodies.add(() -> transferAll(accounts, n, credited));
        ThreadCrew.run(bodies);
        long sum = accounts.stream().mapToLong(Account::balance).sum();
        if (sum != 0) {
            throw new IllegalStateException("sum of the balances: " + sum);
        }
        return credited.get();
    }

    private static void transferAll(
            List<Account> accounts, long n, CompletableFuture<Long> credited)
            throws InterruptedException {
        BlockingQueue<Done> mailbox = new LinkedBlockingQueue<>();
        long sum = 0;
        for (long first = 0; first < n; first += Sizes.BURST) {
            long end = Math.min(n, first + Sizes.BURST);
            for (long i = first; i < end; i++) {
                Account destination = accounts.get(Sizes.destination(i));
                accounts.get(Sizes.source(i))
                        .tell(new Transfer(destination, Sizes.amount(i), mailbox));
            }
            for (long i = first; i < end; i++) {
                sum += mailbox.take().amount();
            }
        }
        credited.complete(sum);
        for (Account account : accounts) {
            account.tell(new Stop());
        }
    }

    /** An account; its balance may be read once its thread has ended. */
    private static final class Account implements ThreadCrew.Body {
        private final BlockingQueue<Message> mailbox = new LinkedBlockingQueue<>();
        private long balance;

        void tell(Message message) {
            mailbox.add(message);
        }

        long balance() {
            return balance;
        }

        @Override
        public void run() throws InterruptedException, ExecutionException {
            while (true) {
                switch (mailbox.take()) {
                    case Transfer(Account destination, long amount, BlockingQueue<Done> teller) -> {
                        balance -= amount;
                        CompletableFuture<Done> reply = new CompletableFuture<>();
                        destination.tell(new Credit(amount, reply));
                        teller.add(new Done(reply.get().amount()));
                    }
                    case Credit(long amount, CompletableFuture<Done> reply) -> {
                        balance += amount;
                        reply.complete(new Done(amount));
                    }
                    case Stop() -> {
                        return;
                    }
                }
            }
        }
    }
}
