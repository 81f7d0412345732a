package dev.ropewalk.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.supervision.Supervisor;
import dev.ropewalk.actors.supervision.Tree;

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
        return logs.start("log", ShardLog.actor(folder.resolve("log"), fsync));
    }

    private static ShardLog.Page page(ActorRef<ShardLog.Message> log) {
        return log.ask(replyTo -> new ShardLog.Message.Read(0, replyTo), LIMIT);
    }

    /** What is answered to a command; it is answered {@code :number} if all is well. */
    private static Reply appended(ActorRef<ShardLog.Message> log, int life, int number) {
        List<Reply> replies =
                log.ask(
                        replyTo ->
                                new ShardLog.Message.Append(
                                        life,
                                        List.of(Words.of("SET", "n", number)),
                                        new ShardLog.Answer(
                                                List.of(new Reply.Whole(number)), replyTo)),
                        LIMIT);
        assertEquals(1, replies.size());
        return replies.getFirst();
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
            assertTrue(refused.text().startsWith("MISCONF"), refused::text);
            log.tell(new ShardLog.Message.Replace(life, List.of()));
            ShardLog.Page next = page(log);
            assertNotEquals(life, next.life());
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
            List<CompletableFuture<List<Reply>>> answers = new ArrayList<>();
            List<Integer> order = new ArrayList<>();
            List<String> all = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                int number = i;
                CompletableFuture<List<Reply>> answer =
                        log.<List<Reply>>askLater(
                                        replyTo ->
                                                new ShardLog.Message.Append(
                                                        life,
                                                        List.of(Words.of("SET", "n", number)),
                                                        new ShardLog.Answer(
                                                                List.of(Reply.OK), replyTo)),
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
            log.tell(new ShardLog.Message.Replace(life, List.of(Words.of("SET", "n", 7))));
            appended(log, life, 8);
            assertEquals(List.of("7", "8"), numbers(page(log)));
            assertTrue(log.<Boolean>ask(ShardLog.Message.Save::new, LIMIT));
            log.kill();
            assertEquals(List.of("7", "8"), numbers(page(log)));
        }
    }
}
