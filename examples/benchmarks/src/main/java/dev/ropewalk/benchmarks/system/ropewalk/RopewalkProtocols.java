package dev.ropewalk.benchmarks.system.ropewalk;

import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.benchmarks.scenario.Program;
import dev.ropewalk.benchmarks.scenario.Sizes;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

/** Ropewalk's actors that talk back: skynet, big and bank. */
final class RopewalkProtocols {
    private final RopewalkActors actors;

    RopewalkProtocols(RopewalkActors actors) {
        this.actors = actors;
    }

    Map<String, Program> programs() {
        return Map.of(
                "skynet", n -> RopewalkActors.onOneCord(s -> skynet(n, s, s)),
                "big", n -> RopewalkActors.onOneCord(s -> big(n, s)),
                "bank", n -> RopewalkActors.onOneCord(s -> bank(n, s, _ -> new Account()::on)),
                "bank_messages",
                        n ->
                                RopewalkActors.onOneCord(
                                        s -> bank(n, s, self -> new PatientAccount(self)::on)));
    }

    // ---------------------------------------------------------------- skynet

    private sealed interface NodeMessage {}

    private record Begin(long number, long size, ActorRef<NodeMessage> parent)
            implements NodeMessage {}

    private record Sum(long value) implements NodeMessage {}

    /** The children of the root go to the two systems in turn, the others to their parent's. */
    private long skynet(long n, ActorSystem first, ActorSystem second) {
        Fiber<?> main = Fiber.current();
        ActorRef<NodeMessage> collector =
                first.spin(
                        actors.<NodeMessage>stateless(
                                sum -> {
                                    main.schedule(sum);
                                    return false;
                                }));
        node(first, second).tell(new Begin(0, n, collector));
        if (Fiber.suspend() instanceof Sum(long value)) {
            return value;
        }
        throw new IllegalStateException("skynet gave no sum");
    }

    private final class Node {
        private final ActorSystem evenChildren;
        private final ActorSystem oddChildren;
        private @Nullable ActorRef<NodeMessage> parent;
        private final ActorRef<NodeMessage> self;
        private long sum;
        private int open;

        Node(ActorSystem evenChildren, ActorSystem oddChildren, ActorRef<NodeMessage> self) {
            this.evenChildren = evenChildren;
            this.oddChildren = oddChildren;
            this.self = self;
        }

        boolean on(NodeMessage message) {
            return switch (message) {
                case Begin(long number, long size, var from) when size == 1 -> {
                    from.tell(new Sum(number));
                    yield false;
                }
                case Begin(long number, long size, var from) -> {
                    parent = from;
                    spinChildren(number, size / Sizes.FANOUT);
                    yield true;
                }
                case Sum(long value) -> {
                    sum += value;
                    yield --open > 0 || reply();
                }
            };
        }

        private void spinChildren(long number, long size) {
            open = Sizes.FANOUT;
            for (int i = 0; i < Sizes.FANOUT; i++) {
                ActorSystem system = i % 2 == 0 ? evenChildren : oddChildren;
                node(system, system).tell(new Begin(number + i * size, size, self));
            }
        }

        private boolean reply() {
            Objects.requireNonNull(parent).tell(new Sum(sum));
            return false;
        }
    }

    private ActorRef<NodeMessage> node(ActorSystem even, ActorSystem odd) {
        return even.spin(actors.<NodeMessage>actor(self -> new Node(even, odd, self.self())::on));
    }

    // ---------------------------------------------------------------- big

    private sealed interface BigMessage {}

    private record Ping(ActorRef<BigMessage> from) implements BigMessage {}

    private record Pong() implements BigMessage {}

    private static final class Pinger {
        private final int index;
        private final ActorRef<BigMessage> self;
        private final List<ActorRef<BigMessage>> all;
        private final Done done;
        private long left;
        private int random;

        Pinger(
                int index,
                ActorRef<BigMessage> self,
                List<ActorRef<BigMessage>> all,
                long pings,
                Done done) {
            this.index = index;
            this.self = self;
            this.all = all;
            this.left = pings;
            this.done = done;
            this.random = index + 1;
        }

        boolean on(BigMessage message) {
            switch (message) {
                case Ping(ActorRef<BigMessage> from) -> from.tell(new Pong());
                case Pong() -> {
                    done.pongs++;
                    if (--left == 0) {
                        done.actorDone();
                    } else {
                        ping();
                    }
                }
            }
            return true;
        }

        void ping() {
            random = Sizes.random(random);
            all.get(Sizes.other(index, random)).tell(new Ping(self));
        }
    }

    /** Confined to the cord. */
    private static final class Done {
        private final Fiber<?> main;
        private long pongs;
        private int actors;

        Done(Fiber<?> main) {
            this.main = main;
        }

        void actorDone() {
            if (++actors == Sizes.BIG) {
                main.schedule(null);
            }
        }
    }

