package dev.ropewalk.benchmarks.measure;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.benchmarks.scenario.Row;

import org.junit.jupiter.api.Test;

class ChildTest {
    @Test
    void aFastWrongProgramFails() {
        Row ring =
                Row.all().stream().filter(it -> it.name().equals("ring")).findFirst().orElseThrow();
        IllegalStateException wrong =
                assertThrows(IllegalStateException.class, () -> new Child(ring, n -> n).measure());
        String message = String.valueOf(wrong.getMessage());
        assertTrue(message.startsWith("ring of operations="), message);
        assertTrue(message.contains(" != "), message);
    }
}
