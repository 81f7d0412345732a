package dev.ropewalk.actors.cluster.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.actors.cluster.store.StoreWatch;
import dev.ropewalk.actors.cluster.store.WriteResult;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;

@Timeout(value = 40, threadMode = ThreadMode.SEPARATE_THREAD)
class MemoryStoreFaultsTest {
    private final MemoryStore store = new MemoryStore();

    @SuppressWarnings("NullAway")
    private static String nothing() {
        return null;
    }

    @Test
    void misuse_aWatchOfNothingIsRefusedAtOnce() {
        assertThrows(NullPointerException.class, () -> store.watch(nothing(), _ -> {}));
    }

    @Test
    void A7_aListenerThatThrowsAnErrorHarmsNobody() {
        List<String> told = new ArrayList<>();
        store.watch(
                "",
                _ -> {
                    throw new AssertionError("a listener's own");
                });
        store.watch("", told::add);
        assertInstanceOf(WriteResult.Written.class, store.replace("a", 0, new byte[1]));
        assertEquals(List.of("a"), told);
    }

    @Test
    void A7_aListenerIsNotCalledAfterItsWatchWasClosed() {
        List<String> told = new ArrayList<>();
        List<StoreWatch> second = new ArrayList<>();
        store.watch("", _ -> second.getFirst().close());
        second.add(store.watch("", told::add));
        store.replace("a", 0, new byte[1]);
        assertEquals(List.of(), told);
    }

    @Test
    void misuse_aWatchOfAClosedStoreIsRefused() {
        store.close();
        assertThrows(IllegalStateException.class, () -> store.watch("", _ -> {}));
    }
}
