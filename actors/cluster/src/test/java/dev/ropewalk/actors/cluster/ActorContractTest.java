package dev.ropewalk.actors.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.testkit.World;

import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** Rule A7: the tests of actors, with the actors on another node than the test. */
class ActorContractTest {
    private static final String ACTORS = "dev.ropewalk.actors.";

    private static final List<String> CLASSES =
            List.of(
                    "TellTest",
                    "CornerTest",
                    "MisuseTest",
                    "asking.AskTest",
                    "asking.AskEndTest",
                    "asking.AskManyTest",
                    "asking.AskExceptionTest",
                    "asking.AskCycleTest",
                    "asking.EndAskTest",
                    "asking.RefusedReplyTest",
                    "ending.MonitorTest",
                    "ending.StopTest",
                    "ending.TerminateTest",
                    "ending.EndHookTest",
                    "ending.WorstMomentTest",
                    "ending.SwallowedStopTest",
                    "ending.EndedInFactoryTest",
                    "internal.behavior.AdaptTest",
                    "internal.behavior.BrokenPredicateTest",
                    "internal.behavior.HandlerStyleTest",
                    "internal.behavior.LoopStyleTest",
                    "internal.mailbox.BoundedMailboxTest",
                    "internal.mailbox.ConflationTest",
                    "internal.mailbox.PostponedTest",
                    "internal.mailbox.PriorityTest",
                    "routing.EventBusTest",
                    "supervision.EscalationTest",
                    "supervision.FailedMessageTest",
                    "supervision.KeptStateEndTest",
                    "supervision.OwnActorsTest",
                    "supervision.RestartTest",
                    "supervision.RestartRuleTest");

    private static final Duration LIMIT = Duration.ofSeconds(5);

