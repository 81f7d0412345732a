package dev.ropewalk.fibers.io;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.FiberAbandonedException;
import dev.ropewalk.fibers.FiberState;
import dev.ropewalk.fibers.FiberTerminatedException;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.io.internal.Placement;
import dev.ropewalk.fibers.io.testing.MemoryNetwork;
import dev.ropewalk.fibers.spi.ClosedException;
import dev.ropewalk.fibers.spi.Waits;
import dev.ropewalk.fibers.testing.TestCords;
import dev.ropewalk.fibers.testing.VirtualCords;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.MessageToMessageDecoder;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Random clients of a listener that serves messages by turns, which end in every way, at any moment
 * (rules F3 and I2): each message is handled once, in order and without a gap; all of them if the
 * client has ended in order; the end is told once, with its reason; and nothing is left behind, of
 * buffers, of places and of limits.
 */
class MessageTurnsGameTest {
    private static final int SEEDS = 300;
    private static final int MANY_SEEDS = 20_000;
    private static final int MAX_LINE = 60;
    private static final int MS = 1_000_000;
    private static final Duration LONG = Net.LONG;

    /** What the runs have met; each kind is to be met by some. */
    private enum Met {
        ALL,
        CLOSED_HERE,
        RESET,
        UNDECODABLE,
        SILENT,
        FAILED,
        TERMINATED,
        ABANDONED,
        UNOPENED,
        SHARED
    }

