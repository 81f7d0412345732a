package dev.ropewalk.actors.supervision;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.StopReport;
import dev.ropewalk.actors.internal.supervision.SupervisorCell;
import dev.ropewalk.actors.testkit.Errors;
import dev.ropewalk.actors.testkit.Step;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One run of a test after OTP's own tests of its supervisor, on virtual time. The supervisor that
 * is tested is a temporary child, so its end is its last one and harms nobody.
 */
public final class OtpRun {
    /** What a test does. */
    @FunctionalInterface
    public interface Body {
        void run(OtpRun otp) throws Exception;
    }

    public static final Duration SECOND = Duration.ofSeconds(1);
    public static final Duration HOUR = Duration.ofHours(1);

    /** Each incarnation of a worker as {@code +id}, and as {@code -id Reason}. */
    public final List<String> log = new ArrayList<>();

    public final List<String> failures = new ArrayList<>();

    private final List<ActorSystem> systems = new ArrayList<>();

    private OtpRun() {}

    public static void run(Body body) {
        TestCord.run(
                () -> {
                    OtpRun otp = new OtpRun();
                    try {
                        body.run(otp);
                        otp.systems.forEach(
                                system -> ((SupervisorCell) system.root()).checkInvariants());
                    } finally {
                        otp.systems.reversed().forEach(ActorSystem::close);
                    }
                });
    }

    // ---------------------------------------------------------------- making

    public ActorSpec<Step> worker(String id) {
        return Tree.child(id, actor(id));
    }

    public ActorSpec<Step> worker(String id, Step.Code atStart) {
        return Tree.child(id, actor(id, atStart));
    }

    public Actor<Step> actor(String id) {
        return actor(id, _ -> {});
    }

    /** It notes its starts and ends. */
    public Actor<Step> actor(String id, Step.Code atStart) {
        return Step.actor(
                self -> {
                    log.add("+" + id);
                    self.atEnd(
                            reason -> log.add("-" + id + " " + reason.getClass().getSimpleName()));
                    atStart.run(self);
                });
    }

    /** Its start comes to an end of its own, as one that OTP calls ignored. */
    public static Actor<Step> ignoring() {
        return Actor.handler((ActorContext<Step> _) -> Behavior.stopped());
    }

    /** The supervisor that is tested; 2 restarts an hour, as in most of the cases. */
    public Tree sup(Supervision rules, ChildSpec<?>... children) {
        return sup("sup", rules, children);
    }

    public Tree sup(String id, Supervision rules, ChildSpec<?>... children) {
        return Tree.of(id, told(rules).intensity(2, HOUR), children);
    }

    public Supervision told(Supervision rules) {
        return rules.onFailure(
                report -> failures.add(Errors.inShort(report.actor() + ": " + report.failure())));
    }

    public Supervisor start(Tree sup) {
        Tree all = Tree.of("top", told(Supervision.oneForOne()), sup.temporary());
        ActorSystem system = ActorSystem.start(all, _ -> {});
        systems.add(system);
        return system.supervisor(sup.id());
    }

    // ---------------------------------------------------------------- driving

    /** As the supervisor above ends it; waits. */
    public void stop(Supervisor sup) {
        systems.getLast().root().stop(sup.name());
    }

    public StopReport stopWithGrace(Duration limit) {
        return systems.getLast().stop(limit);
    }

    /** Lets all fibers run until each of them waits; virtual time stands nearly still. */
    public static void settle() {
        Fiber.sleep(Duration.ofNanos(1));
    }

    /** Takes what was noted so far. */
    public List<String> takeLog() {
        List<String> taken = List.copyOf(log);
        log.clear();
        return taken;
    }

    public static long now() {
        return Cord.current().nanoTime();
    }

    public static Duration since(long beganNs) {
        return Duration.ofNanos(now() - beganNs);
    }

    // ---------------------------------------------------------------- looking

    /** The supervisor that was started last has ended for good. */
    public boolean isOver() {
        return systems.getLast().root().children().isEmpty();
    }

    /** The actor at this path; null if there is none. */
    @Nullable ActorRef<?> find(String path) {
        return systems.getLast().find(path);
    }

    /** The actor of that name below the supervisor; an actor of steps. */
    @SuppressWarnings("unchecked")
    public static ActorRef<Step> ref(Supervisor sup, String id) {
        ActorRef<?> found = info(sup, id).actor();
        if (found == null) {
            throw new AssertionError(id + " is a supervisor");
        }
        return (ActorRef<Step>) found;
    }

    public static ChildInfo info(Supervisor sup, String id) {
        return sup.children().stream()
                .filter(child -> child.id().equals(id))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + id + " in " + states(sup)));
    }

    /** The children, the oldest first, each as {@code id STATE}. */
    public static List<String> states(Supervisor sup) {
        return sup.children().stream().map(child -> child.id() + " " + child.state()).toList();
    }

    public static long count(Supervisor sup, ChildInfo.State state) {
        return sup.children().stream().filter(child -> child.state() == state).count();
    }
}
