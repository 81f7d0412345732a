package dev.ropewalk.benchmarks;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class ChildTest {
    @Test
    void aFastWrongProgramFails() {
        IllegalStateException wrong =
                assertThrows(
                        IllegalStateException.class,
                        () -> new Child(Scenario.named("ring"), n -> n).measure());
        String message = String.valueOf(wrong.getMessage());
        assertTrue(message.startsWith("ring of operations="), message);
        assertTrue(message.contains(" != "), message);
    }
}
