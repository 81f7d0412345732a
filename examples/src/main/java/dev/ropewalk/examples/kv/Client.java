package dev.ropewalk.examples.kv;

import dev.ropewalk.channels.ReceivePort;
import dev.ropewalk.channels.select.Select;
import dev.ropewalk.fibers.io.ClientHandler;
import dev.ropewalk.fibers.io.CodecException;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.MessageConnection;
import dev.ropewalk.fibers.spi.Clause;
import dev.ropewalk.fibers.spi.ClosedException;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One connection: commands in, replies out, in the same order.
 *
 * <p>Commands that are here already are given to the shards together, and answered together, in one
 * turn: a client that sends sixteen at once waits for one of them. Subscribed, it waits in its turn
 * for commands and for what is published in one select, until it is not subscribed any more.
 */
final class Client implements ClientHandler<Object> {
    private static final int MAX_TOGETHER = 64;

    private final Kv kv;
    private final MessageConnection<Object> messages;
    private final Session session;
    private final Map<String, ReceivePort<byte[]>> subscriptions = new LinkedHashMap<>();

    private boolean hasQuit;

    Client(Kv kv, MessageConnection<Object> messages) {
        this.kv = kv;
        this.messages = messages;
        this.session = new Session(kv.nextClientId());
        kv.clientCame();
    }

    @Override
    public void handle(Object command) {
        try {
            serve((Words) command);
            while (!hasQuit && !subscriptions.isEmpty()) {
                serveSubscribed();
            }
        } catch (ClosedException end) {
            if (end.getCause() != null) {
                throw end;
            }
            hasQuit = true;
        }
        if (hasQuit) {
            messages.close();
        }
    }

    @Override
    public void end(@Nullable Throwable why) {
        kv.clientLeft();
        subscriptions.forEach(kv.topics()::leave);
        if (why instanceof ClosedException end
                && end.getCause() instanceof CodecException malformed) {
            tellMalformed(malformed);
        }
        if (why instanceof ClosedException || why instanceof ConnectionException) {
            messages.close(); // what was answered before is sent
        }
    }

    private void write(Reply reply) {
        messages.write(List.of(reply));
    }

    private void tellMalformed(CodecException malformed) {
        Throwable why = malformed.getCause();
        while (why != null && why.getCause() != null) {
            why = why.getCause();
        }
        String text = why == null ? "" : String.valueOf(why.getMessage());
        write(new Reply.Failure("ERR Protocol error: " + text));
    }

    // ---------------------------------------------------------------- commands

    private void serve(Words first) {
        Turn turn = new Turn(kv.shards());
        Words next = first;
        while (next != null) {
            if (isSubscription(next)) {
                answer(turn);
                change(next);
                return;
            }
            if (isHttp(next)) {
                answer(turn);
                refuseHttp();
                return;
            }
            begin(next, turn);
            next = hasQuit || turn.size() >= MAX_TOGETHER ? null : nextNow();
        }
        answer(turn);
    }

    private static boolean isSubscription(Words command) {
        return command.name().equals("SUBSCRIBE") || command.name().equals("UNSUBSCRIBE");
    }

    /** A web page can make a browser send that, and whatever follows it, to any port. */
    private static boolean isHttp(Words command) {
        return command.name().equals("POST") || command.name().equals("HOST:");
    }

    /** Carries out nothing of what follows. */
    private void refuseHttp() {
        kv.tellOfHttp(messages.connection());
        hasQuit = true;
    }

    /** Null if there is none, or never will be: the next receive tells that. */
    private @Nullable Words nextNow() {
        try {
            return (Words) messages.tryReceive();
        } catch (ClosedException end) {
            return null;
        }
    }

    private void answer(Turn turn) {
        messages.write(turn.await());
    }

    private void begin(Words command, Turn turn) {
        try {
            turn.reply(execute(command, turn));
        } catch (CommandException bad) {
            turn.reply(() -> Reply.failure(bad));
        }
    }

