package dev.ropewalk.actors;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.sync.Mutex;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** The example of the page on trouble. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class TroubleSnippetsTest {
    // @start region="log"
    static void trade() {
        try (ActorSystem shop = ActorSystem.start("shop")) { // no listener, no taker, no handler
            Actor<String> seller = Actor.handler(() -> TroubleSnippetsTest::sell);
            ActorRef<String> till = shop.spin("till", seller);
            till.tell("five"); // the actor fails on it, and is started again
            till.stop();
            till.awaitEnd(Duration.ofSeconds(1));
            till.tell("5"); // comes too late
            Mutex stock = Mutex.local();
            Fiber.spin("clerk", () -> stock.lock()).await(); // ends, and holds the lock
        }
    }

    static Behavior<String> sell(String count) {
        Integer.parseInt(count);
        return Behavior.same();
    }

    // @end

    /** Of the page, the block of text behind the example. */
    private static String told() throws IOException {
        String page = Files.readString(Path.of("../docs/guide/trouble.md"));
        int from = page.indexOf("```text\n") + "```text\n".length();
        return page.substring(from, page.indexOf("```", from));
    }

    private static String text(Logs.Line line) {
        String logger = line.logger().substring(line.logger().lastIndexOf('.') + 1);
        return line.level() + " " + logger + ": " + line.message() + "\n";
    }

    @Test
    void A5_withNothingSetTheLogIsToldOfAllTrouble() throws IOException {
        StringBuilder lines = new StringBuilder();
        Logs.during(
                line -> lines.append(text(line)),
                () -> Cord.run(CordOptions.named("main"), TroubleSnippetsTest::trade));
        assertEquals(told(), lines.toString());
    }
}
