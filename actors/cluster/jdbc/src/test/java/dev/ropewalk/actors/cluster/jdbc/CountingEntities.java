package dev.ropewalk.actors.cluster.jdbc;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityHost;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.cluster.store.Store;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;
import dev.ropewalk.fibers.Cord;

import java.io.PrintStream;
import java.time.Duration;

/** Durable entities that count, as many at once as there are keys. */
final class CountingEntities {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    record Add(long number, Recipient<Long> replyTo) implements Request<Long> {}

    record Sum(long number) {}

    private CountingEntities() {}

    private static EntityKind<Add, Sum> kind() {
        return EntityKind.durable(
                "count",
                Add.class,
                Sum.class,
                _ ->
                        Server.<Add, Sum>of(new Sum(0))
                                .call(
                                        Add.class,
                                        (sum, add) -> {
                                            long next = sum.number() + add.number();
                                            return add.number() == 0
                                                    ? Reply.of(next, sum)
                                                    : Reply.of(next, new Sum(next));
                                        }));
    }

    private static long add(ActorRef<Add> to, long number) {
        return to.<Long>ask(replyTo -> new Add(number, replyTo), LIMIT);
    }

    /** Counts until the process is killed, or a minute is over. */
    static void run(Store store, int keys, PrintStream out) {
        ActorSystem system = ActorSystem.start("system");
        EntityHost host = EntityHost.start(system, "host", store);
        Entities<Add> all = host.entities(kind());
        Cord cord = Cord.start("asks");
        for (int i = 0; i < keys; i++) {
            int number = i;
            ActorRef<Add> entity = all.ref("c" + i);
            cord.spin(
                    "asks " + i,
                    () -> {
                        while (true) {
                            out.println(number + " " + add(entity, 1));
                        }
                    });
        }
        cord.awaitEnd(Duration.ofMinutes(1));
    }

    /** Nothing that was acknowledged is gone; at most one write more may have taken effect. */
    static void check(Store store, long[] highest) {
        try (ActorSystem system = ActorSystem.start("system");
                EntityHost host = EntityHost.start(system, "host", store)) {
            Entities<Add> all = host.entities(kind());
            for (int i = 0; i < highest.length; i++) {
                long there = add(all.ref("c" + i), 0);
                String about = "c" + i + " is " + there + ", acknowledged " + highest[i];
                assertTrue(there >= highest[i], about);
                assertTrue(there <= highest[i] + 1, about);
                highest[i] = there;
            }
        }
    }
}