    private long big(long n, ActorSystem system) {
        Done done = new Done(Fiber.current());
        List<ActorRef<BigMessage>> all = new ArrayList<>();
        for (int i = 0; i < Sizes.BIG; i++) {
            int index = i;
            all.add(
                    system.spin(
                            actors.<BigMessage>actor(
                                    self -> {
                                        Pinger pinger =
                                                new Pinger(
                                                        index,
                                                        self.self(),
                                                        all,
                                                        n / Sizes.BIG,
                                                        done);
                                        pinger.ping();
                                        return pinger::on;
                                    })));
        }
        Fiber.suspend();
        return done.pongs;
    }

    // ---------------------------------------------------------------- bank

    private sealed interface AccountMessage {}

    private record Transfer(
            ActorRef<AccountMessage> destination, long amount, ActorRef<Paid> teller)
            implements AccountMessage {}

    private record Credit(long amount, Recipient<Credited> reply) implements AccountMessage {}

    private record Report(Recipient<State> reply) implements AccountMessage {}

    private record Credited() {}

    private record Paid() {}

    private record State(long balance, long credited) {}

    private static final class Account {
        private long balance;
        private long credited;

        boolean on(AccountMessage message) {
            switch (message) {
                case Transfer(var destination, long amount, var teller) -> {
                    balance -= amount;
                    destination.<Credited>ask(reply -> new Credit(amount, reply));
                    teller.tell(new Paid());
                }
                case Credit(long amount, var reply) -> {
                    balance += amount;
                    credited += amount;
                    reply.tell(new Credited());
                }
                case Report(var reply) -> reply.tell(new State(balance, credited));
                case Settled() -> throw new IllegalStateException("an account that asks");
            }
            return true;
        }
    }

    /** What an account makes of the reply to its credit. */
    private record Settled() implements AccountMessage {}

    /** Does not wait inside a message: while its credit is on the way, it keeps other transfers. */
    private static final class PatientAccount {
        private final ArrayDeque<Transfer> later = new ArrayDeque<>();
        private final Recipient<Credited> credited;
        private @Nullable Transfer current;
        private long balance;
        private long received;

        PatientAccount(ActorContext<AccountMessage> self) {
            credited = self.adapt(_ -> new Settled());
        }

        boolean on(AccountMessage message) {
            switch (message) {
                case Transfer transfer when current == null -> begin(transfer);
                case Transfer transfer -> later.add(transfer);
                case Settled() -> {
                    Objects.requireNonNull(current).teller().tell(new Paid());
                    current = null;
                    Transfer next = later.poll();
                    if (next != null) {
                        begin(next);
                    }
                }
                case Credit(long amount, var reply) -> {
                    balance += amount;
                    received += amount;
                    reply.tell(new Credited());
                }
                case Report(var reply) -> reply.tell(new State(balance, received));
            }
            return true;
        }

        private void begin(Transfer transfer) {
            current = transfer;
            balance -= transfer.amount();
            transfer.destination().tell(new Credit(transfer.amount(), credited));
        }
    }

    private static final class Teller {
        private final List<ActorRef<AccountMessage>> accounts;
        private final ActorRef<Paid> self;
        private final long transfers;
        private final Fiber<?> main;
        private long sent;
        private int open;

        Teller(
                List<ActorRef<AccountMessage>> accounts,
                ActorRef<Paid> self,
                long transfers,
                Fiber<?> main) {
            this.accounts = accounts;
            this.self = self;
            this.transfers = transfers;
            this.main = main;
        }

        void sendBurst() {
            open = Sizes.BURST;
            for (int i = 0; i < Sizes.BURST; i++, sent++) {
                accounts.get(Sizes.source(sent))
                        .tell(
                                new Transfer(
                                        accounts.get(Sizes.destination(sent)),
                                        Sizes.amount(sent),
                                        self));
            }
        }

        boolean on(Paid paid) {
            if (--open == 0) {
                if (sent == transfers) {
                    main.schedule(paid);
                    return false;
                }
                sendBurst();
            }
            return true;
        }
    }

    private long bank(
            long n,
            ActorSystem system,
            Function<ActorContext<AccountMessage>, RopewalkActors.Receiver<AccountMessage>>
                    account) {
        Fiber<?> main = Fiber.current();
        List<ActorRef<AccountMessage>> accounts = new ArrayList<>();
        for (int i = 0; i < Sizes.ACCOUNTS; i++) {
            accounts.add(system.spin(actors.actor(account)));
        }
        system.spin(
                actors.<Paid>actor(
                        self -> {
                            Teller teller = new Teller(accounts, self.self(), n, main);
                            teller.sendBurst();
                            return teller::on;
                        }));
        Fiber.suspend();
        long balance = 0;
        long credited = 0;
        for (ActorRef<AccountMessage> each : accounts) {
            State state = each.<State>ask(Report::new);
            balance += state.balance();
            credited += state.credited();
        }
        if (balance != 0) {
            throw new IllegalStateException("the balances add up to " + balance);
        }
        return credited;
    }
}
