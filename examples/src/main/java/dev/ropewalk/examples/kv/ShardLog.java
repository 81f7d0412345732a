package dev.ropewalk.examples.kv;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.blocking.Blocking;
import dev.ropewalk.fibers.supervision.BackOff;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The actor of a shard's log: each command that changed something, appended to a {@link LogFile}.
 *
 * <p>What comes while it writes goes into the next write: with {@link Fsync#ALWAYS} a thousand
 * clients share a sync, and each is answered after the one that has its command. If a write fails,
 * those that wait for it are told, and the actor fails: its shard, which is ahead of it by then,
 * fails with it, and both begin with what the file has. What that shard still sends is of a life
 * that is over, and refused.
 */
final class ShardLog implements Behavior<ShardLog.Message> {
    /** When what was written is made safe from a loss of power. */
    enum Fsync {
        ALWAYS,
        EVERYSEC,
        NO
    }

    /** What it is told. */
    sealed interface Message {
        /** Read on, from 0 or from where the page before ended. */
        record Read(long from, Recipient<Page> replyTo) implements Message {}

        /** Append these, and answer when they are as safe as was asked for. */
        record Append(int life, List<Words> commands, @Nullable Answer answer) implements Message {}

        /** Put these in place of all that is there. */
        record Replace(int life, List<Words> commands) implements Message {}

        /** Make all safe. */
        record Save(Recipient<Boolean> replyTo) implements Message {}

        /** All that was there when it told itself this can be written together. */
        record Write() implements Message {}

        /** A second has passed. */
        record Tick() implements Message {}
    }

    /** Replies that wait for a write. */
    record Answer(List<Reply> replies, Recipient<List<Reply>> to) {
        void send() {
            to.tell(replies);
        }

        void refuse(String why) {
            Reply refusal = new Reply.Failure("MISCONF the log cannot be written: " + why);
            to.tell(replies.stream().map(_ -> refusal).toList());
        }
    }

    /**
     * A part of the log.
     *
     * @param life to be told with each append
     * @param next where the next page begins
     */
    record Page(int life, List<Words> commands, long next, boolean isLast) {}

    private static final int PAGE_BYTES = 4 * 1_024 * 1_024;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final BackOff BACK_OFF =
            BackOff.doubling(Duration.ofMillis(10), Duration.ofSeconds(5));

    private final ActorRef<Message> self;
    private final int life;
    private final LogFile file;
    private final Fsync fsync;
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();
    private List<Answer> waiting = new ArrayList<>();

    /** It has told itself to write. */
    private boolean isWriteDue;

    /** The file has what is not synced, nor being synced. */
    private boolean isDirty;

    /** The last one under {@link Fsync#EVERYSEC}; writes go on meanwhile. */
    private @Nullable Fiber<?> sync;

    private long syncBeganNs;

    private ShardLog(ActorRef<Message> self, int life, LogFile file, Fsync fsync) {
        this.self = self;
        this.life = life;
        this.file = file;
        this.fsync = fsync;
    }

    /** The actor. */
    static Actor<Message> actor(Path path, Fsync fsync) {
        AtomicInteger lives = new AtomicInteger();
        return Actor.handler(
                (ActorContext<Message> context) -> {
                    LogFile file = context.owns(open(path));
                    if (fsync == Fsync.EVERYSEC) {
                        context.timers().fixedDelay(SECOND, new Message.Tick());
                    }
                    return new ShardLog(context.self(), lives.incrementAndGet(), file, fsync);
                });
    }

    private static LogFile open(Path path) {
        try {
            return Blocking.call(() -> LogFile.open(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How logs are supervised: a disk that is full may be so for a while. */
    static Supervision rules() {
        return Supervision.oneForOne()
                .intensity(1_000, Duration.ofMinutes(1))
                .backOff(BACK_OFF)
                .spread();
    }

    @Override
    public Behavior<Message> onMessage(Message message) throws IOException {
        switch (message) {
            case Message.Read asked -> read(asked);
            case Message.Append more when more.life() != life -> refuse(more.answer());
            case Message.Append more -> append(more);
            case Message.Replace all when all.life() != life -> {}
            case Message.Replace all -> replace(all.commands());
            case Message.Save asked -> {
                write();
                awaitSync();
                Blocking.run(file::sync);
                asked.replyTo().tell(true);
            }
            case Message.Write _ -> write();
            case Message.Tick _ -> beginSync();
        }
        return Behavior.same();
    }

    private void read(Message.Read asked) throws IOException {
        write();
        try {
            LogFile.Part part = Blocking.call(() -> file.read(asked.from(), PAGE_BYTES));
            asked.replyTo().tell(new Page(life, part.commands(), part.next(), part.isLast()));
        } catch (IOException unreadable) {
            asked.replyTo().fail(unreadable);
        }
    }

    private static void refuse(@Nullable Answer answer) {
        if (answer != null) {
            answer.refuse("it was started again, and the command is lost");
        }
    }

    private void append(Message.Append more) {
        for (Words each : more.commands()) {
            LogFile.encode(each, pending);
        }
        if (more.answer() != null) {
            waiting.add(more.answer());
        }
        if (!isWriteDue) {
            isWriteDue = true;
            self.tell(new Message.Write());
        }
    }

    private void write() throws IOException {
        isWriteDue = false;
        if (pending.size() == 0) {
            return;
        }
        byte[] content = pending.toByteArray();
        List<Answer> answers = waiting;
        pending.reset();
        waiting = new ArrayList<>();
        try {
            if (Cord.current().nanoTime() - syncBeganNs > SECOND.toNanos()) {
                awaitSync(); // otherwise more than two seconds would be unsafe
            }
            Blocking.run(
                    () -> {
                        file.append(content);
                        if (fsync == Fsync.ALWAYS) {
                            file.sync();
                        }
                    });
        } catch (IOException broken) {
            answers.forEach(each -> each.refuse(broken.toString()));
            throw broken;
        }
        isDirty = fsync == Fsync.EVERYSEC;
        answers.forEach(Answer::send);
    }

    private void replace(List<Words> commands) throws IOException {
        write();
        awaitSync();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        commands.forEach(each -> LogFile.encode(each, all));
        Blocking.run(() -> file.replace(all.toByteArray()));
    }

    private void beginSync() {
        if (isDirty && sync == null) {
            isDirty = false;
            syncBeganNs = Cord.current().nanoTime();
            sync =
                    Fiber.spin(
                            "sync",
                            () -> {
                                Blocking.run(file::sync);
                                sync = null;
                            });
        }
    }

    private void awaitSync() {
        Fiber<?> running = sync;
        if (running != null) {
            running.await();
        }
    }
}
