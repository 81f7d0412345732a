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
 * clients share a sync, and each is answered after the one that has its command.
 *
 * <p>A disk that fails or is full ends neither this actor nor its shard, because a restart would
 * find the same disk. A write that fails is refused: its shard, which is ahead of it by then, is
 * told to undo what was not written. What that shard has sent until it hears of it builds upon what
 * was refused, so it is refused too: it names a life of the log that is over. A rewrite that fails
 * leaves the log as it was. A sync that fails leaves it unsafe, because the system may have given
 * up what it could not write: all is refused until a rewrite has made a log that is safe.
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
        /** The shard that is to be told when the log must be rewritten. */
        record Attach(Recipient<ShardMessage> shard) implements Message {}

        /** Read on, from 0 or from where the page before ended. */
        record Read(long from, Recipient<Page> replyTo) implements Message {}

        /** Append these, and say when they are as safe as was asked for. */
        record Append(int life, List<Words> commands, Outcome outcome) implements Message {}

        /** Put these in place of all that is there, and of what waits to be written. */
        record Replace(int life, List<Words> commands, Outcome outcome) implements Message {}

        /** Make all safe; false if that failed. */
        record Save(Recipient<Boolean> replyTo) implements Message {}

        /** All that was there when it told itself this can be written together. */
        record Write() implements Message {}

        /** A second has passed. */
        record Tick() implements Message {}
    }

    /** Who waits for a write. Called once, by the log, and returns at once. */
    interface Outcome {
        /** As safe as was asked for. */
        void written();

        /**
         * It is not in the log, nor is what comes behind it, up to what names the next life.
         *
         * @param life the next one
         * @param why null if only what came before it was refused: it may be tried again
         */
        void refused(int life, @Nullable String why);
    }

    /**
     * A part of the log.
     *
     * @param life to be told with each append
     * @param file for people
     * @param next where the next page begins
     */
    record Page(int life, Path file, List<Words> commands, long next, boolean isLast) {}

    private static final int PAGE_BYTES = 4 * 1_024 * 1_024;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final BackOff BACK_OFF =
            BackOff.doubling(Duration.ofMillis(10), Duration.ofSeconds(5));

    private final ActorRef<Message> self;
    private final AtomicInteger lives;
    private final LogFile file;
    private final Path path;
    private final Fsync fsync;
    private final Complaint writes;
    private final Complaint rewrites;
    private final Complaint syncs;
    private final ByteArrayOutputStream pending = new ByteArrayOutputStream();
    private List<Outcome> waiting = new ArrayList<>();
    private int life;
    private @Nullable Recipient<ShardMessage> shard;

    /** It has told itself to write. */
    private boolean isWriteDue;

    /** The file has what is not synced, nor being synced. */
    private boolean isDirty;

    /** Why nobody knows what of the file is safe; null if all is well. */
    private @Nullable IOException unsafe;

    /** The last one under {@link Fsync#EVERYSEC}; writes go on meanwhile. */
    private @Nullable Fiber<?> sync;

    private long syncBeganNs;

    private ShardLog(
            ActorRef<Message> self, AtomicInteger lives, LogFile file, Path path, Fsync fsync) {
        this.self = self;
        this.lives = lives;
        this.life = lives.incrementAndGet();
        this.file = file;
        this.path = path;
        this.fsync = fsync;
        this.writes = new Complaint(path, "writes are refused");
        this.rewrites = new Complaint(path, "the log is not rewritten");
        this.syncs = new Complaint(path, "what was written is not safe from a loss of power");
    }

    /** The actor. */
    static Actor<Message> actor(Disk disk, Path path, Fsync fsync) {
        AtomicInteger lives = new AtomicInteger();
        return Actor.handler(
                (ActorContext<Message> context) -> {
                    LogFile file = context.owns(open(disk, path));
                    if (fsync == Fsync.EVERYSEC) {
                        context.timers().fixedDelay(SECOND, new Message.Tick());
                    }
                    return new ShardLog(context.self(), lives, file, path, fsync);
                });
    }

    private static LogFile open(Disk disk, Path path) {
        try {
            return Blocking.call(() -> LogFile.open(disk, path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How logs are supervised: if one crashes, its file may be in use for a while. */
    static Supervision rules() {
        return Supervision.oneForOne()
                .intensity(1_000, Duration.ofMinutes(1))
                .backOff(BACK_OFF)
                .spread();
    }

    @Override
    public Behavior<Message> onMessage(Message message) {
        switch (message) {
            case Message.Attach to -> attach(to.shard());
            case Message.Read asked -> read(asked);
            case Message.Append more when more.life() != life -> more.outcome().refused(life, null);
            case Message.Append more -> append(more);
            case Message.Replace all when all.life() != life -> all.outcome().refused(life, null);
            case Message.Replace all -> replace(all);
            case Message.Save asked -> asked.replyTo().tell(save());
            case Message.Write _ -> write();
            case Message.Tick _ -> beginSync();
        }
        return Behavior.same();
    }

    private void attach(Recipient<ShardMessage> to) {
        shard = to;
        if (unsafe != null) {
            to.tell(new ShardMessage.RewriteDue()); // the one before it may be gone with its wish
        }
    }

    private void read(Message.Read asked) {
        write();
        try {
            LogFile.Part part = Blocking.call(() -> file.read(asked.from(), PAGE_BYTES));
            asked.replyTo().tell(new Page(life, path, part.commands(), part.next(), part.isLast()));
        } catch (IOException unreadable) {
            asked.replyTo().fail(unreadable);
        }
    }

    // ---------------------------------------------------------------- writing

    private void append(Message.Append more) {
        for (Words each : more.commands()) {
            LogFile.encode(each, pending);
        }
        waiting.add(more.outcome());
        if (!isWriteDue) {
            isWriteDue = true;
            self.tell(new Message.Write());
        }
    }

    private void write() {
        isWriteDue = false;
        if (waiting.isEmpty()) {
            return;
        }
        byte[] content = pending.toByteArray();
        List<Outcome> outcomes = taken();
        try {
            if (Cord.current().nanoTime() - syncBeganNs > SECOND.toNanos()) {
                awaitSync(); // otherwise more than two seconds would be unsafe
            }
            IOException failed = unsafe;
            if (failed != null) {
                throw failed;
            }
            Blocking.run(() -> file.append(content, fsync == Fsync.ALWAYS));
        } catch (IOException broken) {
            life = lives.incrementAndGet();
            writes.tell(broken);
            outcomes.forEach(each -> each.refused(life, broken.toString()));
            return;
        }
        isDirty = fsync == Fsync.EVERYSEC;
        writes.over();
        outcomes.forEach(Outcome::written);
    }

    /** All that wait for the next write. */
    private List<Outcome> taken() {
        List<Outcome> outcomes = waiting;
        pending.reset();
        waiting = new ArrayList<>();
        return outcomes;
    }

    /**
     * What waits to be written is in it as well. With {@link Fsync#ALWAYS} it is written before,
     * because the new file may have a name that is not safe.
     */
    private void replace(Message.Replace all) {
        if (fsync == Fsync.ALWAYS) {
            write();
            if (all.life() != life) {
                all.outcome().refused(life, null); // it has what was refused just now
                return;
            }
        }
        awaitSync();
        try {
            Blocking.run(() -> file.replace(all.commands()));
        } catch (IOException failed) {
            rewrites.tell(failed);
            all.outcome().refused(life, failed.toString());
            return;
        }
        rewrites.over();
        unsafe = null;
        isDirty = fsync == Fsync.EVERYSEC; // its name, if that could not be made safe
        taken().forEach(Outcome::written);
        all.outcome().written();
    }

    // ---------------------------------------------------------------- safe from a loss of power

    private void beginSync() {
        if (isDirty && sync == null) {
            isDirty = false;
            syncBeganNs = Cord.current().nanoTime();
            sync =
                    Fiber.spin(
                            "sync",
                            () -> {
                                syncNow();
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

    private boolean save() {
        write();
        awaitSync();
        return unsafe == null && syncNow();
    }

    /** Waits. False if it failed. */
    private boolean syncNow() {
        try {
            Blocking.run(file::sync);
            syncs.over();
            return true;
        } catch (IOException failed) {
            unsafe = failed;
            syncs.tell(failed);
            Recipient<ShardMessage> rewriter = shard;
            if (rewriter != null) {
                rewriter.tell(new ShardMessage.RewriteDue());
            }
            return false;
        }
    }
}
