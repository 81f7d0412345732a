package dev.ropewalk.examples.bank.nodes;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.cluster.Node;
import dev.ropewalk.actors.cluster.NodeMetrics;
import dev.ropewalk.actors.cluster.NodeOptions;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.observer.Observer;
import dev.ropewalk.actors.observer.ObserverOptions;
import dev.ropewalk.examples.bank.nodes.Account.Look;
import dev.ropewalk.examples.bank.nodes.Account.Message;
import dev.ropewalk.examples.bank.nodes.Account.Money;
import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.ConnectionException;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One process of the bank: a node that has a share of the accounts, and customers of some of them.
 * It prints {@link Words}, obeys the lines that it reads, leaves in order on TERM, and ends at once
 * when the process that started it is gone.
 */
final class BankNode {
    /** A line for it: customers begin. */
    static final String OPEN = "open";

    /** A line for it: customers end, each behind its present order. */
    static final String CLOSE = "close";

    /** A line for it: say what all accounts have. */
    static final String COUNT = "count";

    private static final Duration LEAVE_LIMIT = Duration.ofSeconds(20);
    private static final Duration ASK_LIMIT = Duration.ofSeconds(10);
    private static final Duration A_MOMENT = Duration.ofMillis(20);

    private final NodeSettings settings;
    private final Words words = new Words(System.out);
    private final Store store;
    private final Node node;
    private final Entities<Message> accounts;
    private final Cord cord = Cord.start("customers");
    private final List<Fiber<?>> customers = new ArrayList<>();
    private volatile boolean isOpen = true;

    private BankNode(NodeSettings settings) {
        this.settings = settings;
        this.store = settings.openStore();
        this.node =
                Node.start(
                        ActorSystem.start("bank"),
                        NodeOptions.named(settings.name())
                                .withCluster(settings.cluster())
                                .withAddress("127.0.0.1", 0)
                                .withStore(store)
                                .withProtocol(Account.protocol())
                                .withProgramVersion(settings.version()));
        this.accounts = node.entities(Account.kind());
    }

    /**
     * Runs it.
     *
     * @param arguments as {@link NodeSettings#toWords} made them
     */
    public static void main(String[] arguments) throws IOException {
        BankNode bank = new BankNode(NodeSettings.ofWords(List.of(arguments)));
        bank.show();
        Runtime.getRuntime().addShutdownHook(new Thread(bank::leave, "leaves"));
        bank.cord.spin("tells when it is ready", bank::awaitReady);
        bank.obey();
        Runtime.getRuntime().halt(0); // nobody is there to leave for
    }

    /** For as long as the process lives. */
    private void show() {
        if (settings.observer() == NodesOptions.NO_OBSERVER) {
            return;
        }
        try {
            Observer observer =
                    Observer.start(
                            ObserverOptions.loopback()
                                    .withPort(settings.observer())
                                    .withSource("node", () -> node.dump().toJson())
                                    .withMetrics(NodeMetrics.of(node)));
            words.shows(observer.address());
        } catch (ConnectionException refused) {
            words.wrong("the observer: " + refused);
        }
    }

    private void awaitReady() {
        while (!node.isReady()) {
            Fiber.sleep(A_MOMENT);
        }
        words.ready();
    }

    private void obey() throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            switch (line) {
                case OPEN -> open();
                case CLOSE -> {
                    if (close()) {
                        words.closed();
                    } else {
                        words.wrong("a customer was not answered within " + LEAVE_LIMIT);
                    }
                }
                case COUNT -> cord.spin("counts", this::count);
                default -> words.wrong("it does not know the line " + line);
            }
        }
    }

    /** Every third account has its owner here. */
    private synchronized void open() {
        if (!isOpen) {
            return; // it is about to leave
        }
        for (int i = settings.place(); i < settings.accounts(); i += NodeSettings.NODES) {
            Customer customer =
                    new Customer(
                            i, settings.accounts(), accounts, settings.seed(), () -> isOpen, words);
            customers.add(cord.spin("owner of " + Account.key(i), () -> run(customer)));
        }
    }

    /** A bug of a customer must not look like a slow one. */
    private void run(Customer customer) {
        try {
            customer.run();
        } catch (RuntimeException broken) {
            words.wrong("a customer has failed: " + broken);
        }
    }

    /** Whether all have ended. */
    private synchronized boolean close() {
        isOpen = false;
        return cord.<Boolean>spin(
                        "awaits customers",
                        () -> CancelScope.moveOnAfter(LEAVE_LIMIT, this::awaitCustomers))
                .await();
    }

    private void awaitCustomers() {
        customers.forEach(Fiber::await);
    }

    private void count() {
        try {
            for (int i = 0; i < settings.accounts(); i++) {
                words.money(i, accounts.ref(Account.key(i)).<Money>ask(Look::new, ASK_LIMIT));
            }
        } catch (AskException none) {
            words.failed(settings.accounts(), none); // the counting is begun again
        } catch (RuntimeException broken) {
            words.wrong("the count has failed: " + broken);
        }
        words.counted();
    }

    private void leave() {
        close();
        words.left(node.leave(LEAVE_LIMIT));
        store.close();
    }
}
