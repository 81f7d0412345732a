package dev.ropewalk.actors.supervision;

import static dev.ropewalk.actors.supervision.Tree.child;
import static dev.ropewalk.actors.supervision.Tree.dynamic;
import static dev.ropewalk.actors.supervision.Tree.oneForAll;
import static dev.ropewalk.actors.supervision.Tree.oneForOne;
import static dev.ropewalk.actors.supervision.Tree.restForOne;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.ActorSystemOptions;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.testkit.World;
import dev.ropewalk.fibers.supervision.BackOff;
import dev.ropewalk.fibers.testing.TestCord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The code of the guide's page on supervision trees. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class TreeSnippetsTest {
    private static Actor<String> echo(List<String> log) {
        return Actor.handler(
                () ->
                        text -> {
                            log.add(text);
                            return text.equals("end") ? Behavior.stopped() : Behavior.same();
                        });
    }

    @Test
    void A5_aTree() {
        TestCord.run(
                () -> {
                    List<String> log = new ArrayList<>();
                    Actor<String> journal = echo(log);
                    Actor<String> reader = echo(log);
                    Actor<String> writer = echo(log);
                    // @start region="tree"
                    ActorSpec<String> journalSpec = child("journal", journal).permanent();
                    Tree bank =
                            restForOne(
                                            "bank",
                                            journalSpec,
                                            dynamic("accounts")
                                                    .intensity(1_000, Duration.ofSeconds(1)),
                                            oneForAll(
                                                            "audit",
                                                            child("reader", reader),
                                                            child("writer", writer).significant())
                                                    .autoShutdown(AutoShutdown.ANY))
                                    .intensity(5, Duration.ofMinutes(1))
                                    .backOff(
                                            BackOff.doubling(
                                                    Duration.ofMillis(100),
                                                    Duration.ofSeconds(10)));
                    try (ActorSystem system = ActorSystem.start(bank)) {
                        ActorRef<String> ref = system.root().actor(journalSpec);
                        ref.tell("opened");
                        Supervisor accounts = system.supervisor("accounts");
                        ActorRef<String> alice = accounts.spin("alice", echo(log));
                        alice.tell("hello");
                        assertEquals(alice, system.find("accounts/alice"));
                        system.stop(Duration.ofSeconds(5)); // mailboxes are emptied
                    }
                    // @end
                    assertTrue(log.containsAll(List.of("opened", "hello")), log.toString());
                });
    }

    @Test
    void A5_byName() {
        TestCord.run(
                () -> {
                    List<String> log = new ArrayList<>();
                    Actor<String> journal = echo(log);
                    Actor<String> reader = echo(log);
                    try (ActorSystem system =
                            ActorSystem.start(oneForOne("bank", child("journal", journal)))) {
                        // @start region="names"
                        Supervisor bank = system.root();
                        bank.add(child("reader", reader)); // waits until it is up
                        bank.stop("reader"); // within its stop limit; it stays known
                        bank.restart("reader"); // a new actor with a new address
                        for (ChildInfo child : bank.children()) {
                            log.add(child.id() + " " + child.state());
                        }
                        bank.stop("reader");
                        bank.remove("reader");
                        // @end
                        assertEquals(List.of("journal UP", "reader UP"), log);
                    }
                });
    }

    /** From a plain thread, with cords of its own. */
    @Test
    void A6_fromMain() {
        List<String> log = World.log();
        Actor<String> worker = echo(log);
        // @start region="main"
        ActorSpec<String> work = child("work", worker).significant();
        Tree tree =
                Tree.of(
                        "app",
                        Supervision.oneForOne().spread().autoShutdown(AutoShutdown.ANY),
                        work);
        ActorSystemOptions options = ActorSystemOptions.defaults().withCords(2);
        try (ActorSystem system =
                ActorSystem.start(tree, options).stopOnTerm(Duration.ofSeconds(10))) {
            system.root().actor(work).tell("end");
            system.awaitEnd(Duration.ofHours(1)); // until the work is done, or TERM
        }
        // @end
        assertEquals(List.of("end"), log);
    }
}