    /** By the reason; an entry is a class and those of its tests. */
    private static final Map<String, Map<String, List<String>>> CANNOT_HOLD =
            Map.of(
                    "a failure of another node arrives as its words",
                    Map.of(
                            "asking.AskEndTest",
                            List.of(
                                    "A2_aMessageThatIsGivenUp",
                                    "A2_anActorThatIsTerminatedInTheMiddleOfTheQuestion"),
                            "ending.EndHookTest",
                            List.of("A5_whatAHookThrowsIsSuppressedByTheFailure"),
                            "ending.MonitorTest",
                            List.of("A4_eachReason", "A4_ofTheActorOrOfEachIncarnation"),
                            "ending.WorstMomentTest",
                            List.of("A4_aCrashStaysTheReasonThoughTheRestNeverEnds"),
                            "internal.behavior.AdaptTest",
                            List.of(
                                    "A2_crashFailsTheAsksThatWereTakenAndNoOther",
                                    "A2_failedAskHasTheFailureAsItsCause",
                                    "A2_replyAndFailureComeAsMessages"),
                            "internal.behavior.BrokenPredicateTest",
                            List.of("A2_itsAskerHearsOfIt")),
                    "a message is another object there, and a snapshot has its text",
                    Map.of(
                            "TellTest",
                            List.of("A3_anyObjectIsDeliveredAsItIs"),
                            "internal.mailbox.ConflationTest",
                            List.of("A3_theNewestOfAKeyTakesThePlaceOfTheOldest"),
                            "internal.mailbox.PostponedTest",
                            List.of(
                                    "A1_aFailureGivesUpWhatWasPostponed",
                                    "A1_dropOldKeepsTheNewest",
                                    "A1_oneTooManyIsADeadLetterAndItsAskerHearsOfIt",
                                    "A3_whatNobodyToldIsPostponedAllTheSame")),
                    "a full mailbox or an end is known there, and here only later: tryTell has its"
                            + " word from what is known here, and a first message to a mailbox that"
                            + " fails its senders is refused there",
                    Map.of(
                            "asking.AskManyTest",
                            List.of(
                                    "A2_laterToAFullMailbox",
                                    "A3_laterToAMailboxThatDropsWhatIsNew"),
                            "asking.RefusedReplyTest",
                            List.of("A8_tryTellOfEachAddress"),
                            "internal.mailbox.BoundedMailboxTest",
                            List.of(
                                    "A3_failThrowsAndTheSenderKeepsTheMessage",
                                    "A3_tryTellSaysWhatBecameOfTheMessage"),
                            "internal.mailbox.ConflationTest",
                            List.of(
                                    "A3_aDisplacedOrLeftMessageIsNotFoundAnyMore",
                                    "A3_theNewerOneTakesThePermitAndNeedsNoRoom")),
                    "a dead letter of a late reply names the node of the asker",
                    Map.of(
                            "asking.AskTest",
                            List.of(
                                    "A2_lateReplyIsADeadLetter",
                                    "A2_secondReplyIsADeadLetter",
                                    "A2_terminatedAskerLeavesALateReply")),
                    "a message is on its way for a while, so the actor has turns meanwhile, and"
                            + " times are longer by that",
                    Map.of(
                            "CornerTest",
                            List.of("A5_aFailureBehindAGiveUpIsTold"),
                            "TellTest",
                            List.of(
                                    "A1_manyProducersLeaveNoBacklog",
                                    "A1_toAWaitingActorBypassesTheMailbox"),
                            "asking.RefusedReplyTest",
                            List.of("A8_aKeyThatCannotBeComparedIsKeptBesideTheOthers"),
                            "ending.EndHookTest",
                            List.of(
                                    "A5_aHookThatNeverEndsIsAbandonedAndTheOthersRun",
                                    "A5_theLimitOfTheMessageAndTheHooksIsOne"),
                            "ending.TerminateTest",
                            List.of(
                                    "A3_aHandedOverStopIsNotLostToo",
                                    "A3_aMessageHandedOverButNotSeenIsNotLost",
                                    "A3_beforeTheFirstTurnTheActorNeverStarts",
                                    "A3_betweenFailureAndRestartEndsTheActor",
                                    "A3_overtakesTheQueueOfAnActorThatNeverWaits"),
                            "ending.WorstMomentTest",
                            List.of(
                                    "A5_aHookThatNeedsItsSupervisorIsRefusedWhileThatStops",
                                    "A5_aSupervisorInItsBackOffAnswersAndEnds",
                                    "A5_anOwnActorThatHangsLeavesTimeForTheHooksAbove",
                                    "A5_theFibersBelowAnActorThatStoppedHaveItsStopLimit",
                                    "A6_anEndThatFailsOnceIsDrainedAgain"),
                            "internal.behavior.LoopStyleTest",
                            List.of("A1_timedReceiveGivesUpNeitherEarlyNorLate"),
                            "internal.mailbox.ConflationTest",
                            List.of("A3_theHookTakesWhatWasReplacedAndNoDeadLetterIsMade")),
                    "its actors use addresses of the node of the test, where an honest one has an"
                            + " address of its own node (RemoteRefTest and CircleTest have these)",
                    Map.of(
                            "asking.AskCycleTest",
                            List.of("A2_ofOneTwoAndThreeActors"),
                            "ending.MonitorTest",
                            List.of(
                                    "A3_downComesAfterWhatTheActorToldBefore",
                                    "A4_awaitEnd",
                                    "A4_ofItselfIsAMistake")),
                    "the supervisor of the asker is of another process",
                    Map.of(
                            "asking.EndAskTest",
                            List.of(
                                    "A2_aHookOfWhatStartsTooLateIsToldAtOnce",
                                    "A2_anAskThatIsUnderWayWhenTheAskerIsStoppedIsToldToo")),
                    "it looks into the actor, its system, its cord or its link, which are of one"
                            + " process",
                    Map.of(
                            "asking.AskTest",
                            List.of(
                                    "A2_aHundredThousandAnsweredAsksDoNotPileUpBesideOpenOnes",
                                    "A2_answeredAsksDoNotPileUp",
                                    "A2_timesOutExactlyAtItsLimit"),
                            "asking.AskEndTest",
                            List.of("A2_anActorOfAClosedSystem"),
                            "ending.EndHookTest",
                            List.of("A4_onlyTheActorItselfMayAskForIt"),
                            "routing.EventBusTest",
                            List.of("A6_aRouterSubscribes"),
                            "supervision.KeptStateEndTest",
                            List.of("A5_aLinkEndedIt")),
                    "a thread or cord of its own has no part in a virtual run",
                    Map.of(
                            "TellTest",
                            List.of(
                                    "A3_tellWorksFromAPlainThread",
                                    "A3_toAnActorOfAClosedCordIsADeadLetter"),
                            "asking.AskEndTest",
                            List.of("A2_anActorOfAClosedCord"),
                            "asking.AskTest",
                            List.of("A2_asksFromPlainThreads"),
                            "ending.WorstMomentTest",
                            List.of("A4_aCancelledMonitorIsSilentThoughItsDownIsOnItsWay"),
                            "internal.mailbox.BoundedMailboxTest",
                            List.of("A3_plainThreadWaitsForRoom"),
                            "internal.mailbox.ConflationTest",
                            List.of(
                                    "A3_noLockIsHeldWhileADeadLetterIsTaken",
                                    "A3_toldIsProcessedAndReplacedBetweenTwoThreads"),
                            "routing.EventBusTest",
                            List.of("A6_aPublishingThreadThatIsInterruptedPublishesNoFurther")));

