package dev.ropewalk.actors.cluster.store;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

/**
 * An engine that keeps values below keys and replaces one only from the revision that the writer
 * has seen (compare-and-set). Nodes decide by it which of them owns what, so an engine keeps four
 * promises:
 *
 * <ul>
 *   <li>A write that was answered {@link WriteResult.Written} survives: the loss of the engine's
 *       process, and of the process that embeds the engine.
 *   <li>A write whose outcome the engine does not know is {@link WriteResult.Unknown}, and nothing
 *       else. It may take effect later, too.
 *   <li>A read, and a list for each of its entries, sees all that was written before it began.
 *   <li>An entry that the engine finds damaged is a {@link StoreException}, and is not returned.
 * </ul>
 *
 * <p>A revision is a number above 0 that a store gives once, also when the key was removed in
 * between, so an old revision never fits again. A value has a greater one than the value that it
 * replaced.
 *
 * <p>All calls are switchpoints and may wait, also without a limit; a caller that has one ends its
 * wait by it ({@link dev.ropewalk.fibers.CancelScope}). A {@code replace} that was left may take
 * effect. Works from any thread.
 */
public interface Store extends AutoCloseable {
    /** How long a key may be, in bytes of UTF-8. */
    int MAX_KEY = 512;

    /** How long a value may be, in bytes. */
    int MAX_VALUE = 16 << 20;

    /**
     * {@return the entry of a key} It has revision 0 and no bytes if there is none.
     *
     * @param key which
     * @throws StoreException if the engine cannot tell, or finds the entry damaged
     * @throws IllegalArgumentException as {@link #checkKey}
     */
    StoreEntry read(String key);

    /**
     * Writes a value if the key has the revision that the caller has seen.
     *
     * @param key which
     * @param revision the one it must have; 0 if there must be no entry
     * @param value the bytes, which the caller must not change before this has returned; null to
     *     remove the entry
     * @return the new revision, or that it was refused, or that the outcome is unknown
     * @throws IllegalArgumentException as {@link #checkKey}; if the revision is negative, the value
     *     longer than {@link #MAX_VALUE}, or an entry to be removed that is not there
     */
    WriteResult replace(String key, long revision, byte @Nullable [] value);

    /**
     * {@return entries with their values, in the order of their keys' bytes} A page of them: the
     * next one begins after the last key of this one. Each entry is one that was there during the
     * call; two of them need not have been there together.
     *
     * @param prefix which each key begins with
     * @param after which each key is greater than; empty for the first page
     * @param max how many, at least 1
     * @throws StoreException if the engine cannot tell, or finds one of them damaged
     * @throws IllegalArgumentException if max is less than 1
     */
    List<StoreEntry> list(String prefix, String after, int max);

    /**
     * Tells of changes below a prefix, soon after they were made. A change may be told more than
     * once, several of a key together, and one that was not made too: the listener reads what it
     * needs.
     *
     * @param prefix which the keys begin with
     * @param changed is called with the key, on a thread of the engine's, and must not wait
     * @return what ends it
     * @throws IllegalStateException if the store is closed
     */
    StoreWatch watch(String prefix, Consumer<String> changed);

    /**
     * {@return whether no other process has the store while this one has it} Otherwise a process
     * owns a thing in it only while it holds a lease. Waits for nothing.
     */
    default boolean isOfOneProcess() {
        return false;
    }

    /** Ends what the store has in this process. The entries stay; open calls fail. */
    @Override
    void close();

    /**
     * For engines: checks a key.
     *
     * @param key any
     * @throws IllegalArgumentException if it is empty, longer than {@link #MAX_KEY}, has a control
     *     character, or half of a surrogate pair
     */
    static void checkKey(String key) {
        boolean hasControl = key.codePoints().anyMatch(Store::isNoText);
        int length = key.getBytes(StandardCharsets.UTF_8).length;
        if (key.isEmpty() || hasControl || length > MAX_KEY) {
            throw new IllegalArgumentException(
                    "key \""
                            + key
                            + "\" has "
                            + length
                            + " bytes; give 1 to "
                            + MAX_KEY
                            + ", without control characters");
        }
    }

    private static boolean isNoText(int character) {
        return Character.isISOControl(character)
                || Character.getType(character) == Character.SURROGATE;
    }

    /**
     * For engines: checks what is to be written.
     *
     * @param key any
     * @param revision any
     * @param value any
     * @throws IllegalArgumentException as {@link #replace}
     */
    static void checkWrite(String key, long revision, byte @Nullable [] value) {
        checkKey(key);
        if (revision < 0) {
            throw new IllegalArgumentException(
                    "revision=" + revision + " < 0 of key " + key + "; 0 is for no entry");
        }
        if (revision == 0 && value == null) {
            throw new IllegalArgumentException(
                    "revision=0 of key " + key + " has no entry that could be removed");
        }
        if (value != null && value.length > MAX_VALUE) {
            throw new IllegalArgumentException(
                    "the value of key "
                            + key
                            + " has "
                            + value.length
                            + " bytes > "
                            + MAX_VALUE
                            + "; keep less in one key");
        }
    }
}
