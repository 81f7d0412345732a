package dev.ropewalk.actors.internal.supervision;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.actors.internal.SystemCore;
import dev.ropewalk.actors.internal.observe.Redaction;
import dev.ropewalk.actors.supervision.Supervision;
import dev.ropewalk.fibers.Cord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;

/** Rule A5: a supervisor's children keep their start order, against a linked set. */
@Timeout(60)
class ChildrenTest {
    private final Cord cord = Cord.start("children");
    private final Children children = new Children();

    @AfterEach
    void close() {
        children.checkInvariants();
        cord.close();
    }

    private Child child(int number) {
        return new Child(
                new SupervisorCell(
                        "child-" + number,
                        cord,
                        Supervision.oneForOne(),
                        null,
                        new SystemCore(
                                List.of(cord), null, new Redaction(UnaryOperator.identity()))),
                null,
                null);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void A5_childrenKeepTheirStartOrder(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Set<Child> model = new LinkedHashSet<>();
        List<Child> all = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            all.add(child(i));
        }
        for (int step = 0; step < 1_000; step++) {
            Child child = all.get(random.nextInt(all.size()));
            if (model.add(child)) {
                children.add(child);
            } else {
                children.remove(child);
                model.remove(child);
            }
            children.checkInvariants();
            String at = "seed=" + seed + " step=" + step;
            assertEquals(model.size(), children.size(), at);
            assertEquals(List.copyOf(model), children.toList(), at);
            assertEquals(List.copyOf(model).reversed(), fromTheYoungest(), at);
        }
        children.toList().forEach(children::remove);
        assertNull(children.youngest());
    }

    @Test
    void A5_childWhoseEndIsExpectedIsNotTakenForAFailure() {
        Child child = child(1);
        child.state(Child.State.NEW, Child.State.UP);
        child.state(Child.State.UP, Child.State.STOPPING);
        IllegalStateException wrong =
                assertThrows(
                        IllegalStateException.class,
                        () -> child.state(Child.State.UP, Child.State.GONE));
        assertEquals("state=STOPPING != from=UP in child child-1 STOPPING", wrong.getMessage());
    }

    private List<Child> fromTheYoungest() {
        List<Child> all = new ArrayList<>();
        for (@Nullable Child child = children.youngest(); child != null; child = child.older) {
            all.add(child);
        }
        return all;
    }
}
