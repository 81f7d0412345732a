package dev.ropewalk.actors.cluster.internal.lease;

import dev.ropewalk.actors.cluster.store.StoreException;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * The reason why a thing that is tried again and again fails. Logged when it comes, changes or
 * goes, and not too often. Confined to the node's cord, but for {@link #text}.
 */
public final class Trouble {
    private static final Log LOG = Logs.logger(Trouble.class);

    /** Another reason of the same trouble is logged after so long. */
    private static final Duration TOLD_AGAIN = Duration.ofSeconds(10);

    private final Object owner;
    private final String effect;
    private final BooleanSupplier isSilent;
    private volatile @Nullable String reason;
    private long toldNs;

    /**
     * No trouble yet.
     *
     * @param owner is named in the log
     * @param effect of the trouble, as a verb with its object
     * @param isSilent tells whether nothing is logged now
     */
    public Trouble(Object owner, String effect, BooleanSupplier isSilent) {
        this.owner = owner;
        this.effect = effect;
        this.isSilent = isSilent;
    }

    /** It comes, or goes on. */
    public void has(String why) {
        long nowNs = Waits.nanoTime();
        boolean isNew = reason == null;
        boolean isOther = !why.equals(reason) && nowNs - toldNs >= TOLD_AGAIN.toNanos();
        if ((isNew || isOther) && !isSilent.getAsBoolean()) {
            LOG.warn("{} {}, and tries again: {}", owner, effect, why);
            toldNs = nowNs;
        }
        reason = why;
    }

    /** The same; rethrows the signals that end a fiber. */
    public void has(Throwable why) {
        Waits.throwIfSignal(why);
        String text = why.getMessage();
        has(why instanceof StoreException && text != null ? text : why.toString());
    }

    /** It has gone, or was not there. */
    public void isOver() {
        if (reason != null) {
            LOG.info("{} no longer {}", owner, effect);
        }
        reason = null;
    }

    /** The effect and the reason; empty if there is none. For any thread. */
    public String text() {
        String why = reason;
        return why == null ? "" : effect + ": " + why;
    }
}
