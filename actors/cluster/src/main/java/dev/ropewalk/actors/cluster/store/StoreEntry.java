package dev.ropewalk.actors.cluster.store;

import java.util.Objects;

/** A key of a {@link Store} with the value that it had at some moment. */
public final class StoreEntry {
    private static final byte[] NONE = {};

    private final String key;
    private final long revision;
    private final byte[] value;

    /**
     * For engines.
     *
     * @param key which
     * @param revision of the value, above 0
     * @param value the bytes, which become the entry's: nobody may change them
     */
    public StoreEntry(String key, long revision, byte[] value) {
        this.key = Objects.requireNonNull(key, "key");
        this.revision = revision;
        this.value = Objects.requireNonNull(value, "value");
    }

    /**
     * {@return the entry of a key that has none} For engines.
     *
     * @param key which
     */
    public static StoreEntry absent(String key) {
        return new StoreEntry(key, 0, NONE);
    }

    /** {@return the key} */
    public String key() {
        return key;
    }

    /** {@return the revision of the value; 0 if there is no entry} */
    public long revision() {
        return revision;
    }

    /** {@return whether there is an entry} */
    public boolean isPresent() {
        return revision != 0;
    }

    /** {@return the bytes, which are not to be changed; none if there is no entry} */
    public byte[] value() {
        return value;
    }

    @Override
    public String toString() {
        return key + "@" + revision + " (" + value.length + " bytes)";
    }
}
