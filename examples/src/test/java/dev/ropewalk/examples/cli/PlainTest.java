package dev.ropewalk.examples.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PlainTest {
    @Test
    void whatMovesTheCursorOrHidesIsEscaped() {
        assertEquals("a\\u000ab\\u000d\\u001b[2J\\u007f", Plain.text("a\nb\r\u001b[2J\u007f"));
        assertEquals("\\u009b31m", Plain.text("\u009b31m"));
        assertEquals("\\u202egnp.\\u2028\\u2029", Plain.text("\u202egnp.\u2028\u2029"));
        assertEquals("\\ud800", Plain.text("\ud800"));
        assertEquals("\\udb40\\udc01", Plain.text("\udb40\udc01"));
    }

    @Test
    void whatIsVisibleStays() {
        String text = "naïve ж λ 語 \ud834\udd1e \ufffd \\ \"";
        assertEquals(text, Plain.text(text));
    }
}
