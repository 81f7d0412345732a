package dev.ropewalk.actors.observer;

import static dev.ropewalk.actors.observer.Look.LONG;
import static dev.ropewalk.actors.observer.Look.assertHas;
import static dev.ropewalk.actors.observer.Look.echo;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.internal.observe.Taps;
import dev.ropewalk.channels.http.HttpBody;
import dev.ropewalk.channels.http.HttpClient;
import dev.ropewalk.channels.http.HttpOptions;
import dev.ropewalk.channels.http.HttpRequest;
import dev.ropewalk.channels.http.HttpResponse;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.Tls;
import dev.ropewalk.fibers.metrics.Metric;
import dev.ropewalk.fibers.metrics.MetricSource;
import dev.ropewalk.fibers.scheduler.Scheduler;
import dev.ropewalk.fibers.scheduler.SchedulerOptions;
import dev.ropewalk.fibers.spi.WaitCell;
import dev.ropewalk.fibers.sync.Mutex;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What programs and strangers can do to an observer, and it to them. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ObserverFaultsTest {
    private static final String NOW = "/api/v1/now";
    private static final String TOKEN = "0123456789abcdefghijkl";

    private final List<AutoCloseable> open = new ArrayList<>();
    private ActorSystem system;

    @SuppressWarnings("NullAway.Init") // each test starts one
    private Observer observer;

    @SuppressWarnings("NullAway.Init")
    private Look look;

    @BeforeEach
    void start() {
        system = ActorSystem.start("shop");
        open.add(system);
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
        await().atMost(LONG).until(() -> !Taps.areAny()); // nothing is counted any more
    }

    private int post(String target) {
        HttpRequest asked = look.with(HttpRequest.post(target, HttpBody.empty()));
        return look.send(asked.withHeader("Origin", "http://" + look.host())).status();
    }

    // ---------------------------------------------------------------- texts of the program

    /** An object whose text does not come before the latch; of no class of Ropewalk. */
    private static Object blocking(CountDownLatch go) {
        return Proxy.newProxyInstance(
                ObserverFaultsTest.class.getClassLoader(),
                new Class<?>[] {Comparable.class},
                (_, method, _) -> {
                    if (method.getName().equals("toString")) {
                        go.await();
                        return "late";
                    }
                    return null;
                });
    }

    @Test
    void A6_aTextThatDoesNotComeKeepsNoCord() throws InterruptedException {
        start(ObserverOptions.loopback());
        CountDownLatch go = new CountDownLatch(1);
        open.add(go::countDown);
        Cord cord = Cord.start("apart");
        open.add(cord);
        CountDownLatch begun = new CountDownLatch(1);
        ActorRef<Object> waits =
                system.root()
                        .start(
                                cord,
                                "waits",
                                Actor.loop(
                                        self -> {
                                            self.receive();
                                            begun.countDown();
                                            new WaitCell().await(blocking(go), Long.MAX_VALUE);
                                        }));
        waits.tell("go");
        begun.await();
        AtomicInteger turns = new AtomicInteger();
        String one = look.await("/api/v1/actor?system=shop&path=shop/waits", "\"waitsFor\":\"");
        assertHas(one, "$Proxy");
        assertHas(look.json("/api/v1/cord?name=apart"), "$Proxy");
        cord.spin("turns", () -> turns.incrementAndGet()).await();
        assertEquals(1, turns.get());
        go.countDown();
    }

    @Test
    void A6_aMegabyteOfNamesIsCutAndMarkupIsText() throws InterruptedException {
        start(ObserverOptions.loopback());
        String name = "<img src=x onerror=alert(1)>\u202E" + "n".repeat(1 << 20);
        Cord cord = Cord.start("cord " + name);
        open.add(cord);
        CountDownLatch begun = new CountDownLatch(1);
        cord.spin(
                name,
                () -> {
                    Mutex pan = Mutex.local();
                    Mutex stove = Mutex.local();
                    Fiber<?> first = Fiber.spin(name, () -> pan.run(() -> lockLater(stove)));
                    Fiber.spin(name, () -> stove.run(() -> lockLater(pan)));
                    begun.countDown();
                    first.await();
                });
        begun.await();
        ActorSystem other = ActorSystem.start(name);
        open.add(other);
        String all = look.await(NOW, "a cycle: ");
        assertTrue(all.length() < 64 * 1024, () -> all.length() + " characters");
        assertHas(all, "<img src=x onerror=alert(1)><U+202E>nnn");
        assertFalse(all.contains("\u202E"), "a sign of direction is not told");
    }

    /** Where a text of the program may come, beside names. */
    @Test
    void A6_reasonsFailuresAndTagsAreCutAndHaveNoSignsOfDirection() throws InterruptedException {
        String bad = "<b>\u202E" + "n".repeat(1 << 20);
        start(
                ObserverOptions.loopback()
                        .withSource(
                                "fails",
                                () -> {
                                    throw new IllegalStateException(bad);
                                })
                        .withSource(
                                "fails twice",
                                () -> {
                                    throw new Mute();
                                })
                        .withMetrics(
                                MetricSource.of(
                                        Metric.gauge("mine.open", "Mine."),
                                        () -> 1,
                                        "group",
                                        bad)));
        CountDownLatch begun = new CountDownLatch(1);
        ActorRef<Object> waits =
                system.start(
                        "waits",
                        Actor.loop(
                                self -> {
                                    self.receive();
                                    begun.countDown();
                                    new WaitCell().await(bad, Long.MAX_VALUE);
                                }));
        waits.tell("go");
        begun.await();
        String one = look.await("/api/v1/actor?system=shop&path=shop/waits", "\"waitsFor\":\"");
        String cord = look.json("/api/v1/cord?name=shop-0");
        String all = look.await(NOW + "?numbers=true", "\"mine.open\"");
        String metrics = look.send(look.get("/metrics")).text();
        assertHas(all, "\"name\":\"fails\",\"json\":null,\"failure\":\"");
        assertHas(all, "\"name\":\"fails twice\",\"json\":null,\"failure\":\"");
        for (String each : List.of(one, cord, all)) {
            assertTrue(each.length() < 64 * 1024, () -> each.length() + " characters");
            assertFalse(each.contains("\u202E"), each);
        }
        assertHas(one, "\"waitsFor\":\"<b><U+202E>nnn");
        assertTrue(metrics.length() < 256 * 1024, () -> metrics.length() + " characters");
    }

    /** Its text cannot be had. */
    private static final class Mute extends RuntimeException {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("planted");
        }
    }

    private static void lockLater(Mutex other) {
        Fiber.sleep(Duration.ofMillis(10));
        other.lock(Duration.ofMinutes(1));
    }

    @Test
    void A6_twoSystemsOfOneNameAreToldApart() {
        start(ObserverOptions.loopback());
        ActorSystem second = ActorSystem.start("shop");
        open.add(second);
        system.start("till", echo());
        second.start("stock", echo());
        String first = look.await(NOW + "?systemId=" + idOf(0), "\"path\":\"shop/");
        String other = look.await(NOW + "?systemId=" + idOf(1), "\"path\":\"shop/");
        assertTrue(first.contains("shop/till") != other.contains("shop/till"), first + other);
        assertTrue(first.contains("shop/stock") != other.contains("shop/stock"), first + other);
        assertHas(look.json(NOW + "?systemId=999999"), "\"system\":null");
        assertEquals(400, look.send(look.get(NOW + "?systemId=x")).status());
    }

    /** Of the systems, by their places. */
    private String idOf(int place) {
        String all = look.json(NOW);
        Matcher id =
                Pattern.compile("\"failure\":null,\"id\":(\\d+)}")
                        .matcher(all.substring(all.indexOf("\"systems\":")));
        for (int i = 0; i <= place; i++) {
            assertTrue(id.find(), all);
        }
        return id.group(1);
    }

    @Test
    void A6_schedulersAreSeenWithTheTasksThatTheirCordsSteal() {
        start(ObserverOptions.loopback());
        Scheduler ovens = Scheduler.start(SchedulerOptions.named("ovens").withCords(2));
        open.add(ovens);
        String all = look.await(NOW, "\"name\":\"ovens\"");
        assertHas(all, "\"name\":\"ovens\",\"cords\":2,\"alive\":0,\"placed\":null");
        Pattern busy = Pattern.compile("\"placed\":[1-9][0-9]*\\.0,\"stolen\":[1-9]");
        Look.onCord(
                () -> {
                    try (HttpClient client = look.connect()) {
                        HttpResponse stream = client.send(look.get("/api/v1/stream"));
                        StringBuilder rest = new StringBuilder();
                        String event = Look.event(stream, rest);
                        while (!busy.matcher(event).find()) { // within the test's limit
                            assertFalse(event.isEmpty(), "the stream has ended");
                            ovens.spin("bakes", () -> bake(ovens)).await();
                            event = Look.event(stream, rest);
                        }
                    }
                    return null;
                });
        ovens.close();
        await().atMost(LONG).until(() -> look.json(NOW).contains("\"schedulers\":[]"));
    }

    /** It keeps its cord, so the other one takes the loaves that lie there. */
    private static void bake(Scheduler ovens) throws InterruptedException {
        CountDownLatch baked = new CountDownLatch(20);
        for (int i = 0; i < 20; i++) {
            ovens.spin("loaf", baked::countDown);
        }
        baked.await();
    }

    @Test
    void F9_theBusyShareAndTheSwitchesAreThoseOfEachCord() {
        start(ObserverOptions.loopback());
        Cord spins = Cord.start("spins");
        open.add(spins);
        Cord idle = Cord.start("idle");
        open.add(idle);
        Fiber<?> spinning =
                spins.spin(
                        "spins",
                        () -> {
                            while (true) {
                                Fiber.snooze();
                            }
                        });
        Look.onCord(
                () -> {
                    try (HttpClient client = look.connect()) {
                        HttpResponse stream = client.send(look.get("/api/v1/stream"));
                        StringBuilder rest = new StringBuilder();
                        String event = Look.event(stream, rest);
                        while (!isShareOfEach(event)) { // within the test's limit
                            assertFalse(event.isEmpty(), "the stream has ended");
                            event = Look.event(stream, rest);
                        }
                    }
                    return null;
                });
        spinning.terminate();
    }

    /** The first events do not know them, and a busy machine has seconds in which they differ. */
    private static boolean isShareOfEach(String event) {
        return of("spins", "busy", event) > 0.9
                && of("spins", "switches", event) > 100
                && of("idle", "busy", event) < 0.1
                && of("idle", "switches", event) < 100;
    }

    /** A number of a cord; none if it is not known. */
    private static double of(String cord, String field, String event) {
        String wanted = "\\{\"name\":\"" + cord + "\"[^}]*\"" + field + "\":([0-9.E]+)";
        Matcher found = Pattern.compile(wanted).matcher(event);
        return found.find() ? Double.parseDouble(found.group(1)) : Double.NaN;
    }

    // ---------------------------------------------------------------- traces

    @Test
    void A6_withControlMessagesOfAnActorAreTracedByTheirClasses() {
        start(ObserverOptions.loopback().withControl());
        ActorRef<Object> till = system.start("till", echo());
        String one = "/api/v1/actor?system=shop&path=shop/till";
        String control = "/api/v1/control?system=shop&path=shop/till&action=";
        assertHas(look.json(one), "\"traced\":false,\"trace\":[]");
        assertEquals(204, post(control + "trace"));
        assertEquals(204, post(control + "trace")); // once more
        till.tell("pin 1234");
        String json = look.await(one, "\"kind\":\"IN\"");
        assertHas(json, "\"traced\":true");
        assertHas(json, "\"message\":\"java.lang.String\",\"to\":null");
        String again = look.json(one + "&fiber=false"); // as the page does each second
        assertHas(again, "\"kind\":\"IN\"");
        assertHas(again, "\"fiberKnown\":false");
        assertFalse(json.contains("1234"), json);
        for (int i = 1; i < Tracing.MAX; i++) {
            system.start("a" + i, echo());
            assertEquals(204, post(control.replace("till", "a" + i) + "trace"));
        }
        system.start("one-more", echo());
        assertEquals(503, post(control.replace("till", "one-more") + "trace"));
        assertEquals(204, post(control + "untrace"));
        assertEquals(204, post(control + "untrace"));
        assertHas(look.json(one), "\"traced\":false,\"trace\":[]");
        assertEquals(204, post(control.replace("till", "one-more") + "trace"));
        assertTrue(Taps.onTells());
        observer.close(); // ends all
        await().atMost(LONG).until(() -> !Taps.onTells());
    }

    // ---------------------------------------------------------------- who looks, and who does not

    @Test
    void A6_nothingIsAskedWhileNobodyLooks() {
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger read = new AtomicInteger();
        start(
                ObserverOptions.loopback()
                        .withSource("asked", () -> "" + asked.incrementAndGet())
                        .withMetrics(
                                MetricSource.of(
                                        Metric.gauge("mine.read", "Read."),
                                        () -> (double) read.incrementAndGet())));
        assertEquals(200, look.send(HttpRequest.get("/")).status());
        look.json("/api/v1/may");
        assertEquals(0, asked.get());
        look.json(NOW);
        assertEquals(1, asked.get());
        assertEquals(0, read.get(), "numbers were not asked for");
        Cord.run(() -> Fiber.sleep(Duration.ofMillis(1_500)));
        assertEquals(1, asked.get(), "nobody has looked again");
    }

    @Test
    void A6_aSourceOfMetricsThatKeepsItsThreadStopsNoPage() {
        CountDownLatch go = new CountDownLatch(1);
        start(
                ObserverOptions.loopback()
                        .withMetrics(
                                _ -> {
                                    boolean isOver = false;
                                    while (!isOver) {
                                        isOver = isOver(go);
                                    }
                                }));
        open.add(go::countDown);
        system.start("till", echo());
        String numbers = NOW + "?numbers=true";
        assertHas(look.json(numbers), "\"numbers\":[]");
        assertHas(look.await(numbers, "shop/till"), "\"numbers\":[]");
        go.countDown();
        look.await(numbers, "\"ropewalk.actors\"");
    }

    /** Deaf to interrupts. */
    private static boolean isOver(CountDownLatch go) {
        try {
            go.await();
            return true;
        } catch (InterruptedException deaf) {
            return false;
        }
    }

    @Test
    void aViewerThatReadsNothingDelaysNeitherOthersNorTheCordsThatItLooksAt() throws IOException {
        start(ObserverOptions.loopback());
        List<ActorRef<Object>> all = new ArrayList<>();
        for (int i = 0; i < 600; i++) {
            all.add(system.start("a-rather-long-name-of-an-actor-" + i, echo()));
        }
        AtomicLong turns = new AtomicLong();
        Cord counting = Cord.start("counting");
        open.add(counting);
        Fiber<?> counter =
                counting.spin(
                        "counts",
                        () -> {
                            while (true) {
                                turns.incrementAndGet();
                                Fiber.sleep(Duration.ofMillis(1));
                            }
                        });
        try (Socket slow = new Socket()) {
            slow.setReceiveBufferSize(1_024); // before it connects: it bounds what may be under way
            slow.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), observer.port()));
            say(slow, "GET /api/v1/stream?rows=500 HTTP/1.1\r\n" + headers() + "\r\n");
            Look.onCord(
                    () -> {
                        try (HttpClient client = look.connect()) {
                            var stream = client.send(look.get("/api/v1/stream"));
                            StringBuilder rest = new StringBuilder();
                            long before = turns.get();
                            for (int i = 0; i < 4; i++) {
                                assertFalse(Look.event(stream, rest).isEmpty());
                                all.forEach(each -> each.tell("x")); // each row has changed
                            }
                            assertTrue(turns.get() > before + 100, "the cord was kept");
                        }
                        return null;
                    });
        }
        counter.terminate();
    }

    private String headers() {
        return "Host: " + look.host() + "\r\nAuthorization: Bearer " + look.token() + "\r\n";
    }

    private static void say(Socket to, String text) throws IOException {
        to.getOutputStream().write(text.getBytes(ISO_8859_1));
    }

    @Test
    void requestsThatAreNotWholeDoNotKeepTheObserver() throws IOException {
        start(ObserverOptions.loopback());
        List<Socket> halves = new ArrayList<>();
        for (int i = 0; i < 70; i++) { // more than it takes at once
            Socket half = new Socket(InetAddress.getLoopbackAddress(), observer.port());
            halves.add(half);
            open.add(half);
            say(half, "GET /api/v1/now HTTP/1.1\r\nHost: ");
        }
        assertHas(look.json(NOW), "\"name\":\"shop\""); // as soon as their limit has passed
        assertEquals(70, halves.size());
    }

    @Test
    void A6_aCordThatEndsWhileItIsAskedIsLeftOut() {
        start(ObserverOptions.loopback());
        for (int i = 0; i < 20; i++) {
            CountDownLatch go = new CountDownLatch(1);
            Cord brief = Cord.start("brief");
            brief.spin("holds", () -> go.await());
            CompletableFuture<String> asked =
                    CompletableFuture.supplyAsync(() -> look.json(NOW), ObserverFaultsTest::begin);
            brief.spin("ends", go::countDown);
            go.countDown();
            brief.close();
            assertHas(asked.orTimeout(20, TimeUnit.SECONDS).join(), "\"name\":\"observer\"");
        }
        assertFalse(look.json(NOW).contains("brief"));
        Look.Answer ended = look.send(look.get("/api/v1/cord?name=brief"));
        assertEquals(404, ended.status());
        assertHas(ended.text(), "has ended");
    }

    private static void begin(Runnable body) {
        Thread.ofPlatform().start(body);
    }

    // ---------------------------------------------------------------- secrets

    @Test
    void theAddressIsToldOnceAndTheTokenStandsInNoLog() {
        PrintStream before = new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8);
        ByteArrayOutputStream told = new ByteArrayOutputStream();
        System.setErr(new PrintStream(told, true, UTF_8));
        try {
            start(ObserverOptions.loopback());
            look.json(NOW);
            look.send(look.get("/none"));
            look.send(look.with(HttpRequest.of("DELETE", "/")));
            look.send(look.get("/api/v1/now?rows=x"));
            observer.close();
        } finally {
            System.setErr(before);
        }
        String all = told.toString(ISO_8859_1);
        assertEquals(2, all.split(look.token(), -1).length, all);
        assertEquals(2, all.split("observer is at", -1).length, all);
    }

    @Test
    void anotherAddressIsReachedByTlsAndByItsNameAlone(@TempDir Path folder) throws Exception {
        X509Bundle identity =
                new CertificateBuilder()
                        .ecp256()
                        .subject("CN=localhost")
                        .setIsCertificateAuthority(true)
                        .addSanIpAddress("127.0.0.1")
                        .buildSelfSigned();
        Path chain = Files.writeString(folder.resolve("a.pem"), identity.getCertificatePEM());
        Path key = Files.writeString(folder.resolve("a.key"), identity.getPrivateKeyPEM());
        start(ObserverOptions.of("127.0.0.1", 0, Tls.server(chain, key), TOKEN));
        assertTrue(observer.address().startsWith("https://127.0.0.1:"), observer::toString);
        Tls trusting = Tls.client().withTrust(chain);
        HttpOptions options = HttpOptions.defaults();
        HttpOptions tls = options.withTcp(options.tcp().withTls(trusting));
        String own = "https://" + look.host();
        assertEquals(200, status(tls, look.get(NOW)));
        assertEquals(200, status(tls, look.get(NOW).withHeader("Origin", own)));
        assertEquals(401, status(tls, HttpRequest.get(NOW)));
        String plain = own.replace("https", "http");
        assertEquals(403, status(tls, look.get(NOW).withHeader("Origin", plain)));
        String local = look.host().replace("127.0.0.1", "localhost");
        assertEquals(403, status(tls, look.get(NOW).withHeader("Host", local)));
        assertThrows(RuntimeException.class, () -> look.json(NOW), "without TLS");
        ObserverOptions noServer = ObserverOptions.of("127.0.0.1", 0, Tls.client(), TOKEN);
        assertThrows(RuntimeException.class, () -> Observer.start(noServer));
    }

    private int status(HttpOptions tls, HttpRequest request) {
        return Look.onCord(
                () -> {
                    try (HttpClient client =
                            HttpClient.connect("127.0.0.1", observer.port(), tls)) {
                        return client.send(request).status();
                    }
                });
    }
}
