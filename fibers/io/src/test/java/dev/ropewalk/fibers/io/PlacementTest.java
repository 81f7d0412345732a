package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.testing.TestCords;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Rule I2: one listener whose clients are served on several cords. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class PlacementTest {
    /** What a test does with cords beside its own. */
    @FunctionalInterface
    private interface Body {
        void run(Net net, List<Cord> others) throws Exception;
    }

    private static void anywhere(int others, Body body) {
        inMemory(others, body);
        onSockets(others, body);
    }

    private static void inMemory(int others, Body body) {
        TestCords.run(others + 1, cords -> body.run(new Net(true), cords.subList(1, cords.size())));
    }

    private static void onSockets(int others, Body body) {
        for (StackKind stacks : StackKind.values()) {
            if (!stacks.isAvailable()) {
                continue; // without the flag for it
            }
            Net.onSockets(
                    stacks,
                    net -> {
                        List<Cord> started = new ArrayList<>();
                        for (int i = 0; i < others; i++) {
                            started.add(Cord.start(CordOptions.named("c" + i).withStacks(stacks)));
                        }
                        try {
                            body.run(net, started);
                        } finally {
                            started.forEach(Cord::close);
                        }
                    });
        }
    }

    private static TcpOptions over(List<Cord> cords) {
        return TcpOptions.defaults().withCords(cords);
    }

    /** Echoes lines with the name of its cord; fails, and ends, when it is told to. */
    private static void serve(TcpConnection client) {
        assertEquals(Cord.current(), client.cord());
        for (String line = client.readLine(); line != null; line = client.readLine()) {
            switch (line) {
                case "quit" -> {
                    return;
                }
                case "fail" -> throw new IllegalArgumentException("told to");
                default -> client.write(line + " of " + Cord.current().name() + "\n");
            }
        }
    }

    private static Fiber<?> serving(TcpListener listener) {
        return Fiber.spin("server", () -> listener.serve("client", PlacementTest::serve));
    }

    private static String cordOf(TcpConnection client) {
        client.write("x\n");
        return String.valueOf(client.readLine());
    }

    private static Map<String, Integer> count(List<TcpConnection> clients) {
        Map<String, Integer> byCord = new TreeMap<>();
        clients.forEach(each -> byCord.merge(cordOf(each), 1, Integer::sum));
        return byCord;
    }

    private static List<TcpConnection> connect(Net net, TcpListener listener, int clients) {
        List<TcpConnection> made = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            made.add(net.connect(listener));
        }
        return made;
    }

    @Test
    void I2_clientsAreSpreadEvenly() {
        anywhere(
                3,
                (net, cords) -> {
                    TcpListener listener = net.listen(over(cords));
                    Fiber<?> server = serving(listener);
                    List<TcpConnection> clients = connect(net, listener, 12);
                    Map<String, Integer> byCord = count(clients);
                    assertEquals(List.of(4, 4, 4), List.copyOf(byCord.values()), byCord::toString);
                    assertEquals(12, listener.open());
                    clients.forEach(TcpConnection::close);
                    assertTrue(listener.drain(Net.LONG));
                    assertEquals(0, listener.open());
                    server.await();
                });
    }

    /** The listener's cord may serve too, or not. */
    @Test
    void I2_theListenersOwnCordIsOneOfThem() {
        anywhere(
                1,
                (net, cords) -> {
                    TcpListener listener =
                            net.listen(over(List.of(Cord.current(), cords.getFirst())));
                    Fiber<?> server = serving(listener);
                    List<TcpConnection> clients = connect(net, listener, 4);
                    Map<String, Integer> byCord = count(clients);
                    assertEquals(List.of(2, 2), List.copyOf(byCord.values()), byCord::toString);
                    assertTrue(byCord.containsKey("x of " + Cord.current().name()));
                    clients.forEach(TcpConnection::close);
                    assertTrue(listener.drain(Net.LONG));
                    server.await();
                });
    }

    /** A turn alone would give the third client to the cord that still has the first. */
    @Test
    void I2_theCordWithTheFewestIsNext() {
        anywhere(
                2,
                (net, cords) -> {
                    TcpListener listener = net.listen(over(cords));
                    Fiber<?> server = serving(listener);
                    TcpConnection stays = net.connect(listener);
                    String busy = cordOf(stays);
                    for (int i = 0; i < 5; i++) {
                        try (TcpConnection next = net.connect(listener)) {
                            String there = cordOf(next);
                            assertFalse(there.equals(busy), there + " twice");
                            next.write("quit\n");
                        }
                        net.until(() -> listener.open() == 1);
                        net.settle();
                        awaitFewer(net, server, 2);
                    }
                    stays.close();
                    assertTrue(listener.drain(Net.LONG));
                    server.await();
                });
    }

    /** Until the server has heard of the end of its fibers. */
    private static void awaitFewer(Net net, Fiber<?> server, int fewer) {
        net.until(() -> server.children().size() < fewer);
    }

    /** What a client sends before its connection is anywhere is not lost, and stays in order. */
    @Test
    void I2_whatCameBeforeItWasPlaced() {
        anywhere(
                2,
                (net, cords) -> {
                    TcpListener listener = net.listen(over(cords));
                    List<TcpConnection> clients = connect(net, listener, 4);
                    StringBuilder sent = new StringBuilder();
                    for (int i = 0; i < 100; i++) {
                        sent.append(i).append('\n');
                    }
                    for (TcpConnection each : clients) {
                        each.write(sent.toString());
                    }
                    net.pause();
                    Fiber<?> server = serving(listener);
                    for (TcpConnection each : clients) {
                        each.write("last\n");
                        each.shutdownOutput();
                        for (int i = 0; i < 100; i++) {
                            String line = String.valueOf(each.readLine());
                            assertTrue(line.startsWith(i + " of "), line);
                        }
                        assertTrue(String.valueOf(each.readLine()).startsWith("last of "));
                        each.close();
                    }
                    assertTrue(listener.drain(Net.LONG));
                    server.await();
                });
    }

    @Test
    void I2_clientsThatHaveGoneBeforeTheyWerePlaced() {
        anywhere(
                2,
                (net, cords) -> {
                    TcpListener listener = net.listen(over(cords));
                    connect(net, listener, 5).forEach(TcpConnection::reset);
                    connect(net, listener, 5).forEach(TcpConnection::close);
                    Fiber<?> server = serving(listener);
                    TcpConnection last = net.connect(listener);
                    cordOf(last);
                    last.close();
                    assertTrue(listener.drain(Net.LONG));
                    server.await();
                });
    }

    /** Nobody serves: they wait here, up to a bound, and are reset by the close. */
    @Test
    void I2_closeResetsWhatNobodyServed() {
        anywhere(
                1,
                (net, cords) -> {
                    TcpListener listener = net.listen(over(cords));
                    List<TcpConnection> clients = connect(net, listener, 3);
                    net.until(() -> listener.open() == 3);
                    listener.close();
                    assertEquals(0, listener.open());
                    for (TcpConnection each : clients) {
                        assertThrows(ConnectionException.class, () -> cordOf(each));
                        each.close();
                    }
                });
    }

    /** A client whose service fails is reset, which is logged; the others are served on. */
    @Test
    void I2_oneThatFailsTakesNoOtherAlong() {
        inMemory(
                2,
                (net, cords) -> {
                    List<String> lines = new ArrayList<>();
                    Logs.during(
                            line -> lines.add(line.message() + ": " + line.failure()),
                            () -> failOne(net, cords));
                    assertEquals(1, lines.size(), lines::toString);
                    String line = lines.getFirst();
                    assertTrue(line.contains("is broken off, because its fiber failed"), line);
                    assertTrue(line.contains("told to"), line);
                });
        onSockets(2, PlacementTest::failOne);
    }

    private static void failOne(Net net, List<Cord> cords) {
        TcpListener listener = net.listen(over(cords));
        Fiber<?> server = serving(listener);
        List<TcpConnection> clients = connect(net, listener, 4);
        clients.forEach(PlacementTest::cordOf);
        TcpConnection fails = clients.removeFirst();
        fails.write("fail\n");
        assertThrows(ConnectionResetException.class, fails::readLine);
        fails.close();
        clients.forEach(PlacementTest::cordOf);
        clients.forEach(TcpConnection::close);
        assertTrue(listener.drain(Net.LONG));
        server.await();
    }

    /** Terminated, the fiber that serves takes its clients on all cords along. */
    @Test
    void I2_terminationReachesAllCords() {
        anywhere(
                2,
                (net, cords) -> {
                    TcpListener listener = net.listen(over(cords));
                    Fiber<?> server = serving(listener);
                    List<TcpConnection> clients = connect(net, listener, 4);
                    clients.forEach(PlacementTest::cordOf);
                    server.terminate();
                    assertTrue(server.awaitEnd(Net.LONG));
                    for (TcpConnection each : clients) {
                        assertThrows(ConnectionResetException.class, each::readLine);
                        each.close();
                    }
                    net.until(() -> listener.open() == 0);
                    listener.close();
                });
    }

    /** At the worst moment: its fiber is on its way to the other cord. */
    @Test
    void I2_terminatedBeforeTheFiberBegan() {
        anywhere(
                2,
                (net, cords) -> {
                    for (int pauses = 0; pauses < 6; pauses++) {
                        TcpListener listener = net.listen(over(cords));
                        List<TcpConnection> clients = connect(net, listener, 4);
                        net.until(() -> listener.open() == 4);
                        Fiber<?> server = serving(listener);
                        for (int i = 0; i < pauses; i++) {
                            Fiber.snooze();
                        }
                        server.terminate();
                        assertTrue(server.awaitEnd(Net.LONG));
                        listener.close();
                        for (TcpConnection each : clients) {
                            assertThrows(ConnectionException.class, () -> cordOf(each));
                            each.close();
                        }
                        net.until(() -> listener.open() == 0);
                    }
                });
    }

    /**
     * A cord that has ended serves nobody; without any, clients are refused, and that is logged.
     */
    @Test
    void I2_cordsThatEnd() {
        inMemory(
                2,
                (net, cords) -> {
                    List<String> lines = new ArrayList<>();
                    Logs.during(line -> lines.add(line.message()), () -> endCords(net, cords));
                    assertTrue(
                            lines.stream().anyMatch(line -> line.contains("all cords")),
                            lines::toString);
                });
        onSockets(2, PlacementTest::endCords);
    }

    private static void endCords(Net net, List<Cord> cords) {
        TcpListener listener = net.listen(over(cords));
        Fiber<?> server = serving(listener);
        List<TcpConnection> clients = connect(net, listener, 2);
        clients.forEach(PlacementTest::cordOf);
        cords.getFirst().close();
        int broken = 0;
        for (TcpConnection each : clients) {
            try {
                each.write("x\n");
                broken += each.readLine() == null ? 1 : 0;
            } catch (ConnectionException gone) {
                broken++;
            }
        }
        assertEquals(1, broken);
        net.until(() -> listener.open() == 1);
        List<TcpConnection> more = connect(net, listener, 3);
        assertEquals(1, count(more).size());
        cords.getLast().close();
        TcpConnection refused = net.connect(listener);
        assertThrows(ConnectionException.class, () -> cordOf(refused));
        refused.close();
        net.until(() -> listener.open() == 0);
        clients.forEach(TcpConnection::close);
        more.forEach(TcpConnection::close);
        listener.close();
        server.await();
    }

    @Test
    void I2_maxConnectionsCountsAllCords() {
        anywhere(
                2,
                (net, cords) -> {
                    TcpListener listener = net.listen(over(cords).withMaxConnections(3));
                    Fiber<?> server = serving(listener);
                    List<Fiber<?>> asking = new ArrayList<>();
                    int[] max = {0};
                    for (int i = 0; i < 12; i++) {
                        asking.add(
                                Fiber.spin(
                                        "asking",
                                        () -> {
                                            try (TcpConnection mine = net.connect(listener)) {
                                                cordOf(mine);
                                                max[0] = Math.max(max[0], listener.open());
                                                net.pause();
                                            }
                                        }));
                    }
                    for (Fiber<?> each : asking) {
                        each.await();
                    }
                    assertTrue(max[0] <= 3, "open at once: " + max[0]);
                    assertTrue(listener.drain(Net.LONG));
                    server.await();
                });
    }

    @Test
    void I2_tlsOnOtherCords(@TempDir Path folder) throws Exception {
        Certificates.Files3 files = new Certificates(folder).make("server");
        Tls serving = Tls.server(files.certificates(), files.key());
        TcpOptions asking = TcpOptions.defaults().withTls(Tls.client().withTrust(files.trust()));
        onSockets(
                2,
                (net, cords) -> {
                    TcpListener listener = net.listen(over(cords).withTls(serving));
                    Fiber<?> server = serving(listener);
                    List<TcpConnection> clients = new ArrayList<>();
                    for (int i = 0; i < 4; i++) {
                        clients.add(net.connect(listener, asking));
                    }
                    assertEquals(2, count(clients).size());
                    clients.forEach(TcpConnection::close);
                    assertTrue(listener.drain(Net.LONG));
                    server.await();
                });
    }

    @Test
    void I2_drainWaitsForClientsElsewhere() {
        anywhere(
                1,
                (net, cords) -> {
                    TcpListener listener = net.listen(over(cords));
                    Fiber<?> server = serving(listener);
                    TcpConnection client = net.connect(listener);
                    cordOf(client);
                    assertFalse(listener.drain(Duration.ofMillis(5)));
                    assertFalse(server.state() == FiberState.DEAD);
                    client.close();
                    assertTrue(listener.drain(Net.LONG));
                    server.await();
                });
    }

    @Test
    void misuse_connectionsOfOtherCordsCannotBeTaken() {
        anywhere(
                1,
                (net, cords) -> {
                    try (TcpListener listener = net.listen(over(cords))) {
                        Errors.assertMentions(
                                assertThrows(IllegalStateException.class, listener::accept),
                                "listener on ",
                                cords.toString(),
                                "use serve");
                        Errors.assertMentions(
                                assertThrows(IllegalStateException.class, listener::iterator),
                                "use serve");
                    }
                });
    }

    @Test
    void misuse_cords() {
        anywhere(
                1,
                (_, cords) -> {
                    Cord twice = cords.getFirst();
                    Errors.assertMentions(
                            assertThrows(
                                    IllegalArgumentException.class,
                                    () -> over(List.of(twice, twice))),
                            "a cord is there twice",
                            twice.toString());
                    Errors.assertMentions(
                            assertThrows(IllegalArgumentException.class, () -> over(List.of())),
                            "cords=[]",
                            "leave withCords out");
                });
    }
}
