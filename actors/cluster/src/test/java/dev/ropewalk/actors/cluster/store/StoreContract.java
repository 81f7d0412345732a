package dev.ropewalk.actors.cluster.store;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Rule A7: the things that every engine promises. Each engine's test extends it. */
@Timeout(value = 120, threadMode = ThreadMode.SEPARATE_THREAD)
public abstract class StoreContract {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private @Nullable Store opened;

    /** The engine with what the test has written so far. */
    protected abstract Store open() throws Exception;

    /** The store of the test. */
    protected final Store store() {
        return Objects.requireNonNull(opened);
    }

    @BeforeEach
    final void openStore() throws Exception {
        opened = open();
    }

    @AfterEach
    final void closeStore() {
        if (opened != null) {
            opened.close();
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static String text(StoreEntry entry) {
        return new String(entry.value(), UTF_8);
    }

    private long write(String key, long revision, String value) {
        WriteResult result = store().replace(key, revision, bytes(value));
        return assertInstanceOf(WriteResult.Written.class, result, key).revision();
    }

    private void assertRefused(String key, long revision, byte @Nullable [] value) {
        assertInstanceOf(WriteResult.Refused.class, store().replace(key, revision, value), key);
    }

    // ---------------------------------------------------------------- one key

    @Test
    void A7_aKeyWithoutAnEntryHasRevision0() {
        StoreEntry entry = store().read("none");
        assertEquals("none", entry.key());
        assertEquals(0, entry.revision());
        assertFalse(entry.isPresent());
        assertEquals(0, entry.value().length);
    }

    @Test
    void A7_theValueThatWasWrittenIsRead() {
        long first = write("a", 0, "one");
        assertTrue(first > 0);
        assertEquals("one", text(store().read("a")));
        assertEquals(first, store().read("a").revision());
        long second = write("a", first, "two");
        assertTrue(second > first, () -> second + " after " + first);
        assertEquals("two", text(store().read("a")));
        assertEquals(second, store().read("a").revision());
    }

    @Test
    void A7_anotherRevisionIsRefusedAndChangesNothing() {
        long first = write("a", 0, "one");
        long second = write("a", first, "two");
        assertRefused("a", first, bytes("three"));
        assertRefused("a", 0, bytes("three"));
        assertRefused("a", second + 1, bytes("three"));
        assertRefused("a", first, null);
        assertRefused("b", second, bytes("three"));
        assertRefused("b", second, null);
        assertEquals("two", text(store().read("a")));
        assertEquals(second, store().read("a").revision());
        assertFalse(store().read("b").isPresent());
    }

    @Test
    void A7_anOldRevisionNeverFitsAgainAlsoAfterARemoval() {
        long first = write("a", 0, "one");
        assertInstanceOf(WriteResult.Written.class, store().replace("a", first, null));
        assertFalse(store().read("a").isPresent());
        assertRefused("a", first, bytes("old"));
        Set<Long> given = new HashSet<>(Set.of(first));
        for (int i = 0; i < 5; i++) {
            long again = write("a", 0, "again");
            assertTrue(given.add(again), () -> again + " was given before: " + given);
            assertInstanceOf(WriteResult.Written.class, store().replace("a", again, null));
        }
        long last = write("a", 0, "last");
        given.forEach(each -> assertRefused("a", each, bytes("old")));
        assertEquals(last, store().read("a").revision());
    }

    @Test
    void A7_noTwoKeysHaveOneRevision() {
        Set<Long> given = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            long revision = write("k" + i, 0, "value");
            assertTrue(given.add(revision), () -> revision + " twice");
        }
    }

    @Test
    void A7_aValueMayBeEmptyAndAnyBytes() {
        long revision = assertWritten(store().replace("a", 0, new byte[0]));
        assertTrue(store().read("a").isPresent());
        assertEquals(0, store().read("a").value().length);
        byte[] all = new byte[256];
        for (int i = 0; i < all.length; i++) {
            all[i] = (byte) i;
        }
        assertWritten(store().replace("a", revision, all));
        assertArrayEquals(all, store().read("a").value());
    }

    private static long assertWritten(WriteResult result) {
        return assertInstanceOf(WriteResult.Written.class, result).revision();
    }

    @Test
    void A7_aLargeValueIsKeptWhole() {
        byte[] large = new byte[1 << 20];
        for (int i = 0; i < large.length; i++) {
            large[i] = (byte) (i * 31);
        }
        assertWritten(store().replace("large", 0, large));
        assertArrayEquals(large, store().read("large").value());
    }

    @Test
    void A7_theCallersBytesAreNotTheStores() {
        byte[] mine = bytes("one");
        assertWritten(store().replace("a", 0, mine));
        mine[0] = 'x';
        byte[] read = store().read("a").value();
        assertEquals("one", new String(read, UTF_8));
        read[0] = 'x';
        assertEquals("one", text(store().read("a")));
    }

    // ---------------------------------------------------------------- bad input

    @Test
    void A7_aKeyThatIsNoneIsAnError() {
        String[] bad = {"", "a\nb", "a\0b", "x".repeat(Store.MAX_KEY + 1), "\uD800", "a\uDC00"};
        for (String each : bad) {
            assertThrows(
                    IllegalArgumentException.class, () -> store().read(each), () -> "\"" + each);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> store().replace(each, 0, bytes("v")),
                    () -> "\"" + each);
        }
        String euros = "\u20AC".repeat(Store.MAX_KEY / 3);
        write(euros, 0, "three bytes each");
        assertEquals("three bytes each", text(store().read(euros)));
        assertThrows(IllegalArgumentException.class, () -> store().read(euros + "\u20AC"));
    }

