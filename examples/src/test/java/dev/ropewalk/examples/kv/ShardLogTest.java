package dev.ropewalk.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.supervision.Tree;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ShardLogTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir private Path folder;

    private ActorRef<ShardLog.Message> start(ActorSystem system, ShardLog.Fsync fsync) {
        Supervisor logs = system.root().supervise("logs", ShardLog.rules());
        return logs.start("log", ShardLog.actor(new SystemDisk(), folder.resolve("log"), fsync));
    }

    private static ShardLog.Page page(ActorRef<ShardLog.Message> log) {
        return log.ask(replyTo -> new ShardLog.Message.Read(0, replyTo), LIMIT);
    }

    /** The outcome is what it answers. */
    private record Told(Reply reply, Recipient<Reply> to) implements ShardLog.Outcome {
        @Override
        public void written() {
            to.tell(reply);
        }

        @Override
        public void refused(int life, @Nullable String why) {
            to.tell(new Reply.Failure(life + ": " + why));
        }
    }

    /** What is answered to a command; it is answered {@code :number} if all is well. */
    private static Reply appended(ActorRef<ShardLog.Message> log, int life, int number) {
        return log.ask(
                replyTo ->
                        new ShardLog.Message.Append(
                                life,
                                List.of(Words.of("SET", "n", number)),
                                new Told(new Reply.Whole(number), replyTo)),
                LIMIT);
    }

    private static Reply replaced(ActorRef<ShardLog.Message> log, int life, Words... commands) {
        return log.ask(
                replyTo ->
                        new ShardLog.Message.Replace(
                                life, List.of(commands), new Told(Reply.OK, replyTo)),
                LIMIT);
    }

    private static List<String> numbers(ShardLog.Page page) {
        return page.commands().stream().map(each -> each.text(2)).toList();
    }

    /** Its shard has seen a state that is gone. */
    @ParameterizedTest
    @EnumSource(ShardLog.Fsync.class)
    void whatComesFromALifeThatIsOverIsRefused(ShardLog.Fsync fsync) {
        try (ActorSystem system = ActorSystem.start(Tree.oneForOne("test"))) {
            ActorRef<ShardLog.Message> log = start(system, fsync);
            int life = page(log).life();
            assertEquals(new Reply.Whole(1), appended(log, life, 1));
            log.kill();
            Reply.Failure refused = assertInstanceOf(Reply.Failure.class, appended(log, life, 2));
            assertInstanceOf(Reply.Failure.class, replaced(log, life));
            ShardLog.Page next = page(log);
            assertNotEquals(life, next.life());
            assertTrue(refused.text().startsWith(next.life() + ": "), refused::text);
            assertEquals(new Reply.Whole(3), appended(log, next.life(), 3));
            assertEquals(List.of("1", "3"), numbers(page(log)));
        }
    }

    /** Those that come while it writes are written together, and answered in order. */
    @ParameterizedTest
    @EnumSource(ShardLog.Fsync.class)
    void allAreAnsweredInOrder(ShardLog.Fsync fsync) {
        try (ActorSystem system = ActorSystem.start(Tree.oneForOne("test"))) {
            ActorRef<ShardLog.Message> log = start(system, fsync);
            int life = page(log).life();
            List<CompletableFuture<Reply>> answers = new ArrayList<>();
            List<Integer> order = new ArrayList<>();
            List<String> all = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                int number = i;
                CompletableFuture<Reply> answer =
                        log.<Reply>askLater(
                                        replyTo ->
                                                new ShardLog.Message.Append(
                                                        life,
                                                        List.of(Words.of("SET", "n", number)),
                                                        new Told(Reply.OK, replyTo)),
                                        LIMIT)
                                .toCompletableFuture();
                answers.add(
                        answer.whenComplete(
                                (_, _) -> {
                                    synchronized (order) {
                                        order.add(number);
                                    }
                                }));
                all.add(String.valueOf(i));
            }
            assertEquals(all, numbers(page(log)));
            answers.forEach(CompletableFuture::join);
            synchronized (order) {
                assertEquals(all, order.stream().map(String::valueOf).toList());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ShardLog.Fsync.class)
    void replaced(ShardLog.Fsync fsync) {
        try (ActorSystem system = ActorSystem.start(Tree.oneForOne("test"))) {
            ActorRef<ShardLog.Message> log = start(system, fsync);
            int life = page(log).life();
            appended(log, life, 1);
            assertEquals(Reply.OK, replaced(log, life, Words.of("SET", "n", 7)));
            appended(log, life, 8);
            assertEquals(List.of("7", "8"), numbers(page(log)));
            assertTrue(log.<Boolean>ask(ShardLog.Message.Save::new, LIMIT));
            log.kill();
            assertEquals(List.of("7", "8"), numbers(page(log)));
        }
    }
}
