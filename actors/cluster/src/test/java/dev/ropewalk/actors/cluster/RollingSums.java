package dev.ropewalk.actors.cluster;

import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.cluster.entity.Entities;
import dev.ropewalk.actors.cluster.entity.EntityKind;
import dev.ropewalk.actors.server.Reply;
import dev.ropewalk.actors.server.Request;
import dev.ropewalk.actors.server.Server;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * Durable sums in two versions of a program: the message and the state of the second one have a
 * component more.
 */
public enum RollingSums {
    OLD {
        @Override
        Protocol protocol() {
            return Protocol.of().named(OldAdd.class, "add");
        }

        @Override
        public Adder entities(Node node) {
            Entities<OldWord> all = node.entities(OLDER);
            return key -> all.ref(key).<Long>ask(to -> new OldAdd(1, to), LIMIT);
        }
    },
    NEW {
        @Override
        Protocol protocol() {
            return Protocol.of().named(NewAdd.class, "add");
        }

        @Override
        public Adder entities(Node node) {
            Entities<NewWord> all = node.entities(NEWER);
            return key -> all.ref(key).<Long>ask(to -> new NewAdd(1, "new", to), LIMIT);
        }
    };

    /** Adds one to a sum. */
    @FunctionalInterface
    public interface Adder {
        /**
         * Returns the sum behind it.
         *
         * @throws dev.ropewalk.actors.AskException if nobody has answered within five seconds
         */
        long add(String key);
    }

    sealed interface OldWord {}

    sealed interface NewWord {}

    record OldAdd(long cents, Recipient<Long> replyTo) implements OldWord, Request<Long> {}

    record NewAdd(long cents, @Nullable String why, Recipient<Long> replyTo)
            implements NewWord, Request<Long> {}

    record OldSum(long cents) {}

    record NewSum(long cents, @Nullable String last) {}

    private static final Duration LIMIT = Duration.ofSeconds(5);

    private static final EntityKind<OldWord, OldSum> OLDER =
            EntityKind.<OldWord, OldSum>durable(
                            "sum",
                            OldWord.class,
                            OldSum.class,
                            _ ->
                                    Server.<OldWord, OldSum>of(new OldSum(0))
                                            .call(OldAdd.class, RollingSums::add))
                    .named(OldSum.class, "state");

    private static final EntityKind<NewWord, NewSum> NEWER =
            EntityKind.<NewWord, NewSum>durable(
                            "sum",
                            NewWord.class,
                            NewSum.class,
                            _ ->
                                    Server.<NewWord, NewSum>of(new NewSum(0, "none"))
                                            .call(NewAdd.class, RollingSums::add))
                    .named(NewSum.class, "state");

    abstract Protocol protocol();

    /** Has a node of this version keep its share of the sums. */
    public abstract Adder entities(Node node);

    /** Starts a node of this version. */
    public Node start(NodeOptions options) {
        return Node.start(
                ActorSystem.start("system"),
                options.withProgramVersion(this == OLD ? "1" : "2").withProtocol(protocol()));
    }

    private static Reply<Long, OldSum> add(OldSum now, OldAdd add) {
        long sum = now.cents + add.cents;
        return Reply.of(sum, new OldSum(sum));
    }

    private static Reply<Long, NewSum> add(NewSum now, NewAdd add) {
        long sum = now.cents + add.cents;
        return Reply.of(sum, new NewSum(sum, add.why));
    }
}
