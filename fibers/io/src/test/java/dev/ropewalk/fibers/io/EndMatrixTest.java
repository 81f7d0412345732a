package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.StackKind;
import dev.ropewalk.fibers.spi.ClosedException;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslProvider;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Rule I2: the end of each transport passes each codec before a receiver hears of it: what came
 * whole is received, and what was cut off is an error.
 */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
class EndMatrixTest {
    @TempDir private static Path folder;
    private static Certificates.Files3 identity;

    @BeforeAll
    static void make() throws Exception {
        identity = new Certificates(folder).make("local");
    }

    // ---------------------------------------------------------------- the sides of the matrix

    /** How the sending side ends. */
    private enum End {
        /** Its output alone: FIN, or the end of TLS. */
        HALF,
        /** All: FIN, behind the end of TLS if there is one. */
        CLOSE,
        /** FIN without the end of TLS. */
        CUT,
        RESET;

        boolean isOrderly() {
            return this == HALF || this == CLOSE;
        }

        void end(TcpConnection sending) {
            switch (this) {
                case HALF -> sending.shutdownOutput();
                case CLOSE -> sending.close();
                case CUT -> sending.closeChannel();
                case RESET -> sending.reset();
            }
        }
    }

    /** How the other side reads; what it has got, and how that ended, are its words. */
    private enum Reading {
        BYTES("one", "tw") {
            @Override
            void read(TcpConnection from, int length, Runnable taken, List<String> got) {
                StringBuilder all = new StringBuilder();
                byte[] some = new byte[2];
                try {
                    for (int count = from.read(some); count >= 0; count = from.read(some)) {
                        all.append(new String(some, 0, count, UTF_8));
                        if (all.length() == length) {
                            taken.run();
                        }
                    }
                } finally {
                    got.add(all.toString());
                }
            }

            @Override
            List<String> expected(End end, boolean isCut) {
                return List.of(isCut ? "onetw" : "one", end.isOrderly() ? "end" : BROKEN_OFF);
            }
        },

        READ_FULLY("one", "tw") {
            @Override
            void read(TcpConnection from, int length, Runnable taken, List<String> got) {
                while (true) {
                    got.add(new String(from.readFully(3), UTF_8));
                    taken.run();
                }
            }

            @Override
            List<String> expected(End end, boolean isCut) {
                return List.of("one", end.isOrderly() ? "EndOfInputException" : BROKEN_OFF);
            }
        },

        READ_LINE("one\n", "tw") {
            @Override
            void read(TcpConnection from, int length, Runnable taken, List<String> got) {
                for (String line; (line = from.readLine()) != null; ) {
                    got.add(line);
                    taken.run();
                }
            }

            @Override
            List<String> expected(End end, boolean isCut) {
                return expectedLines(end, isCut);
            }
        },

        LINES("one\n", "tw") {
            @Override
            void read(TcpConnection from, int length, Runnable taken, List<String> got) {
                receive(from.messages(Codec.lines(100)), taken, got);
            }

            @Override
            List<String> expected(End end, boolean isCut) {
                return expectedLines(end, isCut);
            }
        },

        LENGTH_PREFIXED("\0\3one", "\0\3tw") {
            @Override
            void read(TcpConnection from, int length, Runnable taken, List<String> got) {
                receive(from.messages(Codec.lengthPrefixed(2, 100)), taken, got);
            }

            @Override
            List<String> expected(End end, boolean isCut) {
                return expectedFrames(end, isCut);
            }
        },

        DELIMITED("one;;", "tw;") {
            @Override
            void read(TcpConnection from, int length, Runnable taken, List<String> got) {
                receive(from.messages(Codec.delimited(new byte[] {';', ';'}, 100)), taken, got);
            }

            @Override
            List<String> expected(End end, boolean isCut) {
                return expectedFrames(end, isCut);
            }
        },

        /** As the body of an HTTP answer without a length. */
        UNTIL_THE_END("one", "tw") {
            @Override
            void read(TcpConnection from, int length, Runnable taken, List<String> got) {
                receive(
                        from.messages(Codec.of(String.class, () -> new UntilTheEnd(length, taken))),
                        () -> {},
                        got);
            }

            @Override
            List<String> expected(End end, boolean isCut) {
                return end.isOrderly()
                        ? List.of(isCut ? "onetw" : "one", "end")
                        : List.of(BROKEN_OFF);
            }
        };

        static final String BROKEN_OFF = "ConnectionResetException";

        boolean hasCodec() {
            return this != BYTES && this != READ_FULLY && this != READ_LINE;
        }

        final String whole;
        final String part;

        Reading(String whole, String part) {
            this.whole = whole;
            this.part = part;
        }

        /**
         * Reads to the end.
         *
         * @param length of all that is sent
         * @param taken run when the sender may end it by a reset
         */
        abstract void read(TcpConnection from, int length, Runnable taken, List<String> got);

