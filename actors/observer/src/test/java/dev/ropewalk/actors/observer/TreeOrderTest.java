package dev.ropewalk.actors.observer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.actors.observe.ActorGlance;
import dev.ropewalk.actors.observe.ActorPhase;
import dev.ropewalk.actors.observer.TreeOrder.By;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.stream.Stream;

/** The rows of a tree. */
class TreeOrderTest {
    private static ActorGlance actor(String path, int queued) {
        return new ActorGlance(path, path.length(), "Till", "main", ActorPhase.UP, queued, null, 0);
    }

    private static List<String> rows(String filter, By by, ActorGlance... actors) {
        return TreeOrder.rows(List.of(actors), filter, by).stream()
                .map(each -> " ".repeat(each.depth()) + each.path())
                .toList();
    }

    private static List<String> tree(String... paths) {
        return rows(
                "",
                By.TREE,
                Stream.of(paths).map(each -> actor(each, 0)).toArray(ActorGlance[]::new));
    }

    @Test
    void anActorStandsAboveItsOwnActorsAndEachSupervisorOnce() {
        assertEquals(
                List.of("s", " s/a", "  s/a/b", " s/a-b", " s/c", "  s/c/d", "  s/c/e"),
                tree("s/a-b", "s/c/e", "s/a", "s/a/b", "s/c/d"));
    }

    @Test
    void aNameThatBeginsLikeAnotherHasASupervisorOfItsOwn() {
        assertEquals(List.of("s", " s/a", "  s/a/x", " s/ab", "  s/ab/y"), tree("s/a/x", "s/ab/y"));
        assertEquals(List.of(), tree());
        assertEquals(List.of("s", " s/a", "  s/a/b", "   s/a/b/c"), tree("s/a/b/c"));
    }

    @Test
    void otherOrdersHaveNoTree() {
        ActorGlance few = actor("s/a", 1);
        ActorGlance many = actor("s/b/c", 5);
        assertEquals(List.of("s/b/c", "s/a"), rows("", By.QUEUED, few, many));
        assertEquals(List.of("s/b/c"), rows("B/", By.TREE, few, many));
        assertEquals(By.QUEUED, By.of("queued"));
        assertEquals(By.TREE, By.of("no such order"));
    }
}