    @Test
    void A7_aWriteThatIsNoneIsAnError() {
        assertThrows(IllegalArgumentException.class, () -> store().replace("a", -1, bytes("v")));
        assertThrows(IllegalArgumentException.class, () -> store().replace("a", 0, null));
        assertThrows(
                IllegalArgumentException.class,
                () -> store().replace("a", 0, new byte[Store.MAX_VALUE + 1]));
        assertThrows(IllegalArgumentException.class, () -> store().list("", "", 0));
        assertFalse(store().read("a").isPresent());
    }

    @Test
    void A7_aKeyIsNoPatternAndNoStatement() {
        String[] odd = {"a%", "a_", "a'; drop table x; --", "a\\", "\u00E9", "e\u0301", "A", "a "};
        for (String each : odd) {
            write(each, 0, "value of " + each);
        }
        for (String each : odd) {
            assertEquals("value of " + each, text(store().read(each)));
        }
        assertFalse(store().read("ab").isPresent());
        assertFalse(store().read("a").isPresent());
        assertEquals(List.of("a%"), keys(store().list("a%", "", 10)));
        assertEquals(List.of("a_"), keys(store().list("a_", "", 10)));
    }

    // ---------------------------------------------------------------- lists

    private static List<String> keys(List<StoreEntry> entries) {
        return entries.stream().map(StoreEntry::key).toList();
    }

    @Test
    void A7_aListIsInTheOrderOfBytesAndOfThePrefixAlone() {
        String last = new String(Character.toChars(Character.MAX_CODE_POINT));
        List<String> inOrder =
                List.of("p", "p/", "p/A", "p/a", "p/b/c", "p/\u00E9", "p/\uE000", "p/\uD83D\uDE00");
        List<String> others = List.of("o/z", "p0", "q", "P/a", last);
        for (String each : others) {
            write(each, 0, "other");
        }
        for (String each : inOrder.reversed()) {
            write(each, 0, "value of " + each);
        }
        assertEquals(inOrder.subList(1, inOrder.size()), keys(store().list("p/", "", 100)));
        for (StoreEntry each : store().list("p/", "", 100)) {
            assertEquals("value of " + each.key(), text(each));
            assertEquals(store().read(each.key()).revision(), each.revision());
        }
        assertEquals(List.of(last), keys(store().list(last, "", 100)));
        assertEquals(List.of(), keys(store().list("nothing", "", 100)));
        assertEquals(
                inOrder.size() + others.size(), store().list("", "", 100).size(), "all of them");
    }