    private Supplier<Reply> execute(Words command, Turn turn) throws CommandException {
        return switch (command.name()) {
            case "PING" -> {
                checkMax(command, 2);
                yield done(
                        command.count() > 1
                                ? new Reply.Bytes(command.word(1))
                                : new Reply.Line("PONG"));
            }
            case "ECHO" -> {
                check(command, 2);
                yield done(new Reply.Bytes(command.word(1)));
            }
            case "QUIT" -> {
                hasQuit = true;
                yield done(Reply.OK);
            }
            case "SELECT" -> done(select(command));
            case "HELLO" -> done(session.hello(command));
            case "CLIENT" -> done(session.client(command));
            case "CONFIG" -> done(new Reply.Pairs(List.of()));
            case "COMMAND" -> done(new Reply.Many(List.of()));
            case "INFO" -> kv::info;
            case "PUBLISH" -> {
                check(command, 3);
                yield () -> new Reply.Whole(kv.topics().publish(command.text(1), command.word(2)));
            }
            case "DBSIZE" -> {
                check(command, 1);
                yield all(command, turn, Client::sum);
            }
            case "FLUSHALL", "FLUSHDB" -> {
                if (command.count() > 2
                        || (command.count() == 2
                                && !command.is(1, "SYNC")
                                && !command.is(1, "ASYNC"))) {
                    throw CommandException.syntax();
                }
                yield all(Words.of("FLUSHALL"), turn, Client::firstFailure);
            }
            case "DEL", "UNLINK", "EXISTS" -> split(command, 1, turn, Client::sum);
            case "MSET" -> split(command, 2, turn, Client::firstFailure);
            case "MGET" -> mget(command, turn);
            case "SCAN" -> scan(command, turn);
            case "DEBUG" -> {
                check(command, 3);
                yield turn.ask(kv.shardOf(command.text(2)), command);
            }
            default -> {
                if (command.count() < 2) {
                    throw Commands.isKnown(command)
                            ? CommandException.wrongCount(command.name())
                            : CommandException.unknown(command);
                }
                yield turn.ask(kv.shardOf(command.text(1)), command);
            }
        };
    }

    private static void check(Words command, int words) throws CommandException {
        if (command.count() != words) {
            throw CommandException.wrongCount(command.name());
        }
    }

    private static void checkMax(Words command, int words) throws CommandException {
        if (command.count() > words) {
            throw CommandException.wrongCount(command.name());
        }
    }

    private static Supplier<Reply> done(Reply reply) {
        return () -> reply;
    }

    private static Reply select(Words command) throws CommandException {
        check(command, 2);
        long database = command.number(1);
        if (database != (int) database) {
            throw new CommandException(
                    "ERR value is out of range, value must between "
                            + Integer.MIN_VALUE
                            + " and "
                            + Integer.MAX_VALUE);
        }
        return database == 0 ? Reply.OK : new Reply.Failure("ERR DB index is out of range");
    }

    // ---------------------------------------------------------------- over several shards

    private Supplier<Reply> all(Words command, Turn turn, Function<List<Reply>, Reply> join) {
        List<Supplier<Reply>> parts = new ArrayList<>();
        for (int i = 0; i < kv.shards().size(); i++) {
            parts.add(turn.ask(i, command));
        }
        return () -> join.apply(parts.stream().map(Supplier::get).toList());
    }

    private static Reply sum(List<Reply> parts) {
        long sum = 0;
        for (Reply each : parts) {
            if (!(each instanceof Reply.Whole number)) {
                return each; // a failure
            }
            sum += number.value();
        }
        return new Reply.Whole(sum);
    }

    private static Reply firstFailure(List<Reply> parts) {
        for (Reply each : parts) {
            if (each instanceof Reply.Failure) {
                return each;
            }
        }
        return parts.getFirst();
    }

    /** Each shard gets the keys that it has; all at once only where that is one shard. */
    private Supplier<Reply> split(
            Words command, int wordsPerKey, Turn turn, Function<List<Reply>, Reply> join)
            throws CommandException {
        if (command.count() < 1 + wordsPerKey || (command.count() - 1) % wordsPerKey != 0) {
            throw CommandException.wrongCount(command.name());
        }
        Map<Integer, List<byte[]>> byShard = new LinkedHashMap<>();
        for (int i = 1; i < command.count(); i += wordsPerKey) {
            byShard.computeIfAbsent(
                            kv.shardOf(command.text(i)),
                            _ -> new ArrayList<>(List.of(command.word(0))))
                    .addAll(command.all().subList(i, i + wordsPerKey));
        }
        List<Supplier<Reply>> parts = new ArrayList<>();
        byShard.forEach((shard, words) -> parts.add(turn.ask(shard, new Words(words))));
        return () -> join.apply(parts.stream().map(Supplier::get).toList());
    }

    private Supplier<Reply> mget(Words command, Turn turn) throws CommandException {
        if (command.count() < 2) {
            throw CommandException.wrongCount(command.name());
        }
        List<Supplier<Reply>> parts = new ArrayList<>();
        for (int i = 1; i < command.count(); i++) {
            parts.add(
                    turn.ask(
                            kv.shardOf(command.text(i)),
                            new Words(List.of(command.word(0), command.word(i)))));
        }
        return () -> {
            List<Reply> values = new ArrayList<>();
            for (Supplier<Reply> each : parts) {
                Reply reply = each.get();
                values.add(reply instanceof Reply.Many one ? one.parts().getFirst() : reply);
            }
            return values.stream().anyMatch(Reply.Failure.class::isInstance)
                    ? firstFailure(values)
                    : new Reply.Many(values);
        };
    }

