package dev.ropewalk.fibers.testing.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.ropewalk.fibers.CancelScope;
import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.Fiber;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.util.List;

/** The code that the guide shows of tests of JUnit. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class FiberTestSnippetsTest {
    private static String ask(Duration time) {
        Fiber.sleep(time);
        return "answer";
    }

    // @start region="junit"
    @FiberTest(cords = 2)
    void answerComesInTime(List<Cord> cords) {
        Fiber<String> asked = cords.get(1).spin("asked", () -> ask(Duration.ofSeconds(1)));
        String answer = CancelScope.moveOnAfter(Duration.ofSeconds(2), "too late", asked::await);
        assertEquals("answer", answer);
    }

    // @end
}
