package dev.ropewalk.channels.http;

import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** The time as HTTP writes it, made once a second. From any cord. */
final class Dates {
    private static final DateTimeFormatter FORMAT =
            DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
                    .withZone(ZoneOffset.UTC);
    private static final long SECOND_MS = 1_000;

    private final InstantSource clock;

    /** Without a fence: the time that a cord finds is whole, if not the last that another made. */
    private Made last = new Made(Long.MIN_VALUE, "");

    Dates(InstantSource clock) {
        this.clock = clock;
    }

    private record Made(long second, String text) {}

    String now() {
        long second = Math.floorDiv(clock.millis(), SECOND_MS);
        Made made = last;
        if (second != made.second()) {
            made = new Made(second, FORMAT.format(Instant.ofEpochSecond(second)));
            last = made;
        }
        return made.text();
    }
}
