package dev.ropewalk.examples.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.testing.MemoryNetwork;

import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Rooms and those in them, on the network in memory. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ChatRoomTest {
    private static List<String> lines(String prefix, int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> prefix + i).toList();
    }

    // ---------------------------------------------------------------- what is said

    @Test
    void bothKindsOfClientsAreInOneRoom() {
        Lab.run(
                lab -> {
                    User ada = lab.telnet("hall", "ada");
                    User bob = lab.webSocket("hall", "bob");
                    User eve = lab.telnet("attic", "eve");
                    ada.say("hello");
                    ada.expect("ada: hello");
                    bob.expect("ada: hello");
                    bob.say("grüß dich");
                    ada.expect("bob: grüß dich");
                    bob.expect("bob: grüß dich");
                    eve.say("nobody here");
                    eve.expect("eve: nobody here");
                    for (Format each : Format.values()) {
                        assertEquals(1, lab.encoder.count(each, "ada: hello"));
                        assertEquals(1, lab.encoder.count(each, "bob: grüß dich"));
                    }
                    assertEquals(0, lab.encoder.count(Format.FRAME, "eve: nobody here"));
                });
    }

    /** A frame has its length in one byte up to 125, and in two above. */
    @Test
    void linesOfAllLengthsUpToTheLimit() {
        Lab.run(
                lab -> {
                    User ada = lab.telnet("hall", "ada");
                    User bob = lab.webSocket("hall", "bob");
                    for (int length : new int[] {1, 119, 120, 121, 122, Protocol.MAX_LINE_BYTES}) {
                        String text = "x".repeat(length);
                        ada.say(text);
                        ada.expect("ada: " + text);
                        bob.expect("ada: " + text);
                        bob.say(text);
                        ada.expect("bob: " + text);
                        bob.expect("bob: " + text);
                    }
                });
    }

    @Test
    void whoHasLeftHearsNothingOfTheRoom() {
        Lab.run(
                lab -> {
                    User ada = lab.telnet("hall", "ada");
                    User bob = lab.telnet("hall", "bob");
                    ada.say("one");
                    ada.expect("ada: one");
                    bob.expect("ada: one");
                    ada.say("/leave");
                    ada.expect("* you have left");
                    bob.say("two");
                    bob.expect("bob: two");
                    ada.say("three");
                    ada.expect("* not said: join a room first, with /join ROOM NAME");
                    ada.join("attic", "ada");
                    ada.join("hall", "ada"); // leaves the attic
                    ada.expect("ada: one", "bob: two");
                    User eve = lab.telnet("attic", "ada");
                    eve.say("x");
                    eve.expect("ada: x");
                    bob.say("/quit");
                    bob.expect("* goodbye", TelnetUser.END);
                });
    }

    // ---------------------------------------------------------------- the history

    /**
     * A member that joins while others talk gets all that is kept, then what is new: none is lost
     * or doubled.
     */
    @Test
    void theHistoryJoinsWhatIsNew() {
        int kept = 20;
        int all = 200;
        Lab.run(
                options -> options.withHistory(kept),
                lab -> {
                    User ada = lab.telnet("hall", "ada");
                    Fiber<?> talk =
                            Fiber.spin(
                                    "talk",
                                    () -> {
                                        for (int i = 0; i < all; i++) {
                                            ada.say("line " + i);
                                            if (i % 7 == 0) {
                                                Fiber.sleep(Duration.ofNanos(300_000));
                                            }
                                        }
                                    });
                    List<Fiber<Integer>> joining = new ArrayList<>();
                    for (int i = 0; i < 10; i++) {
                        int number = i;
                        joining.add(
                                Fiber.spin(
                                        "joining",
                                        () -> {
                                            Fiber.sleep(Duration.ofMillis(number));
                                            return firstHeard(lab, number, all);
                                        }));
                    }
                    talk.await();
                    for (Fiber<Integer> each : joining) {
                        assertTrue(each.await() <= all - kept);
                    }
                    ada.expect(lines("ada: line ", 0, all));
                    User late = lab.webSocket("hall", "late");
                    late.expect(lines("ada: line ", all - kept, all));
                    assertEquals(2 * kept, lab.encoder.live());
                });
    }

    /** The number of the first line; the others follow up to the last one. */
    private static int firstHeard(Lab lab, int number, int all) {
        String name = "joiner-" + number;
        User user = number % 2 == 0 ? lab.telnet("hall", name) : lab.webSocket("hall", name);
        String prefix = "ada: line ";
        int first = Integer.parseInt(user.next().substring(prefix.length()));
        user.expect(lines(prefix, first + 1, all));
        return first;
    }

    @Test
    void aRoomWithoutHistory() {
        Lab.run(
                options -> options.withHistory(0),
                lab -> {
                    User ada = lab.telnet("hall", "ada");
                    ada.say("one");
                    ada.expect("ada: one");
                    User bob = lab.telnet("hall", "bob");
                    ada.say("two");
                    bob.expect("ada: two");
                    assertEquals(0, lab.encoder.live());
                });
    }

    // ---------------------------------------------------------------- what is refused

    @Test
    void namesAndRooms() {
        Lab.run(
                options -> options.withMaxRooms(2),
                lab -> {
                    User ada = lab.telnet("hall", "ada");
                    User bob = lab.telnet();
                    bob.say("/join hall ada");
                    bob.expect("* the name ada is taken in hall; take another");
                    bob.say("/join hall ADA");
                    bob.expect("* the name ADA is taken in hall; take another");
                    for (String noName : List.of("/join hall", "/join hall   ", "/join")) {
                        bob.say(noName);
                        bob.expect("* a name is missing: /join ROOM NAME");
                    }
                    bob.say("/join hall two words");
                    bob.expect("* names have no blanks: /join ROOM NAME");
                    for (String room : List.of("Hall", "a/b", "..", "x".repeat(33), "größe")) {
                        bob.say("/join " + room + " bob");
                        bob.expect(
                                "* "
                                        + room
                                        + " is no room: take 1 to 32 of a to z, 0 to 9, -"
                                        + " and _");
                    }
                    for (String name : List.of("b:b", "*", "x".repeat(21))) {
                        bob.say("/join hall " + name);
                        bob.expect(
                                "* " + name + " is no name: take 1 to 20 letters, digits, - and _");
                    }
                    bob.join("attic", "ada"); // a name is that of a room
                    User eve = lab.telnet();
                    eve.say("/join cellar eve");
                    eve.expect("* there are 2 rooms already; join one of them");
                    eve.say("/leave");
                    eve.expect("* you are in no room");
                    eve.say("/who");
                    eve.expect("* /who is no command; there are /join, /leave and /quit");
                    eve.say("hello?");
                    eve.expect("* not said: join a room first, with /join ROOM NAME");
                    eve.join("hall", "ève");
                    ada.say("");
                    ada.say("still here");
                    eve.expect("ada: still here");
                });
    }

    /** They would be lines of others, or move the cursor of a terminal. */
    @Test
    void controlCharactersAreNotSaid() {
        Lab.run(
                lab -> {
                    User ada = lab.telnet("hall", "ada");
                    User bob = lab.webSocket("hall", "bob");
                    for (String bad : List.of("hello\nada: I quit", "\u001b[2J", "\u0000")) {
                        bob.say(bad);
                        bob.expect("* not said: the line has control characters");
                    }
                    bob.say("hello");
                    ada.expect("bob: hello");
                });
    }

    @Test
    void aLineThatIsNoUtf8() {
        Lab.run(
                lab -> {
                    TelnetUser ada = lab.telnet("hall", "ada");
                    User bob = lab.telnet("hall", "bob");
                    ada.connection.write(new byte[] {'h', (byte) 0xff, 'i', '\n'});
                    ada.expect("* not said: the line is no UTF-8");
                    ada.connection.write(new byte[] {(byte) 0xc3, '\n'}); // half a character
                    ada.expect("* not said: the line is no UTF-8");
                    ada.say("hi");
                    bob.expect("ada: hi");
                });
    }

    @Test
    void aLineAboveItsLimit() {
        Lab.run(
                lab -> {
                    User bob = lab.telnet("hall", "bob");
                    for (int more : new int[] {1, 2}) {
                        TelnetUser ada = lab.telnet("hall", "ada");
                        ada.connection.write("x".repeat(Protocol.MAX_LINE_BYTES + more));
                        ada.connection.write("\n");
                        ada.expect("* a line may have 2048 bytes at most", TelnetUser.END);
                        awaitMembers(lab, 1);
                    }
                    TelnetUser endless = lab.telnet("hall", "ada");
                    assertThrows(
                            ConnectionException.class,
                            () -> {
                                while (true) {
                                    endless.connection.write("x".repeat(1_000));
                                }
                            });
                    awaitMembers(lab, 1);
                    bob.say("alone");
                    bob.expect("bob: alone");
                });
    }

    // ---------------------------------------------------------------- connections that end

    /** What is cut off is not said, and the member has left. */
    @Test
    void aClientThatGoesInTheMiddleOfALine() {
        Lab.run(
                lab -> {
                    User bob = lab.webSocket("hall", "bob");
                    TelnetUser ada = lab.telnet("hall", "ada");
                    ada.connection.write("I only wanted to s");
                    ada.connection.shutdownOutput();
                    ada.expect("* goodbye", TelnetUser.END);
                    awaitMembers(lab, 1);
                    ada = lab.telnet("hall", "ada");
                    ada.connection.write("and now");
                    ada.connection.flush();
                    ada.connection.reset();
                    awaitMembers(lab, 1);
                    lab.telnet("hall", "ada").say("back");
                    bob.expect("ada: back");
                });
    }

    /** Lines that came before the end are said. */
    @Test
    void whatCameBeforeTheEndIsSaid() {
        Lab.run(
                lab -> {
                    TelnetUser ada = lab.telnet();
                    ada.connection.write("/join hall ada\none\ntwo\n");
                    ada.connection.shutdownOutput();
                    assertTrue(ada.next().startsWith("* you are ada in hall"));
                    lab.telnet("hall", "bob").expect("ada: one", "ada: two");
                });
    }

    /** The client of a WebSocket closes first: it gets its status back, and leaves. */
    @Test
    void theCloseHandshake() {
        Lab.run(
                lab -> {
                    WebSocketUser bob = lab.webSocket("hall", "bob");
                    bob.frames.write(new CloseWebSocketFrame(4_711, "bye"));
                    bob.expect("closed 4711", WebSocketUser.END);
                    WebSocketUser eve = lab.webSocket("hall", "bob");
                    eve.frames.write(new CloseWebSocketFrame()); // without a status
                    eve.expect("closed -1", WebSocketUser.END);
                    WebSocketUser zoe = lab.webSocket("hall", "bob");
                    zoe.frames.shutdownOutput(); // without a word
                    zoe.expect("closed 1000", WebSocketUser.END);
                    lab.webSocket("hall", "bob");
                });
    }

    @Test
    void aWebSocketThatIsNeverAskedForIsClosed() {
        Lab.run(
                lab -> {
                    try (TcpConnection mute =
                            TcpConnection.connect("127.0.0.1", Lab.WEB_SOCKET_PORT)) {
                        mute.write("GET / HTTP/1.1\r\n");
                        assertNull(mute.readLine());
                        lab.awaitNobody(); // the server listens for its end, within a limit
                    }
                });
    }

    /** Each byte arrives alone. */
    @Test
    void bytesThatArriveOneByOne() {
        Lab.run(
                lab -> {
                    MemoryNetwork.current().maxPiece(1);
                    User ada = lab.telnet("hall", "ada");
                    User bob = lab.webSocket("hall", "bob");
                    ada.say("größe");
                    bob.say("groß");
                    for (User each : List.of(ada, bob)) {
                        Set<String> heard = new HashSet<>();
                        heard.add(each.next());
                        heard.add(each.next());
                        assertEquals(Set.of("ada: größe", "bob: groß"), heard);
                    }
                });
    }

    @Test
    void aMemberThatNeverReadsIsDismissed() {
        Lab.run(
                options -> options.withHistory(5).withMaxBehind(20),
                lab -> {
                    TelnetUser slow = lab.telnet("hall", "slow");
                    User ada = lab.telnet("hall", "ada");
                    User bob = lab.webSocket("hall", "bob");
                    String text = "x".repeat(2_000);
                    for (int i = 0; i < 300; i++) {
                        ada.say(text + i);
                        ada.expect("ada: " + text + i);
                        bob.expect("ada: " + text + i);
                        assertTrue(
                                lab.encoder.usedBytes() < 250_000,
                                () -> "bytes in use: " + lab.encoder.usedBytes());
                    }
                    assertTrue(awaitEnd(slow) < 150, "it was to be dismissed");
                    awaitMembers(lab, 2);
                    lab.telnet("hall", "slow");
                });
    }

    /** How many lines came until the connection ended, in whatever way. */
    private static int awaitEnd(TelnetUser user) {
        int lines = 0;
        try {
            while (!user.next().equals(TelnetUser.END)) {
                lines++;
            }
        } catch (ConnectionException reset) {
            // that is an end too
        }
        return lines;
    }

    /** A burst that a reader takes in is not held against it. */
    @Test
    void aBurst() {
        Lab.run(
                lab -> {
                    TelnetUser ada = lab.telnet("hall", "ada");
                    int all = ChatOptions.DEFAULT_HISTORY + 256;
                    ada.connection.write(String.join("\n", lines("hello ", 0, all)) + "\n");
                    ada.expect(lines("ada: hello ", 0, all));
                });
    }

    private static void awaitMembers(Lab lab, int number) {
        while (lab.connections() != number) {
            Fiber.sleep(Duration.ofMillis(1));
        }
        Fiber.sleep(Duration.ofMillis(1)); // of virtual time: the room has heard of it
    }

    // ---------------------------------------------------------------- rooms that end

    @Test
    void anEmptyRoomEnds() {
        Lab.run(
                lab -> {
                    User ada = lab.telnet("hall", "ada");
                    ada.say("one");
                    ada.expect("ada: one");
                    long number = lab.room("hall").number();
                    ada.say("/leave");
                    ada.expect("* you have left");
                    Fiber.sleep(Room.EMPTY_LIMIT.dividedBy(2));
                    ada.join("hall", "ada");
                    ada.expect("ada: one");
                    Fiber.sleep(Room.EMPTY_LIMIT.multipliedBy(2)); // somebody is there
                    assertEquals(number, lab.room("hall").number());
                    ada.say("/leave");
                    ada.expect("* you have left");
                    Fiber.sleep(Room.EMPTY_LIMIT.plusSeconds(1));
                    assertEquals(0, lab.encoder.live());
                    ada.join("hall", "ada");
                    assertNotEquals(number, lab.room("hall").number());
                    ada.say("two");
                    ada.expect("ada: two");
                });
    }

    // ---------------------------------------------------------------- the end of the server

    @Test
    void membersHearOfTheEndOfTheServer() {
        Lab.run(
                lab -> {
                    User ada = lab.telnet("hall", "ada");
                    User bob = lab.webSocket("hall", "bob");
                    User eve = lab.telnet(); // in no room
                    ada.say("hello");
                    ada.expect("ada: hello");
                    bob.expect("ada: hello");
                    lab.chat.dismissAll();
                    ada.expect("* the server ends", TelnetUser.END);
                    eve.expect("* the server ends", TelnetUser.END);
                    bob.expect("closed 1001", WebSocketUser.END);
                    try (TcpConnection late = TcpConnection.connect("127.0.0.1", Lab.TELNET_PORT)) {
                        assertNull(late.readLine());
                    }
                });
    }

    /** One that reads nothing does not hold up the end. */
    @Test
    void theEndDoesNotWaitForOneThatDoesNotRead() {
        Lab.run(
                options -> options.withMaxBehind(1_000),
                lab -> {
                    TelnetUser slow = lab.telnet("hall", "slow");
                    TelnetUser ada = lab.telnet("hall", "ada");
                    String text = "x".repeat(2_000);
                    for (int i = 0; i < 100; i++) {
                        ada.say(text + i);
                        ada.expect("ada: " + text + i);
                    }
                    long beganNs = Cord.current().nanoTime();
                    lab.chat.dismissAll();
                    long tookNs = Cord.current().nanoTime() - beganNs;
                    assertTrue(tookNs < Duration.ofSeconds(5).toNanos(), "took " + tookNs);
                    ada.expect("* the server ends", TelnetUser.END);
                    assertFalse(awaitEnd(slow) > 100);
                });
    }
}
