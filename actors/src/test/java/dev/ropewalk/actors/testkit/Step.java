package dev.ropewalk.actors.testkit;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.Behavior;

/** A message that says itself what the actor does. */
@FunctionalInterface
public interface Step {
    /** What one step does, and then goes on. */
    @FunctionalInterface
    public interface Code {
        void run(ActorContext<Step> self) throws Exception;
    }

    public Behavior<Step> run(ActorContext<Step> self) throws Exception;

    public static Step of(Code code) {
        return self -> {
            code.run(self);
            return Behavior.same();
        };
    }

    public static Step stop() {
        return _ -> Behavior.stopped();
    }

    public static Step crash(String why) {
        return _ -> {
            throw new Crash(why);
        };
    }

    /** An actor of steps; the code runs in the factory. */
    public static Actor<Step> actor(Code atStart) {
        return Actor.handler(
                (ActorContext<Step> self) -> {
                    try {
                        atStart.run(self);
                    } catch (RuntimeException failure) {
                        throw failure;
                    } catch (Exception failure) {
                        throw new Crash(failure);
                    }
                    return step -> step.run(self);
                });
    }

    public static Actor<Step> actor() {
        return actor(_ -> {});
    }

    /** The same in loop style. */
    public static Actor<Step> loop(Code atStart) {
        return Actor.loop(
                (ActorContext<Step> self) -> {
                    atStart.run(self);
                    Behavior<Step> next = Behavior.same();
                    while (next != Behavior.<Step>stopped()) {
                        next = self.receive().run(self);
                    }
                });
    }
}
