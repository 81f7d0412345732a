package dev.ropewalk.channels.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

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
    private Made last = new Made(Long.MIN_VALUE, "", new byte[0]);

    Dates(InstantSource clock) {
        this.clock = clock;
    }

    @SuppressWarnings("ArrayRecordComponent") // nobody compares them
    private record Made(long second, String text, byte[] field) {}

    String now() {
        return made().text();
    }

    /** The whole field, as bytes that nobody changes. */
    byte[] field() {
        return made().field();
    }

    private Made made() {
        long second = Math.floorDiv(clock.millis(), SECOND_MS);
        Made made = last;
        if (second != made.second()) {
            String text = FORMAT.format(Instant.ofEpochSecond(second));
            made = new Made(second, text, ("date: " + text + "\r\n").getBytes(US_ASCII));
            last = made;
        }
        return made;
    }
}