    @Test
    void A7_pagesOfAListFollowOneAnother() {
        Set<String> all = new HashSet<>();
        for (int i = 0; i < 25; i++) {
            write("k" + i, 0, "value");
            all.add("k" + i);
        }
        write("l", 0, "other");
        Set<String> seen = new HashSet<>();
        String after = "";
        int pages = 0;
        List<StoreEntry> page = store().list("k", after, 10);
        while (!page.isEmpty()) {
            assertTrue(page.size() <= 10);
            pages++;
            page.forEach(each -> assertTrue(seen.add(each.key()), each::key));
            page = store().list("k", page.getLast().key(), 10);
        }
        assertEquals(all, seen);
        assertEquals(3, pages);
        assertEquals(List.of("k0"), keys(store().list("k", "a", 1)), "after all before the prefix");
        assertEquals(List.of(), store().list("k", "m", 10), "after all of them");
    }

    @Test
    void A7_aRemovedEntryIsInNoList() {
        long a = write("p/a", 0, "value");
        write("p/b", 0, "value");
        assertWritten(store().replace("p/a", a, null));
        assertEquals(List.of("p/b"), keys(store().list("p/", "", 10)));
    }

    // ---------------------------------------------------------------- several writers

    @Test
    void A7_ofWritersFromOneRevisionOneSucceeds() throws Exception {
        int writers = 8;
        long revision = write("a", 0, "0");
        for (int round = 0; round < 10; round++) {
            List<WriteResult> results = atOnce(writers, revision, round);
            List<Long> written = new ArrayList<>();
            for (WriteResult each : results) {
                switch (each) {
                    case WriteResult.Written(long made) -> written.add(made);
                    case WriteResult.Refused() -> {}
                    case WriteResult.Unknown(Throwable cause) -> throw new AssertionError(cause);
                }
            }
            assertEquals(1, written.size(), results::toString);
            revision = written.getFirst();
            assertEquals(revision, store().read("a").revision());
        }
    }

    private List<WriteResult> atOnce(int writers, long revision, int round) throws Exception {
        List<WriteResult> results = new CopyOnWriteArrayList<>();
        try (Cord one = Cord.start("one");
                Cord two = Cord.start("two")) {
            List<Fiber<?>> all = new ArrayList<>();
            for (int i = 0; i < writers; i++) {
                String value = round + " " + i;
                all.add(
                        (i % 2 == 0 ? one : two)
                                .spin(
                                        "writer",
                                        () ->
                                                results.add(
                                                        store().replace(
                                                                        "a",
                                                                        revision,
                                                                        bytes(value)))));
            }
            for (Fiber<?> each : all) {
                each.await();
            }
        }
        return results;
    }

    @Test
    void A7_noIncrementIsLost() throws Exception {
        int keys = 3;
        int fibers = 12;
        int each = 20;
        for (int i = 0; i < keys; i++) {
            write("n" + i, 0, "0");
        }
        try (Cord one = Cord.start("one");
                Cord two = Cord.start("two")) {
            List<Fiber<?>> all = new ArrayList<>();
            for (int i = 0; i < fibers; i++) {
                String key = "n" + i % keys;
                all.add((i % 2 == 0 ? one : two).spin("adds", () -> increment(key, each)));
            }
            for (Fiber<?> one1 : all) {
                one1.await();
            }
        }
        for (int i = 0; i < keys; i++) {
            assertEquals(fibers / keys * each, Integer.parseInt(text(store().read("n" + i))));
        }
    }

    private void increment(String key, int times) {
        for (int i = 0; i < times; ) {
            StoreEntry now = store().read(key);
            String next = String.valueOf(Integer.parseInt(text(now)) + 1);
            switch (store().replace(key, now.revision(), bytes(next))) {
                case WriteResult.Written _ -> i++;
                case WriteResult.Refused() -> {}
                case WriteResult.Unknown(Throwable cause) -> throw new AssertionError(cause);
            }
        }
    }

