package dev.ropewalk.actors;

/** A message that says itself what the actor does. */
@FunctionalInterface
interface Step {
    /** What one step does, and then goes on. */
    @FunctionalInterface
    interface Code {
        void run(ActorContext<Step> self) throws Exception;
    }

    Behavior<Step> run(ActorContext<Step> self) throws Exception;

    static Step of(Code code) {
        return self -> {
            code.run(self);
            return Behavior.same();
        };
    }

    static Step stop() {
        return _ -> Behavior.stopped();
    }

    static Step crash(String why) {
        return _ -> {
            throw new Crash(why);
        };
    }

    /** An actor of steps; the code runs in the factory. */
    static Actor<Step> actor(Code atStart) {
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

    static Actor<Step> actor() {
        return actor(_ -> {});
    }

    /** The same in loop style. */
    static Actor<Step> loop(Code atStart) {
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
