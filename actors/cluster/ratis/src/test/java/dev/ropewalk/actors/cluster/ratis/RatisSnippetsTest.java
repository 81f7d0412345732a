package dev.ropewalk.actors.cluster.ratis;

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

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;

/** The example of the guide. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RatisSnippetsTest {
    @TempDir private Path folder;

    @Test
    void open() throws IOException {
        Map<String, String> servers = Servers.addresses(Servers.NAMES); // n1=host-1:7501, ...
        try (Store _ = RatisStore.open(RatisOptions.of("n2", servers, folder.resolve("n2")));
                Store _ = RatisStore.open(RatisOptions.of("n3", servers, folder.resolve("n3")))) {
            // @start region="open"
            RatisOptions options = RatisOptions.of("n1", servers, folder.resolve("store"));
            try (Store store = RatisStore.open(options);
                    ActorSystem system = ActorSystem.start("shop");
                    Node node = Node.start(system, NodeOptions.named("n1").withStore(store))) {
                // @end
                Awaitility.await()
                        .atMost(Duration.ofSeconds(30))
                        .until(
                                () ->
                                        Objects.requireNonNull(node.dump().registration())
                                                .leaseLeft()
                                                .isPositive());
                assertTrue(node.dump().toString().contains("registered as"));
            }
        }
    }
}
