package dev.ropewalk.actors.supervision;

import static dev.ropewalk.actors.supervision.OtpRun.ref;
import static dev.ropewalk.actors.supervision.OtpRun.settle;
import static dev.ropewalk.actors.supervision.OtpRun.states;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.testkit.Crash;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** Rule A5, after OTP's tests of its supervisor: significant children. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class OtpSignificantTest {
    private static final Supervision RULES = Supervision.oneForOne();

    private static Tree sup(OtpRun otp, AutoShutdown when, ActorSpec<?>... children) {
        return otp.sup(RULES.autoShutdown(when), children).intensity(5, OtpRun.HOUR);
    }

    private static void end(Supervisor sup, String id, Step how) {
        ref(sup, id).tell(how);
        settle();
    }

    private static final Step NORMAL = Step.stop();
    private static final Step ABNORMAL = Step.crash("died");
    private static final Step KILL = Step.of(self -> self.self().kill());

    /** nonsignificant_temporary. */
    @Test
    void A5_otp_nonsignificantTemporary() {
        OtpRun.run(
                otp -> {
                    for (AutoShutdown when : AutoShutdown.values()) {
                        Supervisor sup = otp.start(sup(otp, when));
                        sup.add(otp.worker("a").temporary());
                        sup.stop("a");
                        assertFalse(otp.isOver());
                        for (Step how : List.of(KILL, ABNORMAL, NORMAL)) {
                            sup.add(otp.worker("a").temporary());
                            end(sup, "a", how);
                            assertEquals(List.of(), states(sup));
                            assertFalse(otp.isOver());
                        }
                        otp.stop(sup);
                        assertTrue(otp.isOver());
                    }
                });
    }

    /** nonsignificant_transient. */
    @Test
    void A5_otp_nonsignificantTransient() {
        OtpRun.run(
                otp -> {
                    for (AutoShutdown when : AutoShutdown.values()) {
                        Supervisor sup = otp.start(sup(otp, when));
                        sup.add(otp.worker("a"));
                        sup.stop("a");
                        assertFalse(otp.isOver());
                        sup.restart("a");
                        for (Step how : List.of(KILL, ABNORMAL)) {
                            end(sup, "a", how);
                            assertEquals(List.of("a UP"), states(sup));
                            assertFalse(otp.isOver());
                        }
                        assertEquals(2, sup.restarts());
                        end(sup, "a", NORMAL);
                        assertEquals(List.of("a STOPPED"), states(sup));
                        assertFalse(otp.isOver());
                        otp.stop(sup);
                        assertTrue(otp.isOver());
                    }
                });
    }

    private static ActorSpec<?>[] temporary(OtpRun otp) {
        return new ActorSpec<?>[] {
            otp.worker("a").temporary().significant(),
            otp.worker("b").temporary().significant(),
            otp.worker("c").temporary()
        };
    }

    private static void assertOverInOrder(OtpRun otp) {
        assertTrue(otp.isOver());
        assertEquals(List.of(), otp.failures.stream().filter(f -> f.startsWith("sup")).toList());
    }

    /** significant_temporary. */
    @Test
    void A5_otp_significantTemporary() {
        OtpRun.run(
                otp -> {
                    for (Step how : List.of(KILL, ABNORMAL, NORMAL)) {
                        Supervisor sup = otp.start(sup(otp, AutoShutdown.ANY, temporary(otp)));
                        // By the supervisor is not by itself.
                        sup.stop("a");
                        settle();
                        assertEquals(List.of("b UP", "c UP"), states(sup));
                        sup.add(otp.worker("a").temporary().significant());
                        assertEquals(List.of("b UP", "c UP", "a UP"), states(sup));
                        otp.takeLog();
                        end(sup, "a", how);
                        assertEquals(
                                List.of("-c Shutdown", "-b Shutdown"), otp.takeLog().subList(1, 3));
                        assertOverInOrder(otp);
                    }
                    Supervisor sup = otp.start(sup(otp, AutoShutdown.ALL, temporary(otp)));
                    otp.takeLog();
                    end(sup, "a", NORMAL);
                    assertEquals(List.of("b UP", "c UP"), states(sup));
                    end(sup, "b", NORMAL);
                    assertEquals(List.of("-a Normal", "-b Normal", "-c Shutdown"), otp.log);
                    assertOverInOrder(otp);
                });
    }

    private static ActorSpec<?>[] transients(OtpRun otp) {
        return new ActorSpec<?>[] {
            otp.worker("a").significant(), otp.worker("b").significant(), otp.worker("c")
        };
    }

    /** significant_transient. */
    @Test
    void A5_otp_significantTransient() {
        OtpRun.run(
                otp -> {
                    Supervisor any = otp.start(sup(otp, AutoShutdown.ANY, transients(otp)));
                    any.stop("a");
                    settle();
                    assertEquals(List.of("a STOPPED", "b UP", "c UP"), states(any));
                    any.restart("a");
                    otp.takeLog();
                    end(any, "a", KILL);
                    end(any, "a", ABNORMAL);
                    assertEquals(List.of("-a Killed", "+a", "-a Failed", "+a"), otp.takeLog());
                    assertEquals(List.of("a UP", "b UP", "c UP"), states(any));
                    end(any, "a", NORMAL);
                    assertEquals(List.of("-a Normal", "-c Shutdown", "-b Shutdown"), otp.log);
                    assertOverInOrder(otp);

                    Supervisor all = otp.start(sup(otp, AutoShutdown.ALL, transients(otp)));
                    otp.takeLog();
                    end(all, "a", NORMAL);
                    assertEquals(List.of("a STOPPED", "b UP", "c UP"), states(all));
                    end(all, "b", NORMAL);
                    assertEquals(List.of("-a Normal", "-b Normal", "-c Shutdown"), otp.log);
                    assertOverInOrder(otp);
                });
    }

    /**
     * significant_simple. A dynamic supervisor may end itself, because its children may be added by
     * specs of their own; those that are spun are never significant.
     */
    @Test
    void A5_otp_significantSimple() {
        OtpRun.run(
                otp -> {
                    for (AutoShutdown when : List.of(AutoShutdown.ANY, AutoShutdown.ALL)) {
                        Supervisor sup =
                                otp.start(otp.sup(Supervision.dynamic().autoShutdown(when)));
                        sup.start("spun", otp.actor("spun")).stop();
                        settle();
                        assertFalse(otp.isOver());
                        sup.start("spun", otp.actor("spun"));
                        sup.add(otp.worker("a").significant());
                        otp.takeLog();
                        end(sup, "a", NORMAL);
                        assertEquals(List.of("-a Normal", "-spun Shutdown"), otp.takeLog());
                        assertOverInOrder(otp);
                    }
                });
    }

    /** significant_bystander: those that end with their group have not ended by themselves. */
    @Test
    void A5_otp_significantBystander() {
        OtpRun.run(
                otp -> {
                    for (Strategy strategy :
                            List.of(
                                    Strategy.ONE_FOR_ONE,
                                    Strategy.ONE_FOR_ALL,
                                    Strategy.REST_FOR_ONE)) {
                        for (AutoShutdown when : List.of(AutoShutdown.ANY, AutoShutdown.ALL)) {
                            Supervisor sup =
                                    otp.start(
                                            otp.sup(
                                                    RULES.strategy(strategy).autoShutdown(when),
                                                    otp.worker("a").significant(),
                                                    otp.worker("b"),
                                                    otp.worker("c").significant()));
                            otp.takeLog();
                            end(sup, "b", KILL);
                            assertEquals(
                                    switch (strategy) {
                                        case ONE_FOR_ALL ->
                                                List.of(
                                                        "-b Killed",
                                                        "-c Shutdown",
                                                        "-a Shutdown",
                                                        "+a",
                                                        "+b",
                                                        "+c");
                                        case REST_FOR_ONE ->
                                                List.of("-b Killed", "-c Shutdown", "+b", "+c");
                                        case ONE_FOR_ONE, DYNAMIC -> List.of("-b Killed", "+b");
                                    },
                                    otp.takeLog());
                            assertEquals(List.of("a UP", "b UP", "c UP"), states(sup));
                            assertFalse(otp.isOver());
                        }
                    }
                });
    }

    /** The last of all is not over while another one is to be started again. */
    @Test
    void A5_aSignificantChildThatIsStartedAgainCounts() {
        OtpRun.run(
                otp -> {
                    int[] starts = new int[1];
                    ActorSpec<Step> b =
                            otp.worker(
                                            "b",
                                            _ -> {
                                                if (starts[0]++ == 1) {
                                                    Fiber.sleep(Duration.ofSeconds(2));
                                                    throw new Crash("not yet");
                                                }
                                            })
                                    .significant();
                    Supervisor sup =
                            otp.start(
                                    otp.sup(
                                            Supervision.restForOne().autoShutdown(AutoShutdown.ALL),
                                            otp.worker("a").significant(),
                                            b));
                    ActorRef<Step> a = ref(sup, "a");
                    end(sup, "b", ABNORMAL);
                    a.tell(NORMAL); // while b starts in vain
                    Fiber.sleep(Duration.ofSeconds(10));
                    assertFalse(otp.isOver());
                    assertEquals(List.of("a STOPPED", "b UP"), states(sup));
                    end(sup, "b", NORMAL);
                    assertTrue(otp.isOver());
                });
    }

    /** significant_escalation. */
    @Test
    void A5_otp_significantEscalation() {
        OtpRun.run(
                otp -> {
                    for (boolean isSignificant : List.of(true, false)) {
                        Tree below =
                                otp.sup(
                                        "below",
                                        RULES.autoShutdown(AutoShutdown.ANY),
                                        otp.worker("a").significant());
                        Supervisor sup =
                                otp.start(
                                        otp.sup(
                                                RULES.autoShutdown(AutoShutdown.ANY),
                                                otp.worker("b"),
                                                isSignificant ? below.significant() : below));
                        otp.takeLog();
                        end(sup.supervisor("below"), "a", NORMAL);
                        assertEquals(isSignificant, otp.isOver());
                        if (isSignificant) {
                            assertEquals(List.of("-a Normal", "-b Shutdown"), otp.takeLog());
                        } else {
                            assertEquals(List.of("-a Normal"), otp.takeLog());
                            assertEquals(List.of("b UP", "below STOPPED"), states(sup));
                        }
                        assertEquals(0, sup.restarts());
                    }
                });
    }
}
