package dev.ropewalk.benchmarks.result;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class MeasuredTest {
    @Test
    void medianLeastAndMost() {
        assertEquals(new Measured(2, 1, 9, 5), Measured.of(new double[] {9, 1, 2}, 5));
        assertEquals(new Measured(2.5, 1, 9, 5), Measured.of(new double[] {9, 1, 2, 3}, 5));
    }
}
