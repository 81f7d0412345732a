package dev.ropewalk.actors.cluster.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityContext;
import dev.ropewalk.actors.cluster.entity.EntityHost;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.fibers.Cord;

import org.awaitility.Awaitility;

import java.io.PrintStream;
import java.time.Duration;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** Durable entities that pay each other; each payment is delivered. */
final class PayingEntities {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final long FIRST = 1_000;

    sealed interface Purse {}

    record Pay(ActorRef<Purse> to, Recipient<Long> replyTo) implements Purse, Request<Long> {}

    record Receive(long cents) implements Purse {}

    record Look(Recipient<Content> replyTo) implements Purse, Request<Content> {}

    /**
     * The state.
     *
     * @param paid so many payments
     * @param received so many payments of others
     */
    record Content(long cents, long paid, long received) {}

    private PayingEntities() {}

    private static EntityKind<Purse, Content> kind() {
        return EntityKind.durable("purse", Purse.class, Content.class, PayingEntities::functions);
    }

    private static Server<Purse, Content> functions(EntityContext<Purse> self) {
        return Server.<Purse, Content>of(new Content(FIRST, 0, 0))
                .call(
                        Pay.class,
                        (now, pay) -> {
                            self.deliver(pay.to(), new Receive(1));
                            long paid = now.paid() + 1;
                            return Reply.of(
                                    paid, new Content(now.cents() - 1, paid, now.received()));
                        })
                .cast(
                        Receive.class,
                        (now, payment) ->
                                new Content(
                                        now.cents() + payment.cents(),
                                        now.paid(),
                                        now.received() + 1))
                .call(Look.class, (now, _) -> Reply.of(now, now));
    }

    /** Pays until the process is killed, or a minute is over. */
    static void run(Store store, int keys, PrintStream out) {
        ActorSystem system = ActorSystem.start("system");
        EntityHost host = EntityHost.start(system, "host", store);
        Entities<Purse> all = host.entities(kind());
        Cord cord = Cord.start("pays");
        for (int i = 0; i < keys; i++) {
            int number = i;
            ActorRef<Purse> from = all.ref("p" + i);
            cord.spin(
                    "pays " + i,
                    () -> {
                        for (int to = number; true; to = (to + 3) % keys) {
                            ActorRef<Purse> other = all.ref("p" + to);
                            long paid = from.<Long>ask(back -> new Pay(other, back), LIMIT);
                            out.println(number + " " + paid);
                        }
                    });
        }
        cord.awaitEnd(Duration.ofMinutes(1));
    }

    /** No acknowledged payment is gone, each has arrived once, and the sum is what it was. */
    static void check(Store store, long[] highest) {
        try (ActorSystem system = ActorSystem.start("system");
                EntityHost host = EntityHost.start(system, "host", store)) {
            Entities<Purse> all = host.entities(kind());
            Awaitility.await()
                    .atMost(LIMIT)
                    .until(
                            () ->
                                    sum(all, highest.length, Content::paid)
                                            == sum(all, highest.length, Content::received));
            assertEquals(FIRST * highest.length, sum(all, highest.length, Content::cents));
            for (int i = 0; i < highest.length; i++) {
                long paid = look(all, i).paid();
                String about = "p" + i + " has paid " + paid + ", acknowledged " + highest[i];
                assertTrue(paid >= highest[i], about);
                assertTrue(paid <= highest[i] + 1, about);
                highest[i] = paid;
            }
        }
    }

    private static Content look(Entities<Purse> all, int number) {
        return all.ref("p" + number).<Content>ask(Look::new, LIMIT);
    }

    private static long sum(Entities<Purse> all, int count, ToLongFunction<Content> of) {
        return IntStream.range(0, count).mapToLong(i -> of.applyAsLong(look(all, i))).sum();
    }
}
