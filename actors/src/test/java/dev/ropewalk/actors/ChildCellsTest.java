package dev.ropewalk.actors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Rule A5: a supervisor's children keep their start order, against a linked map. */
@Timeout(60)
class ChildCellsTest {
    private final Cord cord = Cord.start("children");
    private final ChildCells children = new ChildCells();

    @AfterEach
    void close() {
        children.checkInvariants();
        cord.close();
    }

    private ActorCell<String> cell(int number) {
        Actor<String> actor = Actor.handler(_ -> Behavior.stopped());
        return new ActorCell<>(
                "child-" + number, cord, actor, null, new DeadLetters(null), () -> {});
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void A5_childrenKeepTheirStartOrderAcrossRestarts(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        Map<ActorCell<?>, Fiber<?>> model = new LinkedHashMap<>();
        List<ActorCell<String>> cells = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            cells.add(cell(i));
        }
        for (int step = 0; step < 1_000; step++) {
            ActorCell<String> child = cells.get(random.nextInt(cells.size()));
            if (random.nextInt(3) > 0) {
                Fiber<?> fiber = cord.spin("incarnation", () -> {});
                children.put(child, fiber);
                model.put(child, fiber);
            } else {
                children.remove(child);
                model.remove(child);
            }
            children.checkInvariants();
            assertSame(model.get(child), child.incarnation, "seed=" + seed + " step=" + step);
            assertEquals(
                    List.copyOf(model.keySet()).reversed(),
                    fromTheYoungest(),
                    "seed=" + seed + " step=" + step);
        }
        assertEquals(List.copyOf(model.keySet()), children.takeAll(), "seed=" + seed);
        assertNull(children.youngest());
        cells.forEach(child -> assertNull(child.incarnation));
    }

    private List<ActorCell<?>> fromTheYoungest() {
        List<ActorCell<?>> all = new ArrayList<>();
        for (@Nullable ActorCell<?> child = children.youngest();
                child != null;
                child = child.olderSibling) {
            all.add(child);
        }
        return all;
    }
}
