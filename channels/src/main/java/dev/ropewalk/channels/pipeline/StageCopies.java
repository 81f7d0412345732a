package dev.ropewalk.channels.pipeline;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Copies of the class {@link StepStage}: one for the first stage of a segment, one for the second,
 * and so on.
 *
 * <p>The compiler of the JVM inlines a call if it saw one class there, and keeps its observation
 * with the code of the caller. All stages share the code of {@code StepStage}, so it sees all
 * functions there, and inlines none of them. A stage with a class of its own, of the same bytes,
 * has one function and one stage behind it: then the stages of a segment become one piece of code.
 * The benchmark {@code fused} shows what that is worth. Where several pipelines are busy they share
 * the copies, and it is as it was without them.
 *
 * <p>A class costs about a millisecond, so a segment takes copies only after {@value
 * #WORTH_IT_AFTER} elements. Rejected: a class for each stage of a description, because a program
 * that describes its pipeline for each request would have the compiler begin anew each time; code
 * that is generated for each segment, which does the same with more of it.
 */
final class StageCopies {
    /** Elements that a segment passes on before it takes copies. */
    static final int WORTH_IT_AFTER = 10_000;

    /** Stages further back share them. */
    private static final int COPIES = 32;

    private static final MethodType CONSTRUCTOR =
            MethodType.methodType(
                    void.class,
                    Segment.class,
                    int.class,
                    Step.class,
                    StageCounter.class,
                    Stage.class);

    /** Guarded by the class. */
    private static final @Nullable MethodHandle[] CONSTRUCTORS = new MethodHandle[COPIES];

    private StageCopies() {}

    static Stage stage(Segment segment, int index, Step step, StageCounter counter, Stage next) {
        try {
            return (Stage) constructor(index % COPIES).invoke(segment, index, step, counter, next);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("no copy of the class of stages", e);
        }
    }

    private static synchronized MethodHandle constructor(int number)
            throws ReflectiveOperationException, IOException {
        MethodHandle constructor = CONSTRUCTORS[number];
        if (constructor == null) {
            constructor = define();
            CONSTRUCTORS[number] = constructor;
        }
        return constructor;
    }

    private static MethodHandle define() throws ReflectiveOperationException, IOException {
        try (InputStream in =
                StepStage.class.getResourceAsStream(StepStage.class.getSimpleName() + ".class")) {
            if (in == null) {
                throw new IOException("the class file of " + StepStage.class + " is missing");
            }
            MethodHandles.Lookup copy =
                    MethodHandles.lookup().defineHiddenClass(in.readAllBytes(), false);
            return copy.findConstructor(copy.lookupClass(), CONSTRUCTOR);
        }
    }
}
