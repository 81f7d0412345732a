package dev.ropewalk.examples.ping;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.cluster.Node;
import dev.ropewalk.actors.cluster.UnreachableException;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.Locale;

/** The two actors of a node: one that answers, and one that asks the other node's. */
final class Pinger {
    /** The name of the actor that answers, on each node. */
    static final String ANSWERS = "ping";

    private static final Duration PERIOD = Duration.ofSeconds(1);

    /** How often it looks whether there is a node. */
    private static final Duration LOOK = Duration.ofMillis(50);

    private final Node node;
    private final Output out;

    /** How many answers are to come; 0 for no end. */
    private final int count;

    /** Of all nodes together, also of those that are gone. */
    private int answers;

    private volatile boolean isDone;
    private volatile @Nullable IOException failure;

    /** The actor that was asked is over, or its node cannot be reached any more. */
    record Lost(ExitReason reason) {}

    Pinger(Node node, Output out, int count) {
        this.node = node;
        this.out = out;
        this.count = count;
    }

    /** Answers each ping. */
    static Actor<Message> answering(String name) {
        return Actor.handler(
                () ->
                        message -> {
                            if (message instanceof Message.Ping(int number, var replyTo)) {
                                replyTo.tell(new Message.Pong(number, name));
                            }
                            return Behavior.same();
                        });
    }

    /** Asks once a second; is over when all answers have come. */
    Actor<Lost> asking() {
        return Actor.loop(this::run);
    }

    /** Whether all answers have come. */
    boolean isDone() {
        return isDone;
    }

    /** What kept it from printing, if anything. */
    @Nullable IOException failure() {
        return failure;
    }

    private void run(ActorContext<Lost> self) {
        try {
            while (!isDone) {
                for (String name : node.peers()) {
                    ActorRef<Message> other = find(name);
                    if (other != null && !isDone) {
                        ask(self, name, other);
                    }
                }
                self.receive(LOOK); // nothing comes, but its own end may
            }
        } catch (IOException cannotPrint) {
            failure = cannotPrint;
        }
    }

    private @Nullable ActorRef<Message> find(String name) {
        try {
            return node.at(name).find(ANSWERS, Message.class);
        } catch (UnreachableException gone) {
            return null;
        }
    }

    /** Until it is over. */
    private void ask(ActorContext<Lost> self, String name, ActorRef<Message> other)
            throws IOException {
        self.monitor(other, down -> new Lost(down.reason()));
        say(name + " is there");
        Lost lost = null;
        while (lost == null && !isDone) {
            askOnce(other);
            isDone = answers == count && count > 0;
            lost = isDone ? null : self.receive(PERIOD);
        }
        if (lost != null) {
            say(name + " is lost: " + lost.reason());
        }
    }

    private void askOnce(ActorRef<Message> other) throws IOException {
        int number = answers + 1;
        long beganNs = Cord.current().nanoTime();
        try {
            Message.Pong pong = other.ask(replyTo -> new Message.Ping(number, replyTo));
            long tookNs = Cord.current().nanoTime() - beganNs;
            answers = number;
            say(
                    String.format(
                            Locale.ROOT,
                            "%s answers %d in %.3f ms",
                            pong.node(),
                            pong.number(),
                            tookNs / 1e6));
        } catch (AskException none) {
            say("no answer to " + number);
        }
    }

    private void say(String line) throws IOException {
        out.print(line + "\n");
    }
}
