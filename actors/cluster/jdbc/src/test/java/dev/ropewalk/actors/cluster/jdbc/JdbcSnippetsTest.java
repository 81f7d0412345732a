package dev.ropewalk.actors.cluster.jdbc;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.cluster.Node;
import dev.ropewalk.actors.cluster.NodeOptions;
import dev.ropewalk.actors.cluster.store.Store;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/** The examples of the guide. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class JdbcSnippetsTest {
    @TempDir private Path folder;

    @Test
    void open() {
        // @start region="open"
        try (Store store = JdbcStore.open(JdbcOptions.sqlite(folder.resolve("shop.db")));
                ActorSystem system = ActorSystem.start("shop");
                Node node = Node.start(system, NodeOptions.named("n1").withStore(store))) {
            // @end
            Awaitility.await()
                    .atMost(Duration.ofSeconds(20))
                    .until(
                            () ->
                                    Objects.requireNonNull(node.dump().registration())
                                            .leaseLeft()
                                            .isPositive());
            assertTrue(node.dump().toString().contains("registered as"), node.dump()::toString);
        }
    }
}