    /** The client's cursor is the shard's, times the number of shards, plus which it is. */
    private Supplier<Reply> scan(Words command, Turn turn) throws CommandException {
        if (command.count() < 2) {
            throw CommandException.wrongCount(command.name());
        }
        int shards = kv.shards().size();
        long cursor = cursor(command);
        int shard = (int) (cursor % shards);
        List<byte[]> words = new ArrayList<>(command.all());
        words.set(1, Reply.bytes(Long.toString(cursor / shards)));
        Supplier<Reply> part = turn.ask(shard, new Words(words));
        return () -> part.get() instanceof Reply.Many two ? next(two, shard, shards) : part.get();
    }

    private static long cursor(Words command) throws CommandException {
        try {
            long cursor = command.number(1);
            if (cursor >= 0) {
                return cursor;
            }
        } catch (CommandException e) {
            // told below
        }
        throw new CommandException("ERR invalid cursor");
    }

    private static Reply next(Reply.Many two, int shard, int shards) {
        long next = ((Reply.Whole) two.parts().getFirst()).value();
        boolean isLast = shard + 1 == shards;
        long cursor = next == 0 ? (isLast ? 0 : shard + 1) : next * shards + shard;
        return new Reply.Many(List.of(Reply.text(Long.toString(cursor)), two.parts().get(1)));
    }

    // ---------------------------------------------------------------- subscribed

    private void serveSubscribed() {
        List<Clause<Runnable>> clauses = new ArrayList<>();
        clauses.add(
                messages.<Runnable>onReceive(command -> () -> carryOutSubscribed((Words) command)));
        subscriptions.forEach(
                (name, port) ->
                        clauses.add(
                                port.<Runnable>onReceive(message -> () -> push(name, message))));
        Select.of(clauses).await().run();
    }

    private void carryOutSubscribed(Words command) {
        if (isHttp(command)) {
            refuseHttp();
        } else if (session.isResp3() && !isSubscription(command)) {
            Turn turn = new Turn(kv.shards());
            begin(command, turn);
            answer(turn);
        } else {
            change(command);
        }
    }

    private void push(String name, byte[] message) {
        write(
                new Reply.Push(
                        List.of(
                                Reply.text("message"),
                                Reply.text(name),
                                new Reply.Bytes(message))));
    }

    private void change(Words command) {
        switch (command.name()) {
            case "SUBSCRIBE" -> {
                for (int i = 1; i < command.count(); i++) {
                    String name = command.text(i);
                    if (!subscriptions.containsKey(name)) {
                        subscriptions.put(name, kv.topics().subscribe(name));
                    }
                    confirm("subscribe", Reply.text(name));
                }
                if (command.count() < 2) {
                    fail(CommandException.wrongCount("subscribe"));
                }
            }
            case "UNSUBSCRIBE" -> unsubscribe(command);
            case "PING" -> {
                if (command.count() > 2) {
                    fail(CommandException.wrongCount("ping"));
                } else {
                    String text = command.count() == 2 ? command.text(1) : "";
                    write(new Reply.Many(List.of(Reply.text("pong"), Reply.text(text))));
                }
            }
            case "QUIT" -> {
                write(Reply.OK);
                hasQuit = true;
            }
            default ->
                    fail(
                            new CommandException(
                                    "ERR Can't execute '"
                                            + command.text(0)
                                            + "': only (UN)SUBSCRIBE / PING / QUIT are allowed in"
                                            + " this context"));
        }
    }

    private void unsubscribe(Words command) {
        List<String> names = new ArrayList<>(subscriptions.keySet());
        if (command.count() > 1) {
            names.clear();
            for (int i = 1; i < command.count(); i++) {
                names.add(command.text(i));
            }
        } else if (names.isEmpty()) {
            confirm("unsubscribe", Reply.NONE);
        }
        for (String name : names) {
            ReceivePort<byte[]> port = subscriptions.remove(name);
            if (port != null) {
                pushRest(name, port);
                kv.topics().leave(name, port);
            }
            confirm("unsubscribe", Reply.text(name));
        }
    }

    /** What was published before it leaves, and counted as heard. */
    private void pushRest(String name, ReceivePort<byte[]> port) {
        byte[] next = port.tryReceive();
        for (int i = 0; next != null && i < Topics.MAX_BEHIND; i++) {
            push(name, next);
            next = port.tryReceive();
        }
    }

    private void confirm(String what, Reply name) {
        write(
                new Reply.Push(
                        List.of(Reply.text(what), name, new Reply.Whole(subscriptions.size()))));
    }

    private void fail(CommandException bad) {
        write(Reply.failure(bad));
    }
}
