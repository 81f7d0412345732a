package dev.ropewalk.examples.logpipe;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/** Lines of an access log in the Combined Log Format, the same for the same seed. */
final class LogGenerator {
    static final long FIRST_SECOND = Instant.parse("2026-01-31T23:59:00Z").getEpochSecond();
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("dd/MMM/yyyy:HH:mm:ss Z", Locale.US);
    private static final int[] STATUSES = {200, 200, 200, 200, 304, 404, 500, 503};

    private final SplittableRandom random;
    private long millis = 1000 * FIRST_SECOND;

    LogGenerator(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** The next lines; ten requests a second. */
    List<String> lines(int count) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            millis += random.nextInt(200);
            lines.add(line());
        }
        return lines;
    }

    static String time(long second) {
        return TIME.format(Instant.ofEpochSecond(second).atOffset(ZoneOffset.UTC));
    }

    private String line() {
        // The square makes some paths far more frequent than others.
        int page = (int) (20 * random.nextDouble() * random.nextDouble());
        return "10.0.0."
                + random.nextInt(1, 9)
                + " - - ["
                + time(millis / 1000)
                + "] \"GET /page/"
                + page
                + "?visit="
                + random.nextInt(1000)
                + " HTTP/1.1\" "
                + STATUSES[random.nextInt(STATUSES.length)]
                + " "
                + random.nextInt(50_000)
                + " \"-\" \"Agent/1.0 (\\\"quoted\\\")\" 0."
                + String.format(Locale.ROOT, "%03d", random.nextInt(1000));
    }
}
