package dev.ropewalk.actors.micrometer;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.metrics.Metric;
import dev.ropewalk.fibers.metrics.MetricSource;
import dev.ropewalk.fibers.spi.Waits;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** The meters in Micrometer's own registry; rule A6. */
@Timeout(60)
class RopewalkMetricsTest {
    private static final Metric OPEN = Metric.gauge("shop.open", "Tills that are open.");
    private static final Metric SOLD = Metric.counter("shop.sold", "Things that were sold.");

    private record Till() implements Behavior<String> {
        @Override
        public Behavior<String> onMessage(String message) {
            if (message.equals("break")) {
                throw new IllegalStateException("the till breaks");
            }
            return Behavior.same();
        }
    }

    private final MeterRegistry registry = new SimpleMeterRegistry();
    private ActorSystem system = ActorSystem.start("shop", Supervision.oneForOne(), _ -> {});

    @AfterEach
    void end() {
        system.close();
    }

    /** As a scrape does it. */
    private void scrape() {
        for (Meter each : registry.getMeters()) {
            each.measure()
                    .forEach(value -> assertFalse(value.getValue() < 0, () -> "" + each.getId()));
        }
    }

    private double gauge(String name, String... tags) {
        Gauge found = registry.find(name).tags(tags).gauge();
        return found == null ? Double.NaN : found.value();
    }

    private double counter(String name, String... tags) {
        FunctionCounter found = registry.find(name).tags(tags).functionCounter();
        return found == null ? Double.NaN : found.count();
    }

    @Test
    void A6_actorsAreCountedByTheirClass() {
        for (int i = 0; i < 3; i++) {
            system.spin("till " + i, Actor.handler(Till::new));
        }
        RopewalkMetrics.of().bindTo(registry);
        String[] tags = {"system", "shop", "class", Till.class.getName()};
        await().until(() -> gauge("ropewalk.actors", tags) == 3);
        assertEquals(0, gauge("ropewalk.mailbox.messages", tags));
        assertTrue(
                gauge(
                                "ropewalk.cords",
                                "group",
                                system.cords().getFirst().name().replaceAll("[-_ #.:]*\\d+$", ""))
                        >= 1);
    }

    @Test
    void A6_restartsAndDeadLettersAreCounted() {
        RopewalkMetrics.of().bindTo(registry);
        ActorRef<String> till = system.start("till", Actor.handler(Till::new));
        till.tell("break");
        await().until(() -> system.restartCounts().size() == 1);
        assertEquals(Map.of(Till.class.getName(), 1L), system.restartCounts());
        await().untilAsserted(
                        () -> {
                            scrape();
                            assertEquals(1, counter("ropewalk.actor.restarts", "system", "shop"));
                        });
        assertEquals(1, counter("ropewalk.dead.letters", "reason", "failed"));
        assertEquals(0, counter("ropewalk.dead.letters", "reason", "moving"));
    }

    @Test
    void A6_whatIsNewIsThereFromTheNextScrapeOn() {
        AtomicInteger shops = new AtomicInteger(1);
        MetricSource source =
                sink -> {
                    for (int i = 0; i < shops.get(); i++) {
                        sink.add(OPEN, i, "shop", "s" + i);
                        sink.count(SOLD, i, 10, "shop", "s" + i);
                    }
                };
        RopewalkMetrics.of(source).bindTo(registry);
        assertEquals(0, gauge("shop.open", "shop", "s0"));
        assertNull(registry.find("shop.open").tag("shop", "s1").gauge());
        shops.set(2);
        await().untilAsserted(
                        () -> {
                            scrape();
                            assertEquals(1, gauge("shop.open", "shop", "s1"));
                        });
        assertEquals(10, counter("shop.sold", "shop", "s1"));
        shops.set(1);
        await().until(
                        () -> {
                            scrape();
                            return registry.find("shop.open").tag("shop", "s1").gauge() == null;
                        });
        assertEquals(10, counter("shop.sold", "shop", "s1"), "it stays");
    }

    @Test
    void A6_aScrapeAsksTheSourcesOnce() {
        AtomicInteger asked = new AtomicInteger();
        RopewalkMetrics.of(
                        sink -> {
                            asked.incrementAndGet();
                            for (int i = 0; i < 50; i++) {
                                sink.add(OPEN, 1, "shop", "s" + i);
                            }
                        })
                .bindTo(registry);
        long beganNs = Waits.nanoTime();
        scrape();
        long took = (Waits.nanoTime() - beganNs) / 500_000_000; // readings that became old
        assertTrue(asked.get() <= 2 + took, "asked=" + asked);
    }

