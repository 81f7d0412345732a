package dev.ropewalk.actors.observer;

import static dev.ropewalk.actors.observer.Look.LONG;
import static dev.ropewalk.actors.observer.Look.assertHas;
import static dev.ropewalk.actors.observer.Look.echo;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.channels.http.HttpBody;
import dev.ropewalk.channels.http.HttpClient;
import dev.ropewalk.channels.http.HttpRequest;
import dev.ropewalk.channels.http.HttpResponse;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberFailedException;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.Tls;
import dev.ropewalk.fibers.metrics.Metric;
import dev.ropewalk.fibers.metrics.MetricSource;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.sync.Mutex;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The observer as its viewers meet it, on loopback. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ObserverTest {
    private static final String STREAM = "/api/v1/stream";

    /** Its text must not be asked for. */
    private record Secret(String text, CountDownLatch go) {
        @Override
        public String toString() {
            throw new IllegalStateException("the text of a message was asked for");
        }
    }

    private final List<AutoCloseable> open = new ArrayList<>();
    private ActorSystem system;
    private Observer observer;
    private Look look;

    @BeforeEach
    void start() {
        system = ActorSystem.start("shop");
        start(ObserverOptions.loopback());
    }

    private void start(ObserverOptions options) {
        observer = Observer.start(options);
        open.add(observer);
        look = new Look(observer);
    }

    @AfterEach
    void endAll() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        system.close();
        await().atMost(LONG).until(() -> !Taps.areAny()); // nothing is counted any more
    }

    private static Actor<Secret> holding() {
        return Actor.loop(
                self -> {
                    while (true) {
                        self.receive().go.await(); // keeps its cord
                    }
                });
    }

    // ---------------------------------------------------------------- metrics

    @Test
    void A6_metricsOfCordsAndActorsAreToldToThoseWithTheToken() {
        system.start("till", echo());
        await().atMost(LONG)
                .until(() -> look.send(look.get("/metrics")).text().contains("system=\"shop\"} 1"));
        Look.Answer answer = look.send(look.get("/metrics"));
        assertEquals(200, answer.status());
        assertEquals(
                "text/plain; version=0.0.4; charset=utf-8",
                answer.response().header("Content-Type"));
        assertHas(answer.text(), "# TYPE ropewalk_cord_switches_total counter\n");
        assertHas(answer.text(), "ropewalk_cords{group=\"observer\"} 1\n");
        assertHas(
                answer.text(),
                "ropewalk_actors{class=\"" + Look.class.getName() + "\",system=\"shop\"} 1\n");
        assertHas(answer.text(), "ropewalk_metrics_failures_total 0\n");
        assertEquals(401, look.send(HttpRequest.get("/metrics")).status());
    }

    @Test
    void A6_aSourceOfMetricsThatFailsIsCountedAndTheOthersAreTold() throws Exception {
        observer.close();
        start(
                ObserverOptions.loopback()
                        .withMetrics(
                                _ -> {
                                    throw new StackOverflowError("of a source");
                                })
                        .withMetrics(MetricSource.of(Metric.gauge("mine.open", "Mine."), () -> 2)));
        String text = look.send(look.get("/metrics")).text();
        assertHas(text, "ropewalk_metrics_failures_total 1\n");
        assertHas(text, "mine_open 2\n");
    }

    @Test
    void A6_thoseThatAskForNumbersGetThemAndOneThatIsNoneIsNull() throws Exception {
        observer.close();
        start(
                ObserverOptions.loopback()
                        .withMetrics(
                                MetricSource.of(
                                        Metric.gauge("mine.none", "None."), () -> Double.NaN)));
        system.start("till", echo());
        String json = look.await("/api/v1/now?numbers=true", "\"ropewalk.actors\"");
        assertHas(json, "\"kind\":\"COUNTER\"");
        assertHas(json, "{\"name\":\"system\",\"value\":\"shop\"}");
        assertHas(json, "\"name\":\"ropewalk.dead.letters\"");
        assertHas(json, "{\"name\":\"reason\",\"value\":\"moving\"}");
        assertHas(json, "\"help\":\"None.\",\"values\":[{\"tags\":[],\"value\":null}]");
        assertHas(look.json("/api/v1/now"), "\"numbers\":[]");
    }

    @Test
    void A6_oneActorIsToldWithItsTiesAndItsLastFailure() {
        ActorRef<Object> till =
                system.start(
                        "till",
                        Actor.handler(
                                (ActorContext<Object> self) -> {
                                    self.timers().fixedRate("count", Duration.ofHours(1), "tick");
                                    return message -> {
                                        throw (RuntimeException) message;
                                    };
                                }));
        look.await("/api/v1/now", "shop/till"); // nothing is kept where nobody has looked
        till.tell(new IllegalStateException("<b>no</b> paper"));
        String json = look.await("/api/v1/actor?system=shop&path=shop/till", "\"failure\":\"");
        assertHas(json, "\"failure\":\"java.lang.IllegalStateException\"");
        assertFalse(json.contains("paper"), "its text may have a message in it");
        assertHas(json, "\"failedAt\":[\"" + ObserverTest.class.getName());
        assertHas(
                json,
                "\"supervisor\":\"shop\",\"recentRestarts\":1,\"maxRestarts\":1,"
                        + "\"restartPeriod\":5000,");
        assertHas(json, "\"timerList\":[{\"name\":\"count\",\"kind\":\"FIXED_RATE\",");
    }

    @Test
    void A6_oneActorIsToldWithItsLinksAndMonitors() {
        ActorRef<Object> drawer = system.start("drawer", echo());
        ActorRef<Object> printer = system.start("printer", echo());
        system.start(
                "till",
                Actor.handler(
                        (ActorContext<Object> self) -> {
                            self.link(drawer);
                            self.monitor(printer, _ -> "gone");
                            return _ -> Behavior.same();
                        }));
        String till = look.await("/api/v1/actor?system=shop&path=shop/till", "shop/drawer");
        assertHas(till, "\"links\":[\"shop/drawer");
        assertHas(till, "\"monitors\":[\"shop/printer");
        String other = look.json("/api/v1/actor?system=shop&path=shop/drawer");
        assertHas(other, "\"links\":[\"shop/till");
    }

    @Test
    void A6_aFailureThatTellsItsStackByItselfIsNotAsked() {
        ActorRef<Object> till =
                system.start(
                        "till",
                        Actor.handler(
                                () ->
                                        _ -> {
                                            throw new Asked();
                                        }));
        look.await("/api/v1/now", "shop/till"); // nothing is kept where nobody has looked
        till.tell("fail");
        assertHas(
                look.await("/api/v1/actor?system=shop&path=shop/till", "\"failure\":\""),
                "\"failure\":\"" + Asked.class.getName() + "\",\"failedAt\":[]");
    }

    private static final class Asked extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public StackTraceElement[] getStackTrace() {
            return new StackTraceElement[1]; // null is none
        }
    }

    @Test
    void A6_anActorWithoutANameIsOpenedByItsNumber() {
        ActorRef<Object> nameless = system.spin(echo());
        look.await("/api/v1/now", "\"number\":" + nameless.number());
        String one = look.json("/api/v1/actor?system=shop&number=" + nameless.number());
        assertHas(one, "\"type\":\"" + Look.class.getName() + "\"");
        assertHas(one, "\"asked\":true");
        assertEquals(404, look.send(look.get("/api/v1/actor?system=shop&number=0")).status());
        assertEquals(400, look.send(look.get("/api/v1/actor?system=shop&number=x")).status());
    }

    /** Others may come within a version, and none of these may go. */
    @Test
    void theFieldsOfVersionOneStay() {
        observer.close();
        start(ObserverOptions.loopback().withControl().withSource("node", () -> "1"));
        Scheduler ovens = Scheduler.start("ovens");
        open.add(ovens);
        ActorRef<Object> till =
                system.start(
                        "till",
                        Actor.handler(
                                (ActorContext<Object> self) -> {
                                    self.timers().once("close", Duration.ofHours(1), "now");
                                    return _ -> Behavior.same();
                                }));
        look.await("/api/v1/now", "\"path\":\"shop/till\"");
        JsonObject now = object(look.await("/api/v1/now?numbers=true", "\"ropewalk.actors\""));
        assertKeys(
                now,
                "version process cords schedulers systems system systemId total from order rows"
                        + " sources numbersAt numbers");
        assertKeys(now.getAsJsonObject("process"), "pid java processors heapUsed heapMax");
        assertKeys(
                first(now, "cords"),
                "id name stacks busy switches fibers runnable inbox timers tasks silent running"
                        + " stack cycles");
        assertKeys(first(now, "schedulers"), "id name cords alive placed stolen");
        assertKeys(first(now, "systems"), "id name actors silent deadLetters letters failure");
        assertKeys(first(now, "rows"), "id path depth kind"); // the supervisor
        assertKeys(
                last(now, "rows"),
                "id path depth kind number type cord phase queued oldest restarts asked state"
                        + " handles rate");
        assertKeys(first(now, "sources"), "name json failure");
        assertKeys(first(now, "numbers"), "name kind help values");
        assertKeys(first(first(now, "numbers"), "values"), "tags value");
        assertKeys(first(first(first(now, "numbers"), "values"), "tags"), "name value");
        assertKeys(object(look.json("/api/v1/may")), "version control");
        String one = "/api/v1/actor?system=shop&path=shop/till";
        assertEquals(204, post(one.replace("actor", "control") + "&action=trace"));
        till.tell("pin 1234");
        JsonObject actor = object(look.await(one, "\"kind\":\"IN\""));
        assertKeys(
                actor,
                "version path number type cord phase queued oldest restarts asked state handles"
                        + " fiberKnown waitsFor awaits pending fibers stack links monitors watchers"
                        + " openAsks timerList supervisor recentRestarts maxRestarts restartPeriod"
                        + " failure failedAt traced trace");
        assertKeys(first(actor, "timerList"), "name kind message due");
        assertKeys(first(actor, "trace"), "at kind message to");
        JsonObject cord = object(look.json("/api/v1/cord?name=shop-0"));
        assertKeys(
                cord,
                "cord state running stack stats fibers moreFibers cycles timers nextTimerNanos");
        assertKeys(
                cord.getAsJsonObject("stats"),
                "stacks switches polls messages started ended sleeps sleptNanos runnable"
                        + " maxRunnable timers inbox idleStacks tasks");
        assertKeys(
                first(cord, "fibers"),
                "id name depth parent isForeignChild state waitKind reason awaits pending children"
                        + " stack");
        assertKeys(first(cord, "timers"), "kind owner dueNanos");
    }

    private static JsonObject object(String json) {
        return JsonParser.parseString(json).getAsJsonObject();
    }

    private static JsonObject first(JsonObject of, String list) {
        return of.getAsJsonArray(list).get(0).getAsJsonObject();
    }

    private static JsonObject last(JsonObject of, String list) {
        JsonArray all = of.getAsJsonArray(list);
        return all.get(all.size() - 1).getAsJsonObject();
    }

    private static void assertKeys(JsonObject json, String wanted) {
        List<String> missing = new ArrayList<>(List.of(wanted.split(" ", -1)));
        missing.removeAll(json.keySet());
        assertEquals(List.of(), missing, json::toString);
    }

    @Test
    void F9_aCordTellsItsFibersAndWhoseItsNextTimersAre() {
        system.start(
                "till",
                Actor.handler(
                        (ActorContext<Object> self) -> {
                            self.timers().once("close", Duration.ofHours(1), "now");
                            return _ -> Behavior.same();
                        }));
        Cord cord = Cord.start("kitchen");
        open.add(cord);
        cord.spin("cook", () -> Fiber.sleep(Duration.ofHours(2)));
        String kitchen = look.await("/api/v1/cord?name=kitchen", "\"name\":\"cook\"");
        assertHas(kitchen, "\"timers\":[{\"kind\":\"wait\",\"owner\":\"cook #");
        assertHas(kitchen, "\"reason\":\"sleep\"");
        assertHas(
                look.await("/api/v1/cord?name=shop-0", "\"timer close ONCE PT1H of "),
                "\"kind\":\"alarm\",\"owner\":\"timer close ONCE PT1H of shop/till");
        String all = look.json("/api/v1/now");
        Matcher id =
                Pattern.compile("\"id\":(\\d+)").matcher(all.substring(all.indexOf("kitchen")));
        assertTrue(id.find());
        assertHas(look.json("/api/v1/cord?id=" + id.group(1)), "\"cord\":\"kitchen\"");
        assertEquals(404, look.send(look.get("/api/v1/cord?id=999999")).status());
        assertEquals(400, look.send(look.get("/api/v1/cord?id=one")).status());
    }

    // ---------------------------------------------------------------- what is seen

    @Test
    void A6_cordsSystemsAndActorsAreSeen() {
        system.start("till", echo());
        system.supervise("stock", Supervision.oneForOne()).start("nuts", echo());
        String all = look.await("/api/v1/now", "\"path\":\"shop/till\"");
        assertHas(all, "{\"version\":1,");
        assertHas(all, "\"name\":\"observer\"");
        assertHas(all, "{\"name\":\"shop\",\"actors\":2,");
        assertTrue(
                all.indexOf("\"path\":\"shop/stock\"")
                        < all.indexOf("\"path\":\"shop/stock/nuts\""),
                all);
        assertHas(all, "\"path\":\"shop/stock\",\"depth\":1,\"kind\":\"supervisor\"}");
        assertHas(all, "\"path\":\"shop/stock/nuts\",\"depth\":2,\"kind\":\"actor\"");
        assertHas(
                all, "\"phase\":\"UP\",\"queued\":0,\"oldest\":null,\"restarts\":0,\"asked\":true");
    }

    @Test
    void A6_aWindowHasItsRowsAloneAndTheFilterIsOfPathCordOrPhase() {
        for (int i = 0; i < 50; i++) {
            system.start("a" + i, echo());
        }
        String all = look.json("/api/v1/now?from=10&rows=5");
        assertHas(all, "\"total\":51,\"from\":10,");
        assertEquals(5, all.split("\"path\":").length - 1, all);
        assertHas(look.json("/api/v1/now?filter=A4"), "\"total\":11,");
        assertHas(look.json("/api/v1/now?filter=up"), "\"total\":50,");
        assertHas(look.json("/api/v1/now?filter=none"), "\"total\":0,\"from\":0,\"order\":[]");
        assertHas(look.json("/api/v1/now?from=5000&rows=5"), "\"from\":46,"); // the last ones
        assertEquals(400, look.send(look.get("/api/v1/now?rows=501")).status());
        assertEquals(400, look.send(look.get("/api/v1/now?from=-1")).status());
        assertHas(look.json("/api/v1/now?system=none"), "\"system\":null,\"total\":0");
    }

    @Test
    void A6_aStreamHasTheRowsThatHaveChangedAndTheirRates() {
        ActorRef<Object> till = system.start("till", echo());
        system.start("idle", echo());
        Look.onCord(
                () -> {
                    try (HttpClient client = look.connect()) {
                        HttpResponse stream = client.send(look.get("/api/v1/stream"));
                        assertEquals("text/event-stream", stream.header("Content-Type"));
                        StringBuilder rest = new StringBuilder();
                        String first = Look.event(stream, rest);
                        assertHas(first, "\"path\":\"shop/idle\"");
                        String second = Look.event(stream, rest); // its rate is known now
                        assertHas(second, "\"rate\":0.0");
                        for (int i = 0; i < 100; i++) {
                            till.tell("nut");
                        }
                        String third = Look.event(stream, rest);
                        assertHas(third, "\"path\":\"shop/till\"");
                        assertFalse(third.contains("\"rate\":0.0"), third);
                        assertFalse(third.contains("\"path\":\"shop/idle\""), third);
                        assertHas(third, "\"total\":3,");
                    }
                    return null;
                });
    }

    @Test
    void F13_aStuckCordIsToldWithItsFiberAndStackAndTheOthersAreSeen() {
        Cord stuck = Cord.start("stuck");
        open.add(stuck);
        CountDownLatch go = new CountDownLatch(1);
        stuck.spin("sleeper", () -> go.await());
        system.start("till", echo());
        String all = look.await("/api/v1/now", "\"silent\":true");
        go.countDown();
        assertHas(all, "\"silent\":true,\"running\":\"sleeper\",\"stack\":[\"");
        assertHas(all, "CountDownLatch.await");
        assertHas(all, "\"path\":\"shop/till\"");
        look.await("/api/v1/now", "{\"name\":\"stuck\",\"stacks\":");
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> !look.json("/api/v1/now").contains("\"silent\":true"));
    }

    @Test
    void A6_anActorWhoseCordIsStuckIsShownAsItWas() {
        CountDownLatch go = new CountDownLatch(1);
        ActorRef<Secret> holder = system.start("holder", holding());
        look.await("/api/v1/now", "\"path\":\"shop/holder\"");
        holder.tell(new Secret("pin", go));
        String all = look.await("/api/v1/now", "\"asked\":false");
        assertEquals(
                504, look.send(look.get("/api/v1/actor?system=shop&path=shop/holder")).status());
        go.countDown();
        assertHas(all, "\"path\":\"shop/holder\"");
    }

    @Test
    void F9_fibersThatWaitForEachOtherAreNamed() {
        Cord cord = Cord.start("kitchen");
        open.add(cord);
        cord.spin(
                "cooks",
                () -> {
                    Mutex pan = Mutex.local();
                    Mutex stove = Mutex.local();
                    Fiber<?> first = Fiber.spin("first", () -> pan.run(() -> lockLater(stove)));
                    Fiber.spin("second", () -> stove.run(() -> lockLater(pan)));
                    first.await();
                });
        String all = look.await("/api/v1/now", "a cycle: ");
        assertHas(all, "first waits for second");
        assertHas(all, "second waits for first");
    }

    private static void lockLater(Mutex other) {
        Fiber.sleep(Duration.ofMillis(10));
        other.lock(Duration.ofMinutes(1));
    }

    @Test
    void A6_contentsOfMessagesAreNotAskedFor() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        Cord cord = Cord.start("apart");
        open.add(cord);
        CountDownLatch begun = new CountDownLatch(1);
        Actor<Secret> waiting =
                Actor.loop(
                        self -> {
                            self.receive();
                            begun.countDown();
                            Fiber.sleep(Duration.ofMinutes(1));
                        });
        ActorRef<Secret> waits = system.root().start(cord, "waits", waiting);
        waits.tell(new Secret("pin", go));
        waits.tell(new Secret("pin", go));
        begun.await();
        String all = look.await("/api/v1/now", "\"handles\":\"ObserverTest$Secret\"");
        assertHas(all, "\"queued\":1,\"oldest\":");
        String one = look.json("/api/v1/actor?system=shop&path=shop/waits");
        assertHas(one, "\"handles\":\"ObserverTest$Secret\"");
        assertHas(one, "\"waitsFor\":\"sleep\"");
        assertHas(one, "ObserverTest");
        assertFalse((all + one).contains("pin"), one);
    }

    @Test
    void A6_namesAreTextAndSignsOfDirectionAreTold() {
        system.start("<b>\u202Eevil", echo());
        system.start("x".repeat(2_000), echo());
        String all = look.await("/api/v1/now?rows=10", "evil");
        assertHas(all, "\"path\":\"shop/<b><U+202E>evil\"");
        assertHas(all, "x".repeat(200) + "...\"");
        String script = look.send(HttpRequest.get("/observer.js")).text();
        assertFalse(script.contains("innerHTML"), "text of the process would be markup");
    }

    @Test
    void sourcesAreShownAndOneThatThrowsIsShownAsItsFailure() {
        observer.close();
        start(
                ObserverOptions.loopback()
                        .withSource("node", () -> "{\"peers\":[]}")
                        .withSource(
                                "bad",
                                () -> {
                                    throw new IllegalStateException("no pool");
                                }));
        String all = look.json("/api/v1/now");
        assertHas(all, "{\"name\":\"node\",\"json\":\"{\\\"peers\\\":[]}\",\"failure\":null}");
        assertHas(all, "\"failure\":\"java.lang.IllegalStateException: no pool\"");
    }

    // ---------------------------------------------------------------- who may ask

    @Test
    void onlyThoseWithTheTokenSeeTheProcess() {
        assertEquals(200, look.send(HttpRequest.get("/")).status()); // the page has no secret
        for (String target : List.of("/api/v1/now", "/api/v1/stream", "/api/v1/may")) {
            assertEquals(401, look.send(HttpRequest.get(target)).status());
            String wrong = "Bearer " + "0".repeat(32);
            HttpRequest asked = HttpRequest.get(target).withHeader("Authorization", wrong);
            assertEquals(401, look.send(asked).status());
            assertEquals(
                    401, look.send(HttpRequest.get(target + "?token=" + look.token())).status());
        }
        assertEquals(32, look.token().length());
        assertFalse(observer.toString().contains(look.token()), observer::toString);
        Observer other = Observer.start(ObserverOptions.loopback());
        open.add(other);
        assertNotEquals(look.token(), new Look(other).token());
    }

    @Test
    void aForeignHostOrOriginIsRefused() {
        String target = "/api/v1/now";
        assertEquals(403, look.send(look.get(target).withHeader("Host", "evil.com")).status());
        assertEquals(403, look.send(look.get("/").withHeader("Host", "127.0.0.1:1")).status());
        String foreign = "http://evil.com";
        assertEquals(403, look.send(look.get(target).withHeader("Origin", foreign)).status());
        assertEquals(403, look.send(look.get(target).withHeader("Origin", "null")).status());
        String own = "http://" + look.host();
        assertEquals(200, look.send(look.get(target).withHeader("Origin", own)).status());
        String local = look.host().replace("127.0.0.1", "localhost");
        assertEquals(200, look.send(look.get(target).withHeader("Host", local)).status());
    }

    @Test
    void eachAnswerForbidsThingsOfElsewhere() {
        for (String target : List.of("/", "/observer.js", "/none", "/api/v1/now")) {
            HttpResponse answer = look.send(HttpRequest.get(target)).response();
            String policy = String.valueOf(answer.header("Content-Security-Policy"));
            assertTrue(policy.startsWith("default-src 'self';"), policy);
            assertEquals("no-referrer", answer.header("Referrer-Policy"));
            assertEquals("nosniff", answer.header("X-Content-Type-Options"));
            assertEquals("no-store", answer.header("Cache-Control"));
        }
        assertEquals(404, look.send(HttpRequest.get("/none")).status());
        for (String page : List.of("/", "/observer.js", "/observer.css")) {
            String text = look.send(HttpRequest.get(page)).text();
            assertFalse(text.replace("http://www.w3.org/2000/svg", "").contains("://"), page);
        }
    }

    @Test
    void nothingCanBeChangedWithoutControl() {
        system.start("till", echo());
        assertEquals(405, post("/api/v1/control?system=shop&path=shop/till&action=stop"));
        assertEquals(405, look.send(look.with(HttpRequest.of("DELETE", "/"))).status());
        assertHas(look.json("/api/v1/may"), "\"control\":false");
    }

    private int post(String target) {
        HttpRequest asked = look.with(HttpRequest.post(target, HttpBody.empty()));
        return look.send(asked.withHeader("Origin", "http://" + look.host())).status();
    }

    @Test
    void A6_withControlActorsAreHeldStartedAgainAndStopped() {
        observer.close();
        start(ObserverOptions.loopback().withControl());
        ActorRef<Object> till = system.start("till", echo());
        String target = "/api/v1/control?system=shop&path=shop/till&action=";
        assertEquals(204, post(target + "suspend"));
        look.await("/api/v1/now", "\"phase\":\"SUSPENDED\"");
        assertEquals(204, post(target + "resume"));
        look.await("/api/v1/now", "\"phase\":\"UP\"");
        assertEquals(204, post(target + "restart"));
        look.await("/api/v1/now", "\"restarts\":1,");
        assertEquals(400, post(target + "explode"));
        assertEquals(404, post("/api/v1/control?system=shop&path=shop/none&action=stop"));
        assertEquals(404, post("/api/v1/control?system=none&path=shop/till&action=stop"));
        assertEquals(405, post("/api/v1/now"));
        HttpRequest bare = HttpRequest.post(target + "stop", HttpBody.empty());
        assertEquals(403, look.send(look.with(bare)).status());
        assertEquals(401, look.send(bare.withHeader("Origin", "http://" + look.host())).status());
        HttpRequest foreign = look.with(bare).withHeader("Origin", "http://evil.com");
        assertEquals(403, look.send(foreign).status());
        assertEquals(405, look.send(look.get(target + "stop")).status());
        assertEquals(204, post(target + "stop"));
        assertTrue(till.awaitEnd(LONG));
        assertEquals(404, post(target + "stop"));
    }

    // ---------------------------------------------------------------- endings and limits

    @Test
    void theNinthViewerIsRefusedUntilOneOfTheOthersHasGone() {
        Look.onCord(
                () -> {
                    List<HttpClient> clients = new ArrayList<>();
                    for (int i = 0; i < Viewers.MAX; i++) {
                        clients.add(look.connect());
                        HttpResponse stream = clients.getLast().send(look.get("/api/v1/stream"));
                        assertEquals(200, stream.status());
                    }
                    clients.add(look.connect());
                    HttpResponse refused = clients.getLast().send(look.get("/api/v1/stream"));
                    assertEquals(503, refused.status());
                    clients.forEach(HttpClient::close);
                    return null;
                });
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(100))
                .until(() -> streamStatus() == 200);
    }

    @Test
    void aPageThatScrollsIsOneViewer() {
        Look.onCord(
                () -> {
                    List<HttpClient> clients = new ArrayList<>();
                    for (int i = 0; i < 3 * Viewers.MAX; i++) {
                        clients.add(look.connect());
                        HttpRequest asked = look.get("/api/v1/stream?viewer=a&from=" + i);
                        assertEquals(200, clients.getLast().send(asked).status());
                    }
                    clients.forEach(HttpClient::close);
                    return null;
                });
    }

    @Test
    void requestsForTheHeadOfAStreamAreNoViewers() {
        for (int i = 0; i < 2 * Viewers.MAX; i++) {
            assertEquals(200, look.send(look.with(HttpRequest.of("HEAD", STREAM))).status());
        }
        assertEquals(200, streamStatus());
    }

    private int streamStatus() {
        return Look.onCord(
                () -> {
                    try (HttpClient client = look.connect()) {
                        return client.send(look.get("/api/v1/stream")).status();
                    }
                });
    }

    @Test
    void A6_countingEndsWithTheViewer() {
        system.start("till", echo());
        Look.onCord(
                () -> {
                    try (HttpClient client = look.connect()) {
                        HttpResponse stream = client.send(look.get("/api/v1/stream"));
                        Look.event(stream, new StringBuilder());
                        assertTrue(Taps.areAny());
                    }
                    return null;
                });
        await().atMost(LONG).until(() -> !Taps.areAny());
    }

    @Test
    void aStreamEndsWithTheObserverAndWithASystemItGoesOn() {
        Look.onCord(
                () -> {
                    try (HttpClient client = look.connect()) {
                        HttpResponse stream = client.send(look.get("/api/v1/stream"));
                        StringBuilder rest = new StringBuilder();
                        assertHas(Look.event(stream, rest), "\"name\":\"shop\"");
                        system.close();
                        String later = Look.event(stream, rest);
                        while (later.contains("\"name\":\"shop\"")) {
                            later = Look.event(stream, rest);
                        }
                        assertHas(later, "\"system\":null");
                        observer.close();
                        assertThrows(RuntimeException.class, () -> readAll(stream, rest));
                    }
                    return null;
                });
        assertThrows(FiberFailedException.class, () -> look.json("/api/v1/now"));
    }

    private static void readAll(HttpResponse stream, StringBuilder rest) {
        while (!Look.event(stream, rest).isEmpty()) {
            rest.setLength(0);
        }
        throw new IllegalStateException("it has ended in order");
    }

    @Test
    void aPortInUseIsAnErrorAndLeavesNoCord() {
        ObserverOptions same = ObserverOptions.loopback().withPort(observer.port());
        assertThrows(ConnectionException.class, () -> Observer.start(same));
        await().atMost(LONG)
                .until(
                        () ->
                                Cord.all().stream()
                                                .filter(each -> each.name().equals("observer"))
                                                .count()
                                        == 1);
    }

    private static void assertRefused(String host, String token) {
        Tls tls = Tls.client();
        assertThrows(IllegalArgumentException.class, () -> ObserverOptions.of(host, 0, tls, token));
    }

    @Test
    void badOptionsAreRefused() {
        ObserverOptions options = ObserverOptions.loopback();
        assertThrows(IllegalArgumentException.class, () -> options.withPort(-1));
        assertThrows(IllegalArgumentException.class, () -> options.withPort(65_536));
        assertThrows(IllegalArgumentException.class, () -> options.withSource(" ", () -> "1"));
        String token = "0123456789abcdefghijkl";
        for (String host : List.of("", "0.0.0.0", "::", "[::1]", "a b")) {
            assertRefused(host, token);
        }
        for (String bad :
                List.of("0123456789abcdefghijk", token + "\"", token + " ", token + "\u00e4")) {
            assertRefused("10.0.0.1", bad);
        }
        String text = ObserverOptions.of("10.0.0.1", 0, Tls.client(), token).toString();
        assertFalse(text.contains(token), text);
        ObserverOptions one = options.withSource("node", () -> "1");
        assertThrows(IllegalArgumentException.class, () -> one.withSource("node", () -> "2"));
    }
}
