package dev.ropewalk.channels.http;

import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The time as HTTP writes it, made once a second. Confined to the cord. */
final class Dates {
    private static final DateTimeFormatter FORMAT =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
                    .withZone(ZoneOffset.UTC);
    private static final long SECOND_MS = 1_000;

    private final InstantSource clock;
    private long second = Long.MIN_VALUE;
    private String text = "";

    Dates(InstantSource clock) {
        this.clock = clock;
    }

    String now() {
        long now = Math.floorDiv(clock.millis(), SECOND_MS);
        if (now != second) {
            second = now;
            text = FORMAT.format(Instant.ofEpochSecond(now));
        }
        return text;
    }
}