    // ---------------------------------------------------------------- watches, the end

    @Test
    void A7_aWatchIsToldOfChangesBelowItsPrefix() {
        List<String> told = new CopyOnWriteArrayList<>();
        try (StoreWatch _ = store().watch("p/", told::add)) {
            write("q/other", 0, "value");
            long revision = write("p/a", 0, "one");
            write("p/b", 0, "value");
            awaitTold(told, "p/a", "p/b");
            assertFalse(told.contains("q/other"), told::toString);
            int before = told.size();
            long next = write("p/a", revision, "two");
            await().atMost(LIMIT).until(() -> told.lastIndexOf("p/a") >= before);
            int beforeRemoval = told.size();
            assertWritten(store().replace("p/a", next, null));
            await().atMost(LIMIT).until(() -> told.lastIndexOf("p/a") >= beforeRemoval);
        }
        List<String> others = new CopyOnWriteArrayList<>();
        try (StoreWatch _ = store().watch("p/", others::add)) {
            write("p/c", 0, "value");
            awaitTold(others, "p/c");
            assertFalse(told.contains("p/c"), "told after it was closed");
        }
    }

    private static void awaitTold(Collection<String> told, String... keys) {
        await().atMost(LIMIT).until(() -> told.containsAll(List.of(keys)));
    }

    @Test
    void A7_aListenerThatFailsHarmsNobody() {
        Set<String> told = ConcurrentHashMap.newKeySet();
        try (StoreWatch _ =
                        store().watch(
                                        "",
                                        key -> {
                                            throw new IllegalStateException("a listener's own");
                                        });
                StoreWatch _ = store().watch("", told::add)) {
            write("a", 0, "one");
            awaitTold(told, "a");
        }
    }

    @Test
    void A7_aListenerThatAsksTheStoreHoldsUpNoWrite() {
        Set<String> told = ConcurrentHashMap.newKeySet();
        Set<String> read = ConcurrentHashMap.newKeySet();
        Consumer<String> asks =
                key -> {
                    told.add(key);
                    read.add(text(store().read(key)));
                    store().replace("copy", 0, bytes(key));
                };
        try (StoreWatch _ = store().watch("p/", asks)) {
            long revision = write("p/a", 0, "one");
            write("p/b", 0, "two");
            write("p/a", revision, "three");
            awaitTold(told, "p/a", "p/b");
            await().atMost(LIMIT).until(() -> read.containsAll(Set.of("two", "three")));
        }
        assertTrue(store().read("copy").isPresent());
    }

    @Test
    void A7_aWriteThatIsLeftIsMadeOrNot() throws Exception {
        try (Cord cord = Cord.start("leaves")) {
            for (int i = 0; i < 20; i++) {
                String key = "left" + i;
                byte[] mine = bytes("one");
                Fiber<WriteResult> writer =
                        cord.spin("writes", () -> store().replace(key, 0, mine));
                if (i % 2 == 0) {
                    cord.spin("ends", writer::terminate).await();
                }
                writer.awaitEnd(LIMIT);
                mine[0] = 'x';
            }
        }
        for (int i = 0; i < 20; i++) {
            overwrite("left" + i);
        }
    }

    /** The write that was left may come at any moment. */
    private void overwrite(String key) {
        while (true) {
            StoreEntry there = store().read(key);
            assertTrue(!there.isPresent() || text(there).equals("one"), there::toString);
            if (store().replace(key, there.revision(), bytes("two"))
                    instanceof WriteResult.Written) {
                return;
            }
        }
    }

    @Test
    void A7_aClosedStoreGivesNoAnswer() {
        long revision = write("a", 0, "one");
        store().close();
        store().close();
        assertThrows(StoreException.class, () -> store().read("a"));
        assertThrows(StoreException.class, () -> store().list("", "", 10));
        assertInstanceOf(WriteResult.Unknown.class, store().replace("a", revision, bytes("two")));
    }
}