    @Test
    void A6_countersOutliveTheObjectThatBoundThem() {
        WeakReference<RopewalkMetrics> bound = bind();
        await().until(
                        () -> {
                            System.gc();
                            return bound.get() == null;
                        });
        await().until(() -> counter("shop.sold", "shop", "north") >= 2);
    }

    private WeakReference<RopewalkMetrics> bind() {
        AtomicInteger sold = new AtomicInteger();
        RopewalkMetrics metrics =
                RopewalkMetrics.of(
                        sink -> sink.count(SOLD, "one", sold.incrementAndGet(), "shop", "north"));
        metrics.bindTo(registry);
        return new WeakReference<>(metrics);
    }

    @Test
    void A6_aCloseRemovesItsMetersAndNoOthers() {
        registry.counter("mine").increment();
        MeterRegistry second = new SimpleMeterRegistry();
        RopewalkMetrics metrics = RopewalkMetrics.of();
        metrics.bindTo(registry);
        metrics.bindTo(second);
        assertTrue(registry.getMeters().size() > 5 && second.getMeters().size() > 5);
        metrics.close();
        metrics.close();
        assertEquals(List.of("mine"), names(registry));
        assertEquals(List.of(), names(second));
    }

    private static List<String> names(MeterRegistry of) {
        return of.getMeters().stream().map(each -> each.getId().getName()).toList();
    }

    @Test
    void misuse_aSecondBindToTheSameRegistryIsRefused() {
        RopewalkMetrics metrics = RopewalkMetrics.of();
        metrics.bindTo(registry);
        assertThrows(IllegalStateException.class, () -> metrics.bindTo(registry));
        metrics.close();
        metrics.bindTo(registry); // it is not bound any more
        assertFalse(registry.getMeters().isEmpty());
    }

    @Test
    void A6_aMeterThatTheRegistryRefusesLeavesTheOthers() {
        registry.counter("shop.open"); // the program's own, of another kind
        RopewalkMetrics.of(
                        MetricSource.of(OPEN, () -> 1),
                        MetricSource.of(Metric.gauge("shop.last", "The last one."), () -> 9))
                .bindTo(registry);
        assertEquals(9, gauge("shop.last"));
        assertTrue(names(registry).contains("ropewalk.cords"));
        scrape();
    }

    @Test
    void A6_tagsOfTheProgramAreOnEachMeter() {
        RopewalkMetrics.of().withTags(Tags.of("app", "till")).bindTo(registry);
        for (Meter each : registry.getMeters()) {
            assertEquals("till", each.getId().getTag("app"), () -> "" + each.getId());
        }
    }

    @Test
    void A6_aMeterThatTheProgramRemovesOrDeniesDoesNotComeBack() {
        registry.config().meterFilter(MeterFilter.denyNameStartsWith("ropewalk.cord."));
        RopewalkMetrics.of(MetricSource.of(OPEN, () -> 1)).bindTo(registry);
        registry.remove(registry.get("shop.open").gauge());
        AtomicBoolean isOver = new AtomicBoolean();
        await().until(
                        () -> {
                            scrape();
                            return isOver.getAndSet(gauge("ropewalk.cords", "group", "none") != 0);
                        });
        assertNull(registry.find("shop.open").gauge());
        assertTrue(names(registry).stream().noneMatch(each -> each.startsWith("ropewalk.cord.")));
    }

    @Test
    void A6_aSourceThatFailsLeavesTheOthers() {
        RopewalkMetrics.of(
                        _ -> {
                            throw new IllegalStateException("the shop burns");
                        },
                        MetricSource.of(OPEN, () -> 4))
                .bindTo(registry);
        assertEquals(4, gauge("shop.open"));
        assertTrue(counter("ropewalk.metrics.failures") >= 1);
    }

    @Test
    void A6_aStuckCordDelaysAScrapeAndIsTold() throws InterruptedException {
        ActorSystem other = ActorSystem.start("stuck");
        AtomicBoolean go = new AtomicBoolean();
        ActorRef<String> busy =
                other.spin(
                        "busy",
                        Actor.loop(
                                self -> {
                                    self.receive();
                                    while (!go.get()) {
                                        Thread.onSpinWait();
                                    }
                                }));
        try {
            busy.tell("keep the cord");
            RopewalkMetrics.of().bindTo(registry);
            await().until(() -> gauge("ropewalk.silent.cords", "system", "stuck") == 1);
            assertEquals(0, gauge("ropewalk.silent.cords", "system", "shop"));
        } finally {
            go.set(true);
            other.close();
        }
    }
}
