package dev.ropewalk.actors.opentelemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityHost;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.supervision.Tree;
import dev.ropewalk.fibers.Action;
import dev.ropewalk.fibers.Cord;

import io.opentelemetry.api.baggage.Baggage;
import io.opentelemetry.api.trace.SpanId;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.trace.data.SpanData;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** Rules A6 and A7: an entity has the context of its sender, on whichever cord it is. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class EntityTracesTest {
    private static final String SPAN = "process EntityTracesTest.Clerk EntityTracesTest.Order";
    private static final int KEYS = 16;

    record Order(String goods, Recipient<String> replyTo) {}

    private record Clerk() implements Behavior<Object> {
        @Override
        public Behavior<Object> onMessage(Object message) {
            Order order = (Order) message;
            String here = String.valueOf(Baggage.current().getEntryValue("goods"));
            order.replyTo().tell(Cord.current().name() + " " + here);
            return Behavior.same();
        }
    }

    private final Recorded recorded = new Recorded();
    private final Set<String> cords = new HashSet<>();

    /** Two cords of the system, and one of those that ask. */
    private void run(Body body) {
        ActorSystemOptions options =
                ActorSystemOptions.defaults()
                        .withCords(2)
                        .withContexts(Traces.spans(recorded.sdk()));
        try (ActorSystem system = ActorSystem.start(Tree.oneForOne("shop"), options);
                EntityHost host = EntityHost.start(system, "clerks")) {
            Entities<Object> clerks =
                    host.entities(
                            EntityKind.of("clerk", Object.class, _ -> Actor.handler(Clerk::new)));
            Cord.run(Recorded.cord(), (Action) () -> body.run(clerks));
        }
    }

    private interface Body {
        void run(Entities<Object> clerks) throws Exception;
    }

    private static CompletionStage<String> ordered(ActorRef<Object> clerk, String goods) {
        try (Scope _ = Baggage.builder().put("goods", goods).build().makeCurrent()) {
            return clerk.askLater(own -> new Order(goods, own), Duration.ofSeconds(20));
        }
    }

    private void took(String goods, CompletionStage<String> reply) {
        String[] words = reply.toCompletableFuture().join().split(" ", 2);
        cords.add(words[0]);
        assertEquals(goods, words[1]);
    }

    @Test
    void A7_anEntityHasTheSpanOfItsSenderOnEachCord() {
        run(
                clerks -> {
                    for (int i = 0; i < KEYS; i++) {
                        ActorRef<Object> clerk = clerks.ref("k" + i);
                        String goods = "g" + i;
                        recorded.in(
                                "orders " + i,
                                () -> {
                                    took(goods, ordered(clerk, goods));
                                    return goods;
                                });
                    }
                });
        assertTrue(cords.size() == 2, cords::toString);
        Set<String> parents = new HashSet<>();
        for (SpanData each : recorded.all()) {
            if (each.getName().equals(SPAN)) {
                parents.add(each.getParentSpanId());
            }
        }
        Set<String> senders = new HashSet<>();
        for (int i = 0; i < KEYS; i++) {
            senders.add(recorded.the("orders " + i).getSpanId());
        }
        assertEquals(senders, parents);
    }

    /** The entity is started, and its end makes messages wait for the next start. */
    @Test
    void A7_messagesThatWaitForTheEndOfTheOneBeforeKeepTheirOwn() {
        run(
                clerks -> {
                    for (int i = 0; i < KEYS; i++) {
                        ActorRef<Object> clerk = clerks.ref("k" + i);
                        CompletionStage<String> first = ordered(clerk, "first");
                        clerk.stop();
                        CompletionStage<String> second = ordered(clerk, "second");
                        CompletionStage<String> third =
                                clerk.askLater(
                                        own -> new Order("none", own), Duration.ofSeconds(20));
                        CompletionStage<String> fourth = ordered(clerk, "fourth");
                        took("first", first);
                        took("second", second);
                        took("null", third);
                        took("fourth", fourth);
                    }
                });
        assertTrue(cords.size() == 2, cords::toString);
    }

    @Test
    void A7_aMessageOfASenderWithoutASpanBeginsATrace() {
        run(
                clerks -> {
                    ActorRef<Object> clerk = clerks.ref("k");
                    List<CompletionStage<String>> replies =
                            List.of(
                                    recorded.in("sender", () -> ordered(clerk, "with")),
                                    clerk.askLater(
                                            own -> new Order("none", own), Duration.ofSeconds(20)));
                    took("with", replies.getFirst());
                    took("null", replies.getLast());
                });
        List<SpanData> handled =
                recorded.all().stream().filter(each -> each.getName().equals(SPAN)).toList();
        assertEquals(2, handled.size(), recorded.names()::toString);
        assertEquals(recorded.the("sender").getSpanId(), handled.getFirst().getParentSpanId());
        assertEquals(SpanId.getInvalid(), handled.getLast().getParentSpanId());
    }
}