        abstract List<String> expected(End end, boolean isCut);

        private static void receive(MessageConnection<?> from, Runnable taken, List<String> got) {
            while (true) {
                Object message = from.receive();
                got.add(message instanceof byte[] bytes ? new String(bytes, UTF_8) : "" + message);
                taken.run();
            }
        }

        private static List<String> expectedLines(End end, boolean isCut) {
            return !end.isOrderly()
                    ? List.of("one", BROKEN_OFF)
                    : isCut ? List.of("one", "tw", "end") : List.of("one", "end");
        }

        private static List<String> expectedFrames(End end, boolean isCut) {
            return List.of("one", !end.isOrderly() ? BROKEN_OFF : isCut ? "CodecException" : "end");
        }

        final List<String> readAll(TcpConnection from, int length, Runnable taken) {
            List<String> got = new ArrayList<>();
            try {
                read(from, length, taken, got);
                got.add("end");
            } catch (ClosedException ended) {
                Throwable why = ended.getCause();
                got.add(why == null ? "end" : why.getClass().getSimpleName());
            } catch (ConnectionException ended) {
                got.add(ended.getClass().getSimpleName());
            }
            return got;
        }
    }

    /** One message, which the end of the input ends. */
    private static final class UntilTheEnd extends ByteToMessageDecoder {
        private final int length;
        private final Runnable taken;

        UntilTheEnd(int length, Runnable taken) {
            this.length = length;
            this.taken = taken;
        }

        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
            if (in.readableBytes() == length) {
                taken.run();
            }
        }

