package dev.ropewalk.fibers.observe;

import dev.ropewalk.fibers.spi.Waits;

import java.time.Duration;

/**
 * How long a fiber may run without a switchpoint before {@link Slice#checkpoint} complains.
 *
 * @param warning after how long it is logged, once per slice; {@link Waits#FOREVER} for never
 * @param error after how long the checkpoint throws; {@link Waits#FOREVER} for never
 */
public record SliceLimits(Duration warning, Duration error) {
    /** Half a second, and a second. */
    public static final SliceLimits DEFAULT =
            new SliceLimits(Duration.ofMillis(500), Duration.ofSeconds(1));

    /** Checks the values. */
    public SliceLimits {
        Waits.nanos(warning);
        Waits.nanos(error);
    }
}
