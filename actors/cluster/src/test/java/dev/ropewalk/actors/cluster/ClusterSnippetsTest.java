package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.Objects;

/** The snippets of the Javadoc and of the guide. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ClusterSnippetsTest {
    // @start region="messages"
    sealed interface Greeting {}

    record Hello(String name, Recipient<String> replyTo) implements Greeting {}

    // @end

    // @start region="protocol"
    static final Protocol PROTOCOL = Protocol.of(Greeting.class);

    // @end

    private static Actor<Greeting> greeter() {
        return Actor.handler(
                () ->
                        greeting -> {
                            switch (greeting) {
                                case Hello(String name, var replyTo) ->
                                        replyTo.tell("Hello, " + name);
                            }
                            return Behavior.same();
                        });
    }

    @Test
    void two() {
        try (ActorSystem one = ActorSystem.start("one");
                ActorSystem two = ActorSystem.start("two")) {
            // @start region="two"
            Node first = Node.start(one, NodeOptions.named("n1").withProtocol(PROTOCOL));
            one.spin("greeter", greeter());

            // In another process:
            Node second =
                    Node.start(
                            two,
                            NodeOptions.named("n2")
                                    .withProtocol(PROTOCOL)
                                    .withDiscovery(Discovery.of("127.0.0.1:" + first.port())));
            second.awaitPeers(1, Duration.ofSeconds(10));
            ActorRef<Greeting> greeter =
                    Objects.requireNonNull(second.at("n1").find("greeter", Greeting.class));
            String reply = greeter.ask(replyTo -> new Hello("you", replyTo));
            // @end
            assertEquals("Hello, you", reply);
            second.close();
            first.close();
        }
    }
}