    /** A fault of a handler; without a stack, because each is logged. */
    private static final class Bug extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Bug() {
            super("by the game", null, false, false);
        }
    }

    @Test
    @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
    void I2_someSeeds() {
        runs(SEEDS);
    }

    @Tag("stress")
    @Test
    @Timeout(value = 1_200, threadMode = ThreadMode.SEPARATE_THREAD)
    void I2_manySeeds() {
        runs(MANY_SEEDS);
    }

    private static void runs(int count) {
        Map<Met, Integer> met = new EnumMap<>(Met.class);
        long[] seeds = TestCords.seedsOr(IntStream.range(0, count).asLongStream().toArray());
        for (long seed : seeds) {
            run(seed, met);
        }
        if (seeds.length == count) {
            assertEquals(Set.of(Met.values()), met.keySet(), "some end never came: " + met);
        }
    }

    private static void run(long seed, Map<Met, Integer> met) {
        Game game = new Game(seed, met);
        CordOptions options =
                CordOptions.named("game")
                        .withClock(new CordOptions.VirtualClock(seed, seed % 2 == 0))
                        .withUncaught((_, failure) -> game.uncaught.add(failure));
        try {
            VirtualCords.<@Nullable Object>run(
                    options,
                    seed % 3 == 0 ? 3 : 1,
                    cords -> {
                        Logs.during(game.logged::add, () -> game.play(cords));
                        return null;
                    });
            game.checkTold();
        } catch (Throwable failure) {
            throw new AssertionError("seed=" + seed + ": " + failure, failure);
        }
    }

    /** What a client has done, and has seen. */
    private static final class Link {
        /** Counted before it is written. */
        int written;

        /** All that is written was sent, and the end behind it. */
        boolean isWhole;

        boolean isReset;
        boolean isUndecodable;

        /** The end came, in order. */
        boolean sawEnd;

        boolean sawReset;
    }

    /** Makes a message of its own of each line, so that a release too few or too many is seen. */
    private static final class Copies extends MessageToMessageDecoder<ByteBuf> {
        private final List<ByteBuf> made;

        Copies(List<ByteBuf> made) {
            super(ByteBuf.class);
            this.made = made;
        }

        @Override
        protected void decode(ChannelHandlerContext context, ByteBuf line, List<Object> out) {
            ByteBuf copy = Unpooled.copiedBuffer(line);
            made.add(copy);
            out.add(copy);
        }
    }

    /** One run. */
    private static final class Game {
        private final SplittableRandom random;
        private final Map<Met, Integer> met;

        /** How long a client may be silent. */
        private final Duration limit;

        private final List<ByteBuf> made = new ArrayList<>();
        private final Map<SocketAddress, Link> links = new HashMap<>();
        private final List<Served> all = new ArrayList<>();
        private final Set<Fiber<?>> terminated = new HashSet<>();
        private final Set<Fiber<?>> abandoned = new HashSet<>();
        private final List<Logs.Line> logged = new ArrayList<>();
        private final List<Throwable> uncaught = new ArrayList<>();

        /** A failure in a turn ends only its connection, so it is kept. */
        private final List<String> wrong = new ArrayList<>();

        private boolean isServerTerminated;

        Game(long seed, Map<Met, Integer> met) {
            random = new SplittableRandom(seed);
            this.met = met;
            limit = random.nextBoolean() ? LONG : Duration.ofNanos(MS + random.nextInt(10 * MS));
        }

        void play(List<Cord> all) {
            MemoryNetwork.current()
                    .maxPiece(1 + random.nextInt(40))
                    .window(1 + random.nextInt(300))
                    .delay(Duration.ZERO, Duration.ofNanos(random.nextInt(2 * MS)));
            TcpOptions options =
                    TcpOptions.defaults()
                            .withReadLimit(limit)
                            .withMaxMessages(1 + random.nextInt(6))
                            .withHighWaterMark(1 + random.nextInt(100));
            if (all.size() == 1) {
                serve(all, options);
            } else {
                List<Cord> cords = random.nextBoolean() ? all : all.subList(1, all.size());
                serve(cords, options.withCords(cords));
            }
        }

        private void serve(List<Cord> cords, TcpOptions options) {
            Placement placement = new Placement(cords);
            try (TcpListener listener = TcpListener.bind("127.0.0.1", 0, options)) {
                Codec<ByteBuf> codec =
                        Codec.of(
                                ByteBuf.class,
                                () -> new LineBasedFrameDecoder(MAX_LINE),
                                () -> new Copies(made));
                Serving serving =
                        Serving.ofMessages(
                                listener,
                                placement,
                                "client",
                                connection -> connection.messages(codec),
                                this::open);
                Fiber<?> server = Fiber.spin("server", serving::run);
                List<Fiber<?>> others = new ArrayList<>();
                int clients = 1 + random.nextInt(5);
                for (int i = 0; i < clients; i++) {
                    SplittableRandom own = random.split();
                    others.add(Fiber.spin("asking", () -> client(listener, own)));
                }
                SplittableRandom own = random.split();
                others.add(
                        Fiber.spin("disturber", () -> disturb(listener, placement, server, own)));
                others.forEach(Fiber::await);
                assertTrue(listener.drain(LONG), () -> "open=" + listener.open());
                assertEquals(0, listener.open());
                assertTrue(server.awaitEnd(LONG), "the server has not ended");
            }
            assertEquals(List.of(), wrong);
            for (ByteBuf each : made) {
                assertEquals(0, each.refCnt(), "a buffer was not released");
            }
            all.forEach(Served::check);
            checkPlaces(cords, placement);
        }

        private void checkPlaces(List<Cord> cords, Placement placement) {
            Set<Placement.Place> places = new HashSet<>();
            for (int i = 0; i < cords.size(); i++) {
                places.add(Objects.requireNonNull(placement.take()));
            }
            if (!isServerTerminated) { // it does not count then
                assertEquals(cords.size(), places.size(), "a client is counted that has left");
            }
            for (Placement.Place place : places) {
                place.cord.spin("watched", () -> assertEquals(0, watched(place))).await();
            }
        }

        private int watched(Placement.Place place) {
            return place.silence(Waits.nanos(limit)).count();
        }

        /** A client is never the reason of an error in the log. */
        private void checkTold() {
            boolean isCancelled = all.stream().anyMatch(each -> each.isCancelled);
            for (Logs.Line each : logged) {
                Throwable root = root(Objects.requireNonNull(each.failure(), each.message()));
                boolean isDue =
                        root instanceof Bug
                                || root instanceof FiberAbandonedException
                                || root
                                        instanceof
                                        ClosedChannelException // written behind its close
                                || (isCancelled && root instanceof ClosedException);
                assertTrue(isDue, each::toString);
            }
            int lost = 0;
            for (Throwable each : uncaught) {
                if (each instanceof FiberAbandonedException) {
                    lost++;
                } else {
                    throw new AssertionError("nobody took the failure of a client", each);
                }
            }
            assertEquals(abandoned.size(), lost, () -> "abandoned: " + uncaught);
        }

        private static Throwable root(Throwable failure) {
            Throwable root = failure;
            for (Throwable each = failure; each != null; each = each.getCause()) {
                root = each;
            }
            return root;
        }

        void met(Met what) {
            met.merge(what, 1, Integer::sum);
        }

        void require(boolean holds, String what) {
            if (!holds) {
                wrong.add(what);
            }
        }

        private static void sleep(SplittableRandom own, int maxNs) {
            Fiber.sleep(Duration.ofNanos(own.nextInt(maxNs)));
        }

        // ------------------------------------------------------------ clients

        private void client(TcpListener listener, SplittableRandom own) {
            sleep(own, 3 * MS);
            TcpOptions asking = TcpOptions.defaults().withReadLimit(LONG).withCloseLimit(LONG);
            Link link = new Link();
            TcpConnection connection;
            try {
                connection = TcpConnection.connect(listener.localAddress(), asking);
            } catch (ConnectionException isClosed) {
                return;
            }
            try (connection) {
                links.put(Objects.requireNonNull(connection.localAddress()), link);
                Fiber<?> reader = Fiber.spin("reader", () -> readAll(connection, link));
                try {
                    talk(connection, link, own);
                } catch (ConnectionException broken) {
                    link.isWhole = false; // the reader is told too
                }
                reader.await();
            }
        }

        private void talk(TcpConnection to, Link link, SplittableRandom own) {
            int steps = own.nextInt(8);
            for (int i = 0; i < steps; i++) {
                switch (own.nextInt(8)) {
                    case 0 -> sleep(own, 5 * MS);
                    case 1 -> Fiber.sleep(limit.compareTo(LONG) < 0 ? limit : Duration.ZERO);
                    case 2 -> to.flush();
                    default -> writeSome(to, link, own);
                }
            }
            switch (own.nextInt(9)) {
                case 0, 1 -> {
                    link.isReset = true;
                    SocketAddress local = Objects.requireNonNull(to.localAddress());
                    to.reset();
                    if (own.nextBoolean()) {
                        sleep(own, 3 * MS);
                        for (Served each : List.copyOf(all)) {
                            if (local.equals(each.remote)) {
                                on(each.fiber, () -> abandon(each.fiber));
                            }
                        }
                    }
                }
                case 2 -> {
                    link.isWhole = true;
                    to.close();
                }
                case 3 -> {
                    link.isUndecodable = true;
                    to.write("x".repeat(MAX_LINE + 1) + "\n");
                    writeSome(to, link, own);
                }
                default -> {
                    if (limit.equals(LONG) || own.nextInt(3) > 0) {
                        link.isWhole = true;
                        to.shutdownOutput();
                    } // otherwise silence ends it
                }
            }
            if (link.isUndecodable) {
                to.shutdownOutput();
            }
        }

        /** Lines, in pieces. */
        private static void writeSome(TcpConnection to, Link link, SplittableRandom own) {
            StringBuilder text = new StringBuilder();
            int lines = 1 + own.nextInt(10);
            int before = link.written;
            for (int i = 0; i < lines; i++) {
                text.append(before + i).append(':').repeat("x", own.nextInt(20)).append('\n');
            }
            link.written += lines;
            int cut = own.nextInt(text.length());
            to.write(text.substring(0, cut));
            if (own.nextBoolean()) {
                sleep(own, 2 * MS);
            }
            to.write(text.substring(cut));
        }

        private static void readAll(TcpConnection from, Link link) {
            byte[] some = new byte[50];
            try {
                int count = 0;
                while (count >= 0) {
                    count = from.read(some);
                }
                link.sawEnd = true;
            } catch (ConnectionResetException reset) {
                link.sawReset = true;
            } catch (ConnectionClosedException byItself) {
                // by the writer
            }
        }

        // ------------------------------------------------------------ others

        private void disturb(
                TcpListener listener, Placement placement, Fiber<?> server, SplittableRandom own) {
            int acts = own.nextInt(6);
            for (int i = 0; i < acts; i++) {
                sleep(own, 6 * MS);
                List<Fiber<?>> fibers =
                        own.nextInt(3) > 0 ? server.children() : awaitUnopened(server);
                if (!fibers.isEmpty()) {
                    Fiber<?> fiber = fibers.get(own.nextInt(fibers.size()));
                    SplittableRandom its = own.split();
                    on(fiber, () -> act(fiber, its));
                }
                Placement.Place place = Objects.requireNonNull(placement.take());
                place.left();
                place.cord.spin("watched", () -> watched(place)).await(); // checks the ring
            }
            switch (own.nextInt(12)) {
                case 0 -> listener.close();
                case 1 -> {
                    isServerTerminated = true;
                    server.terminate();
                    listener.close();
                }
                default -> {}
            }
        }

        /** Those that have not had their first turn; after a while, if need be. */
        private List<Fiber<?>> awaitUnopened(Fiber<?> server) {
            List<Fiber<?>> found = List.of();
            for (int i = 0; found.isEmpty() && i < 200; i++) {
                Fiber.sleep(Duration.ofNanos(MS / 50));
                found = server.children().stream().filter(this::isUnopened).toList();
            }
            return found;
        }

        private boolean isUnopened(Fiber<?> fiber) {
            return served(fiber) == null;
        }

        /** On its cord, and to its end. */
        private static void on(Fiber<?> fiber, Runnable act) {
            fiber.cord().spin("act", act::run).await();
        }

        private void act(Fiber<?> fiber, SplittableRandom own) {
            Served served = served(fiber);
            switch (own.nextInt(8)) {
                case 0 -> {
                    terminated.add(fiber);
                    fiber.terminate();
                }
                case 1 -> abandon(fiber);
                case 2, 3, 4 -> {
                    if (served != null) {
                        share(served, own);
                    }
                }
                default -> {
                    if (served != null) {
                        served.close(own);
                    }
                }
            }
        }

        private @Nullable Served served(Fiber<?> fiber) {
            return all.stream().filter(each -> each.fiber == fiber).findAny().orElse(null);
        }

        private void abandon(Fiber<?> fiber) {
            if (fiber.state() != FiberState.DEAD) {
                abandoned.add(fiber);
                Waits.abandon(fiber, "the game wants it");
            }
        }

        /** Another fiber receives too, and is ended perhaps when it has got a message. */
        private static void share(Served served, SplittableRandom own) {
            served.isShared = true;
            Fiber<?> receiver =
                    Fiber.spin("receiver", () -> served.receiveSome(1 + own.nextInt(5), own));
            if (own.nextBoolean()) {
                receiver.awaitEnd(LONG);
                return;
            }
            sleep(own, 5 * MS);
            boolean isOver = served.ends > 0;
            receiver.terminate();
            receiver.awaitEnd(LONG);
            served.isLossy |= isOver || served.ends > 0; // its message has come too late
        }

        // ------------------------------------------------------------ the server

        private ClientHandler<ByteBuf> open(MessageConnection<ByteBuf> connection) {
            Served served = new Served(this, connection, random.split());
            all.add(served);
            return served.opened();
        }
    }

    /** A connection, and its handler. */
    private static final class Served implements ClientHandler<ByteBuf> {
        private final Game game;
        private final MessageConnection<ByteBuf> connection;
        private final SplittableRandom own;
        final Fiber<?> fiber = Fiber.current();
        final SocketAddress remote;

        /** In the order in which they were taken. */
        private final List<Integer> taken = new ArrayList<>();

        /** What it has written. */
        final List<ByteBuf> lines = new ArrayList<>();

        int ends;
        boolean isShared;

        /** A message may have been given back when all was over. */
        boolean isLossy;

        boolean isCancelled;
        private boolean isMade;
        private boolean isInTurn;
        private boolean isClosedHere;
        private boolean isEndFailed;
        private @Nullable Throwable why;

        /** Of the last turn. */
        private @Nullable Throwable thrown;

        private long quietSinceNs;

        Served(Game game, MessageConnection<ByteBuf> connection, SplittableRandom own) {
            this.game = game;
            this.connection = connection;
            this.own = own;
            this.remote = Objects.requireNonNull(connection.connection().remoteAddress());
        }

        /** The first turn. */
        ClientHandler<ByteBuf> opened() {
            switch (own.nextInt(10)) {
                case 0 -> Game.sleep(own, 3 * MS);
                case 1 -> receiveSome(2, own);
                case 2 -> {
                    if (own.nextInt(3) == 0) {
                        throw new Bug();
                    }
                }
                default -> {}
            }
            isMade = true;
            quietSinceNs = Cord.current().nanoTime();
            return this;
        }

        @Override
        public void handle(ByteBuf message) throws Exception {
            game.require(!isInTurn, "a turn within a turn");
            game.require(ends == 0, "a message behind the end");
            game.require(Fiber.current() == fiber, "another fiber");
            boolean isSilent = quietNs() > game.limit.toNanos();
            game.require(isShared || !isSilent, "it was silent for too long");
            isInTurn = true;
            take(message);
            try {
                turn();
            } catch (Throwable failure) {
                thrown = failure;
                throw failure;
            } finally {
                isInTurn = false;
                quietSinceNs = Cord.current().nanoTime();
            }
        }

        private long quietNs() {
            return Cord.current().nanoTime() - quietSinceNs;
        }

        private void turn() {
            switch (own.nextInt(16)) {
                case 0 -> Fiber.snooze();
                case 1, 2 -> Game.sleep(own, 5 * MS);
                case 3, 4 -> receiveSome(1 + own.nextInt(4), own);
                case 5, 6 -> connection.write(line(own.nextInt(40)));
                case 7 -> {
                    if (own.nextInt(3) == 0) {
                        throw new Bug();
                    }
                }
                case 8 -> {
                    if (own.nextInt(3) == 0) {
                        close(own);
                    }
                }
                default -> {}
            }
        }

        private ByteBuf line(int length) {
            ByteBuf line = Unpooled.copiedBuffer("y".repeat(length) + "\n", US_ASCII);
            game.made.add(line);
            lines.add(line);
            return line;
        }

        /** By itself, or by another fiber. */
        void receiveSome(int most, SplittableRandom by) {
            try {
                for (int i = 0; i < most; i++) {
                    ByteBuf message =
                            by.nextBoolean()
                                    ? connection.tryReceive()
                                    : connection.receive(Duration.ofNanos(by.nextInt(3 * MS)));
                    if (message != null) {
                        take(message);
                    }
                }
            } catch (ClosedException over) {
                // the turn goes on
            }
        }

        private void take(ByteBuf message) {
            String line = message.toString(US_ASCII);
            message.release();
            taken.add(Integer.parseInt(line.substring(0, line.indexOf(':'))));
        }

        /** In one of the forms of this side. */
        void close(SplittableRandom by) {
            isClosedHere = true;
            switch (by.nextInt(4)) {
                case 0 -> connection.connection().reset();
                case 1 -> {
                    isCancelled = true;
                    connection.cancel();
                }
                default -> connection.close();
            }
        }

        @Override
        public void end(@Nullable Throwable told) {
            ends++;
            why = told;
            game.require(!isInTurn, "the end within a turn");
            game.require(Fiber.current() == fiber, "the end by another fiber");
            if (told instanceof ConnectionTimeoutException && told != thrown) {
                game.met(Met.SILENT);
                game.require(quietNs() >= game.limit.toNanos(), "it was not silent");
            }
            switch (own.nextInt(10)) {
                case 0 -> Game.sleep(own, 5 * MS);
                case 1 -> receiveSome(5, own);
                case 2 -> {
                    isClosedHere |= connection.connection().isOpen();
                    connection.close();
                }
                case 3 -> {
                    isEndFailed = true;
                    throw new Bug();
                }
                case 4 -> bye();
                default -> {}
            }
        }

        /** Nobody may be there to read that. */
        private void bye() {
            isEndFailed = true;
            connection.write(line(3));
            isEndFailed = false;
        }

        // ------------------------------------------------------------ when all is over

        void check() {
            Link link = Objects.requireNonNull(game.links.get(remote));
            boolean isAbandoned = game.abandoned.contains(fiber);
            assertEquals(0, connection.in.unread(), "messages are kept");
            assertTrue(connection.connection().cord().isAlive());
            assertEquals(FiberState.DEAD, fiber.state());
            if (!isMade) {
                game.met(Met.UNOPENED);
                assertEquals(0, ends, "the end of a handler that was not made");
            } else if (isAbandoned) {
                assertTrue(ends <= 1, "ends=" + ends);
            } else {
                assertEquals(1, ends, "the end is told once");
                checkWhy(link);
            }
            checkTaken(link);
            checkClient(link, isAbandoned);
        }

        private void checkWhy(Link link) {
            Throwable told = why;
            if (told == null) {
                assertTrue(isClosedHere || link.isWhole, "nobody has ended it");
                game.met(isClosedHere ? Met.CLOSED_HERE : Met.ALL);
            } else if (told == thrown) {
                game.met(Met.FAILED);
                boolean isKnown = told instanceof Bug || told instanceof ConnectionException;
                assertTrue(isKnown || told instanceof FiberTerminatedException, told::toString);
            } else if (told instanceof FiberTerminatedException) {
                game.met(Met.TERMINATED);
                assertTrue(game.isServerTerminated || game.terminated.contains(fiber));
            } else if (!(told instanceof ConnectionTimeoutException)) {
                assertEquals(ClosedException.class, told.getClass());
                boolean isCodec = told.getCause() instanceof CodecException;
                game.met(isCodec ? Met.UNDECODABLE : Met.RESET);
                assertTrue(isCodec ? link.isUndecodable : link.isReset, told::toString);
            }
        }

        private void checkTaken(Link link) {
            List<Integer> written = IntStream.range(0, link.written).boxed().toList();
            if (isShared) {
                game.met(Met.SHARED);
                Set<Integer> distinct = new HashSet<>(taken);
                assertEquals(taken.size(), distinct.size(), () -> "one was taken twice: " + taken);
                assertTrue(written.containsAll(distinct), () -> "taken=" + taken);
            } else {
                assertEquals(written.subList(0, taken.size()), taken);
            }
            if (ends == 1 && why == null && !isClosedHere && !isLossy) {
                assertEquals(written.size(), taken.size(), () -> "not all of them: " + taken);
            }
        }

        private void checkClient(Link link, boolean isAbandoned) {
            boolean isInOrder = isMade && ends == 1 && why == null && !isEndFailed;
            if (isAbandoned) {
                game.met(Met.ABANDONED);
            }
            if (link.sawEnd) {
                assertTrue(isClosedHere || isInOrder, "the client took that for all");
            }
            if (link.sawReset) {
                assertTrue(isClosedHere || isAbandoned || !isInOrder, "a reset without a reason");
            }
        }
    }
}
