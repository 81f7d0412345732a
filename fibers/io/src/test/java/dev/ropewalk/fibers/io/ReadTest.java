package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberState;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Rules I2 and I4: what is read, how a read waits, and what it leaves when it ends early. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ReadTest {
    private static List<String> lines(TcpConnection from) {
        List<String> all = new ArrayList<>();
        for (String line = from.readLine(); line != null; line = from.readLine()) {
            all.add(line);
        }
        return all;
    }

    private static String rest(TcpConnection from) {
        StringBuilder all = new StringBuilder();
        byte[] some = new byte[7];
        for (int count = from.read(some); count >= 0; count = from.read(some)) {
            all.append(new String(some, 0, count, UTF_8));
        }
        return all.toString();
    }

    @Test
    void I2_linesGoThereAndBack() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    for (String line = server.readLine();
                                            line != null;
                                            line = server.readLine()) {
                                        server.write(line).write("\n");
                                    }
                                },
                                client -> {
                                    for (int i = 0; i < 20; i++) {
                                        client.write("line " + i + "\n");
                                        assertEquals("line " + i, client.readLine());
                                    }
                                    client.shutdownOutput();
                                    assertNull(client.readLine());
                                }));
    }

    @Test
    void I2_endsOfLines() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    assertEquals(
                                            List.of(
                                                    "lf",
                                                    "cr lf",
                                                    "",
                                                    "",
                                                    "cr\rinside",
                                                    "größe",
                                                    "last"),
                                            lines(server));
                                    assertNull(server.readLine());
                                    assertEquals(-1, server.read(new byte[1]));
                                },
                                client ->
                                        client.write(
                                                "lf\ncr lf\r\n\n\r\ncr\rinside\ngröße\nlast")));
    }

    /** Two different keys are never one text. */
    @Test
    void I2_lineThatIsNoTextIsRefusedAndStays() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    assertEquals("sent \uFFFD", server.readLine());
                                    for (int i = 0; i < 2; i++) {
                                        Errors.assertMentions(
                                                assertThrows(
                                                        CodecException.class, server::readLine),
                                                "byte 0xFF at offset 5",
                                                "readLineBytes()");
                                    }
                                    assertArrayEquals(
                                            new byte[] {'s', 'e', 't', ' ', 'k', (byte) 0xFF},
                                            server.readLineBytes());
                                    assertArrayEquals(
                                            "größe".getBytes(UTF_8), server.readLineBytes());
                                    assertArrayEquals(new byte[0], server.readLineBytes());
                                    // One half of a character, and then the end.
                                    Errors.assertMentions(
                                            assertThrows(CodecException.class, server::readLine),
                                            "byte 0xC3 at offset 1");
                                    assertArrayEquals(
                                            new byte[] {'a', (byte) 0xC3}, server.readLineBytes());
                                    assertNull(server.readLineBytes());
                                    assertNull(server.readLine());
                                },
                                client ->
                                        client.write("sent \uFFFD\nset k")
                                                .write(new byte[] {(byte) 0xFF})
                                                .write("\r\ngröße\n\na")
                                                .write(new byte[] {(byte) 0xC3})));
    }

    /** Nor are two texts one key, where one half of a character is all there is of it. */
    @Test
    void I2_textThatHasNoBytesIsRefused() {
        Net.anywhere(
                net ->
                        net.talk(
                                server ->
                                        assertEquals(List.of("größe \uD83D\uDE00?"), lines(server)),
                                client -> {
                                    client.write("größe \uD83D\uDE00");
                                    for (String half :
                                            List.of("ab\uD83D", "ab\uDE00c", "ab\uDE00\uD83D")) {
                                        CodecException refused =
                                                assertThrows(
                                                        CodecException.class,
                                                        () -> client.write(half));
                                        Errors.assertMentions(refused, "at index 2");
                                        assertFalse(client.hasCaused(refused));
                                    }
                                    client.write("?");
                                }));
    }

    @Test
    void I2_lineOfBytesThatIsTooLong() {
        TcpOptions narrow = TcpOptions.defaults().withMaxLineBytes(8);
        Net.anywhere(
                net ->
                        net.talk(
                                narrow,
                                server -> {
                                    byte[] line = Objects.requireNonNull(server.readLineBytes());
                                    assertEquals(8, line.length);
                                    assertThrows(LineTooLongException.class, server::readLineBytes);
                                    assertEquals("123456789", rest(server));
                                },
                                client -> client.write("12345678\r\n123456789")));
    }

    @Test
    void I2_skip() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    server.skip(0);
                                    assertEquals("head", server.readLine());
                                    server.skip(1_000_000);
                                    assertEquals("tail", server.readLine());
                                    Errors.assertMentions(
                                            assertThrows(
                                                    EndOfInputException.class,
                                                    () -> server.skip(5_000_000_000L)),
                                            "after 2 of 5000000000 bytes",
                                            "skipped");
                                    assertEquals(-1, server.read(new byte[1]));
                                    assertThrows(
                                            IllegalArgumentException.class, () -> server.skip(-1));
                                },
                                client -> {
                                    client.write("head\n");
                                    for (int i = 0; i < 10; i++) {
                                        client.write(new byte[100_000]);
                                    }
                                    client.write("tail\nxy");
                                }));
    }

    @Test
    void I2_readFully() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    assertEquals("", new String(server.readFully(0), UTF_8));
                                    assertEquals("abc", new String(server.readFully(3), UTF_8));
                                    assertEquals(100_000, server.readFully(100_000).length);
                                    EndOfInputException ended =
                                            assertThrows(
                                                    EndOfInputException.class,
                                                    () -> server.readFully(4));
                                    Errors.assertMentions(ended, "after 2 of 4 bytes");
                                    assertEquals("yz", rest(server));
                                    assertThrows(
                                            IllegalArgumentException.class,
                                            () -> server.readFully(-1));
                                },
                                client -> {
                                    client.write("ab").write("c");
                                    client.write(new byte[100_000]).write("yz");
                                }));
    }

    @Test
    void I2_readIntoAPart() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    byte[] into = new byte[5];
                                    assertEquals(0, server.read(into, 5, 0));
                                    int count = server.read(into, 1, 3);
                                    while (count < 3) {
                                        count += server.read(into, 1 + count, 3 - count);
                                    }
                                    assertArrayEquals(new byte[] {0, 'a', 'b', 'c', 0}, into);
                                    assertEquals("d", rest(server));
                                    assertThrows(
                                            IndexOutOfBoundsException.class,
                                            () -> server.read(into, 3, 3));
                                },
                                client -> client.write("abcd")));
    }

    // ---------------------------------------------------------------- reads that end early

    /** Half a line, then silence, then the other half, behind many reads that were given up. */
    @Test
    void I4_readsThatEndByALimitLoseNoByte() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    int[] given = {0};
                                    String line = null;
                                    while (line == null) {
                                        line =
                                                CancelScope.moveOnAfter(
                                                        Duration.ofNanos(300_000),
                                                        null,
                                                        server::readLine);
                                        given[0]++;
                                    }
                                    assertEquals("0123456789", line);
                                    assertTrue(given[0] > 1, "none was given up");
                                },
                                client -> {
                                    for (int i = 0; i < 10; i++) {
                                        client.write("" + i).flush();
                                        Fiber.sleep(Duration.ofMillis(2));
                                    }
                                    client.write("\n");
                                }));
    }

    @Test
    void I4_terminatedReaderLeavesAllBytes() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    Fiber<?> reader =
                                            Fiber.spin("reader", () -> server.readFully(8));
                                    net.until(() -> server.unread() == 4);
                                    reader.terminate();
                                    reader.awaitEnd(Net.LONG);
                                    server.write("go on\n");
                                    assertEquals("abcdefgh", rest(server));
                                },
                                client -> {
                                    client.write("abcd");
                                    assertEquals("go on", client.readLine());
                                    client.write("efgh");
                                }));
    }

    @Test
    void I4_readLimit() {
        TcpOptions limited = TcpOptions.defaults().withReadLimit(Duration.ofMillis(20));
        Net.anywhere(
                net ->
                        net.talk(
                                limited,
                                server -> {
                                    ConnectionTimeoutException late =
                                            assertThrows(
                                                    ConnectionTimeoutException.class,
                                                    server::readLine);
                                    Errors.assertMentions(late, "20 ms", "readLimit");
                                    server.write("x");
                                    assertEquals("half line", rest(server));
                                },
                                client -> {
                                    client.write("half ").flush();
                                    byte[] x = new byte[1];
                                    int count = 0;
                                    while (count == 0) {
                                        try {
                                            count = client.read(x);
                                        } catch (ConnectionTimeoutException notYet) {
                                            // the server waits for as long
                                        }
                                    }
                                    client.write("line");
                                }));
    }

    @Test
    void I2_lineThatIsTooLong() {
        TcpOptions narrow = TcpOptions.defaults().withMaxLineBytes(8);
        Net.anywhere(
                net ->
                        net.talk(
                                narrow,
                                server -> {
                                    assertEquals("12345678", server.readLine());
                                    assertEquals("12345678", server.readLine());
                                    LineTooLongException tooLong =
                                            assertThrows(
                                                    LineTooLongException.class, server::readLine);
                                    Errors.assertMentions(tooLong, "maxLineBytes=8");
                                    assertEquals("123456789\nrest", rest(server));
                                },
                                client -> client.write("12345678\n12345678\r\n123456789\nrest")));
    }

    @Test
    void I2_secondReaderIsAnError() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    Fiber<String> first = Fiber.spin("first", server::readLine);
                                    net.until(() -> first.state() == FiberState.WAITING);
                                    IllegalStateException second =
                                            assertThrows(
                                                    IllegalStateException.class, server::readLine);
                                    Errors.assertMentions(
                                            second, "reader already", "fiber first", "Mutex");
                                    server.write("now\n");
                                    assertEquals("hello", first.await());
                                },
                                client -> {
                                    assertEquals("now", client.readLine());
                                    client.write("hello\n");
                                }));
    }

    // ---------------------------------------------------------------- back-pressure

    /** A sender meets a side that does not read: it waits, and nothing is lost when that reads. */
    @Test
    void I3_whoDoesNotReadHoldsTheWriterUp() {
        TcpOptions small = TcpOptions.defaults().withStashBytes(1_000).withHighWaterMark(2_000);
        byte[] block = new byte[16 * 1024];
        int blocks = 2_000; // 32 MB: more than the system's own buffers
        Net.anywhere(
                net -> {
                    int count = net.isVirtual ? 40 : blocks;
                    long[] written = {0};
                    net.talk(
                            small,
                            server -> {
                                long before = -1;
                                while (before != written[0] || before == 0) {
                                    before = written[0];
                                    for (int i = 0; i < 100; i++) {
                                        net.pause();
                                    }
                                }
                                assertTrue(before < count, "blocks=" + before);
                                assertTrue(server.unread() < 200_000, "unread=" + server.unread());
                                long sum = 0;
                                byte[] some = new byte[10_000];
                                for (int n = server.read(some); n >= 0; n = server.read(some)) {
                                    sum += n;
                                }
                                assertEquals((long) count * block.length, sum);
                            },
                            client -> {
                                for (int i = 0; i < count; i++) {
                                    client.write(block);
                                    written[0]++;
                                }
                            });
                });
    }

    /** A large read wants much at once, and the next reader gets the usual bound. */
    @Test
    void I3_readFullyRaisesTheBoundForItselfAlone() {
        TcpOptions small = TcpOptions.defaults().withStashBytes(1_000).withHighWaterMark(2_000);
        Net.anywhere(
                net -> {
                    int large = net.isVirtual ? 300_000 : 1_000_000;
                    byte[] all = new byte[3 * large];
                    net.talk(
                            small,
                            server -> {
                                assertEquals(large, server.readFully(large).length);
                                assertFew(net, server);
                                server.skip(2L * large);
                            },
                            client -> client.write(all));
                });
    }

    /** What one receive from the kernel holds may come on top. */
    private static void assertFew(Net net, TcpConnection of) {
        net.settle();
        for (int i = 0; i < 200; i++) {
            net.pause();
            assertTrue(of.unread() < 200_000, "unread=" + of.unread());
        }
    }

    /** The order of all bytes, in pieces of every size. */
    @Test
    void I2_allBytesComeInOrder() {
        byte[] all = new byte[300_000];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) (i * 31 + i / 256);
        }
        Net.anywhere(
                net ->
                        net.talk(
                                server -> assertArrayEquals(all, server.readFully(all.length)),
                                client -> {
                                    int from = 0;
                                    for (int size = 1; from < all.length; size = size * 3 / 2 + 1) {
                                        int count = Math.min(size, all.length - from);
                                        client.write(all, from, count);
                                        from += count;
                                    }
                                }));
    }

    @Test
    void I2_waitsShowWhatForInDumps() {
        Net.inMemory(
                net ->
                        net.talk(
                                server -> {
                                    Fiber<?> reader = Fiber.spin("reader", server::readLine);
                                    net.until(() -> reader.state() == FiberState.WAITING);
                                    assertTrue(
                                            Cord.current()
                                                    .dump()
                                                    .toString()
                                                    .contains(
                                                            "a line from connection to 127.0.0.1:"),
                                            "dump");
                                    reader.terminate();
                                },
                                client -> assertNull(client.readLine())));
    }
}