    private final AtomicInteger overNodes = new AtomicInteger();

    @TestFactory
    Stream<DynamicNode> A7_testsOfActorsHoldOverNodes() {
        Stream<DynamicNode> all =
                CLASSES.stream()
                        .map(each -> DynamicContainer.dynamicContainer(each, testsOf(each)));
        DynamicNode last =
                DynamicTest.dynamicTest(
                        "most of them run over nodes",
                        () -> assertTrue(overNodes.get() >= 200, () -> "only " + overNodes));
        return Stream.concat(all, Stream.of(last));
    }

    private Stream<DynamicTest> testsOf(String name) {
        List<DynamicTest> tests = new ArrayList<>();
        for (Method each : methodsOf(name)) {
            for (Object[] values : valuesOf(each)) {
                String called =
                        name
                                + "."
                                + each.getName()
                                + (values.length == 0 ? "" : Arrays.toString(values));
                tests.add(DynamicTest.dynamicTest(called, () -> run(each, values)));
            }
        }
        return tests.stream();
    }

    private static List<Method> methodsOf(String name) {
        return Arrays.stream(load(name).getDeclaredMethods())
                .filter(
                        each ->
                                each.isAnnotationPresent(Test.class)
                                        || each.isAnnotationPresent(ValueSource.class))
                .filter(each -> !each.isAnnotationPresent(Tag.class)) // too long
                .filter(each -> !isExcluded(name, each.getName()))
                .sorted(Comparator.comparing(Method::getName))
                .toList();
    }

    private static boolean isExcluded(String name, String test) {
        return CANNOT_HOLD.values().stream()
                .anyMatch(each -> each.getOrDefault(name, List.of()).contains(test));
    }

    private static Class<?> load(String name) {
        try {
            return Class.forName(ACTORS + name);
        } catch (ClassNotFoundException none) {
            throw new AssertionError("the actors have no test " + name, none);
        }
    }

    private static List<Object[]> valuesOf(Method test) {
        if (!test.isAnnotationPresent(ParameterizedTest.class)) {
            return List.<Object[]>of(new Object[0]);
        }
        ValueSource source = test.getAnnotation(ValueSource.class);
        List<Object[]> all = new ArrayList<>();
        for (boolean each : source.booleans()) {
            all.add(new Object[] {each});
        }
        for (String each : source.strings()) {
            all.add(new Object[] {each});
        }
        for (long each : source.longs()) {
            all.add(new Object[] {each});
        }
        for (int each : source.ints()) {
            all.add(new Object[] {each});
        }
        assertTrue(!all.isEmpty(), test::toString);
        return all;
    }

    private void run(Method test, Object[] values) {
        assertTimeoutPreemptively(LIMIT, () -> runHere(test, values));
    }

    private void runHere(Method test, Object[] values) throws ReflectiveOperationException {
        Constructor<?> made = test.getDeclaringClass().getDeclaredConstructor();
        made.setAccessible(true);
        Object instance = made.newInstance();
        test.setAccessible(true);
        List<Throwable> failed = new ArrayList<>();
        World.Elsewhere there = OtherNode.of(1, 2);
        AtomicInteger worlds = new AtomicInteger(); // some tests begin none
        World.elsewhere(
                code -> {
                    worlds.incrementAndGet();
                    there.run(code);
                },
                () -> {
                    try {
                        test.invoke(instance, values);
                    } catch (InvocationTargetException broken) {
                        failed.add(broken.getCause());
                    } catch (IllegalAccessException broken) {
                        failed.add(broken);
                    }
                });
        if (!failed.isEmpty()) {
            throw new AssertionError(
                    test + " does not hold over nodes: " + failed.getFirst().getMessage(),
                    failed.getFirst());
        }
        if (worlds.get() > 0) {
            overNodes.incrementAndGet();
        }
    }

    @Test
    void A7_allThatIsLeftOutIsThere() {
        List<String> unknown = new ArrayList<>();
        for (Map<String, List<String>> each : CANNOT_HOLD.values()) {
            each.forEach(
                    (name, tests) -> {
                        List<String> known =
                                Arrays.stream(load(name).getDeclaredMethods())
                                        .map(Method::getName)
                                        .toList();
                        tests.stream()
                                .filter(test -> !CLASSES.contains(name) || !known.contains(test))
                                .forEach(test -> unknown.add(name + "." + test));
                    });
        }
        assertEquals(List.of(), unknown);
    }
}