        @Override
        protected void decodeLast(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
            out.add(in.toString(UTF_8));
            in.skipBytes(in.readableBytes());
        }
    }

    // ---------------------------------------------------------------- one cell

    /**
     * One cell.
     *
     * @param isCut whether the end comes within a message
     * @param isLate whether the codec comes after the end
     * @param isServer whether the side that accepted reads
     */
    private record Cell(End end, Reading reading, boolean isCut, boolean isLate, boolean isServer) {

        String sent() {
            return isCut ? reading.whole + reading.part : reading.whole;
        }

        void run(Net net, TcpOptions serving, TcpOptions asking) throws Exception {
            boolean[] isTaken = {false};
            TcpConnection[] reader = {null};
            Net.Side sends =
                    c -> {
                        assertEquals("go", c.readLine()); // all that TLS sends at first is read
                        c.write(sent()).flush();
                        if (end == End.RESET) {
                            net.until(
                                    isLate
                                            ? () -> reader[0].unread() == sent().length()
                                            : () -> isTaken[0]);
                        }
                        if (end == End.CUT) {
                            net.settle(); // what TLS still sends by itself would make it a reset
                        }
                        end.end(c);
                    };
            Net.Side reads =
                    c -> {
                        reader[0] = c;
                        c.write("go\n");
                        if (isLate) {
                            net.settle();
                            net.settle();
                            net.until(c::isInputEnded);
                        }
                        List<String> got =
                                reading.readAll(c, sent().length(), () -> isTaken[0] = true);
                        assertEquals(reading.expected(end, isCut), got, this::toString);
                    };
            if (isServer) {
                net.talk(serving, asking, reads, sends);
            } else {
                net.talk(serving, asking, sends, reads);
            }
        }
    }

    private static List<Cell> cells() {
        List<Cell> all = new ArrayList<>();
        for (Reading reading : Reading.values()) {
            for (End end : End.values()) {
                for (int bits = 0; bits < 8; bits++) {
                    boolean isCut = (bits & 1) != 0;
                    boolean isServer = (bits & 2) != 0;
                    boolean isLate = (bits & 4) != 0;
                    if (!isLate || reading.hasCodec()) {
                        all.add(new Cell(end, reading, isCut, isLate, isServer));
                    }
                }
            }
        }
        return all;
    }

    /** Both sides are alike, and nothing but FIN is an end. */
    private static List<Cell> plainCells() {
        return cells().stream().filter(it -> it.end != End.CUT && it.isServer).toList();
    }

    /** The other kind of stack makes no difference but that the codec is installed elsewhere. */
    private static List<Cell> fewCells() {
        return cells().stream().filter(it -> it.isServer && it.isCut).toList();
    }

    private static void runAll(Net net, List<Cell> cells, TcpOptions serving, TcpOptions asking)
            throws Exception {
        List<String> wrong = new ArrayList<>();
        for (Cell each : cells) {
            try {
                each.run(net, serving, asking);
            } catch (Error | RuntimeException failed) {
                Throwable why = failed.getCause() == null ? failed : failed.getCause();
                wrong.add(each + ": " + why);
            }
        }
        assertEquals(List.of(), wrong);
    }

    private static void runAllOver(Net net, List<Cell> cells, SslProvider engine) throws Exception {
        Tls server = Tls.server(identity.certificates(), identity.key());
        Tls client = Tls.client().withTrust(identity.trust());
        runAll(net, cells, options(server, engine), options(client, engine));
    }

    private static TcpOptions options(Tls tls, SslProvider engine) {
        return TcpOptions.defaults()
                .withTls(tls.withEngine(engine).withHandshakeLimit(Duration.ofMinutes(1)));
    }

    private static void runEverywhere(SslProvider engine) {
        Net.once(net -> runAllOver(net, fewCells(), engine));
        StackKind first = StackKind.LIGHT.isAvailable() ? StackKind.LIGHT : StackKind.PORTABLE;
        Net.onSockets(first, net -> runAllOver(net, cells(), engine));
        if (StackKind.VIRTUAL_THREAD.isAvailable()) {
            Net.onSockets(StackKind.VIRTUAL_THREAD, net -> runAllOver(net, fewCells(), engine));
        }
    }

    // ---------------------------------------------------------------- the transports

    @Test
    void I2_endsInMemory() {
        TcpOptions plain = TcpOptions.defaults();
        Net.inMemory(net -> runAll(net, plainCells(), plain, plain));
    }

    @Test
    void I2_endsOnSockets() {
        TcpOptions plain = TcpOptions.defaults();
        Net.onSockets(net -> runAll(net, plainCells(), plain, plain));
    }

    @Test
    void I2_endsOfTlsByTheJdk() {
        runEverywhere(SslProvider.JDK);
    }

    @Test
    void I2_endsOfTlsByBoringSsl() {
        Assumptions.assumeTrue(OpenSsl.isAvailable(), "no BoringSSL for this system");
        runEverywhere(SslProvider.OPENSSL);
    }

    // ---------------------------------------------------------------- ends of another kind

    /** As after a write that failed: nobody has said that the input was all. */
    @Test
    void I2_channelThatIsClosedBelowEndsNoMessage() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    MessageConnection<String> c =
                                            server.messages(
                                                    Codec.of(
                                                            String.class,
                                                            () -> new UntilTheEnd(3, () -> {}),
                                                            ClosesAtOnce::new));
                                    ClosedException ended =
                                            assertThrows(ClosedException.class, c::receive);
                                    assertInstanceOf(
                                            ConnectionResetException.class, ended.getCause());
                                },
                                client -> {
                                    client.write("one");
                                    net.until(client::isInputEnded); // in order, or by a reset
                                }));
    }

    /** Closes the channel when something has come. */
    private static final class ClosesAtOnce extends ChannelInboundHandlerAdapter {
        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // the channel is gone then
        public void channelReadComplete(ChannelHandlerContext context) {
            context.channel().close();
        }
    }

    /** What came before the end is whole, whatever becomes of the connection. */
    @Test
    void I2_resetBehindTheEndTakesNothingBack() {
        Net.anywhere(
                net ->
                        net.talk(
                                server -> {
                                    net.until(server::isInputEnded);
                                    assertThrows(
                                            ConnectionResetException.class,
                                            () -> {
                                                while (true) {
                                                    server.write("nobody reads this\n").flush();
                                                    net.pause();
                                                }
                                            });
                                    assertEquals("one", server.readLine());
                                    assertEquals("tw", server.readLine());
                                    assertNull(server.readLine());
                                },
                                client -> {
                                    client.write("one\ntw");
                                    client.close();
                                    net.settle();
                                }));
    }

    /** An end while the sides agree is no reason to wait for the limit of that. */
    @Test
    void I2_endInTheMiddleOfTheAgreement() {
        Tls server = Tls.server(identity.certificates(), identity.key());
        for (Tls each :
                List.of(
                        server,
                        server.withHost("a.example", identity.certificates(), identity.key()))) {
            TcpOptions patient =
                    TcpOptions.defaults().withTls(each.withHandshakeLimit(Duration.ofHours(1)));
            Net.anywhere(
                    net ->
                            net.talk(
                                    patient,
                                    TcpOptions.defaults(),
                                    accepted ->
                                            Errors.assertMentions(
                                                    assertThrows(
                                                            ConnectionResetException.class,
                                                            accepted::tlsSession),
                                                    "agree on TLS",
                                                    "ended"),
                                    TcpConnection::shutdownOutput));
        }
        TcpOptions patient =
                TcpOptions.defaults().withTls(Tls.client().withHandshakeLimit(Duration.ofHours(1)));
        Net.anywhere(
                net -> {
                    try (TcpListener listener = net.listen()) {
                        Fiber<?> ends =
                                Fiber.spin(
                                        "server",
                                        () -> {
                                            try (TcpConnection accepted = listener.accept()) {
                                                accepted.shutdownOutput();
                                                while (accepted.read(new byte[1_000]) >= 0) {}
                                            }
                                        });
                        Errors.assertMentions(
                                assertThrows(
                                        ConnectionResetException.class,
                                        () -> net.connect(listener, patient)),
                                "agree on TLS",
                                "ended");
                        ends.await();
                    }
                });
    }
}
