package dev.ropewalk.fibers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Design, section 4: a JVM started without the flags says at its first cord what to add, and
 * nothing else.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class JvmFlagsTest {
    /** What the other JVM runs. */
    static final class FirstCord {
        private FirstCord() {}

        public static void main(String[] args) {
            if (args.length == 0) {
                Cord.run(() -> {});
            } else {
                Cord.start("first").close();
            }
        }
    }

    private static OtherJvm.Ended start(List<String> flags, String... args)
            throws IOException, InterruptedException {
        return OtherJvm.run(flags, FirstCord.class, args);
    }

    private static List<String> flags(OtherJvm.Ended ended) {
        return Arrays.stream(ended.output().split("\\s+"))
                .filter(word -> word.startsWith("--"))
                .map(word -> word.endsWith(".") ? word.substring(0, word.length() - 1) : word)
                .toList();
    }

    private static void assertOneClearMessage(OtherJvm.Ended ended) {
        assertEquals(1, ended.exit(), ended.output());
        String first = ended.output().lines().findFirst().orElse("");
        assertTrue(first.contains("Ropewalk cannot start a cord"), ended.output());
        assertTrue(first.contains("@ropewalk.args"), ended.output());
        assertFalse(ended.output().contains("Caused by"), ended.output());
        assertFalse(ended.output().contains("ExceptionInInitializerError"), ended.output());
        // The rest says where the caller made its first cord.
        assertTrue(ended.output().contains("FirstCord.main"), ended.output());
        assertTrue(ended.output().lines().count() <= 8, ended.output());
    }

    @Test
    void S4_withoutFlagsTheFirstCordSaysWhatToAdd() throws IOException, InterruptedException {
        OtherJvm.Ended run = start(List.of());
        assertOneClearMessage(run);
        OtherJvm.Ended started = start(List.of(), "start");
        assertOneClearMessage(started);
        assertEquals(4, flags(run).size(), run.output());
    }

    @Test
    void S4_doingWhatTheMessageSaysHelps() throws IOException, InterruptedException {
        List<String> flags = flags(start(List.of()));
        OtherJvm.Ended fixed = start(flags);
        assertEquals(0, fixed.exit(), fixed.output());
        assertEquals("", fixed.output());
    }

    @Test
    void S4_onlyWhatIsMissingIsNamed() throws IOException, InterruptedException {
        List<String> flags = new ArrayList<>(flags(start(List.of())));
        String missing = flags.removeFirst();
        OtherJvm.Ended ended = start(flags);
        assertOneClearMessage(ended);
        assertEquals(List.of(missing), flags(ended), ended.output());
    }
}
