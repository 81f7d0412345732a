package dev.ropewalk.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobTest {
    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            textBlock =
                    """
                    *,       anything, true
                    '',      '',       true
                    '',      a,        false
                    *,       '',       true
                    ?,       a,        true
                    ?,       '',       false
                    a?c,     abc,      true
                    a?c,     ac,       false
                    a*c,     abbbc,    true
                    a*c,     abbb,     false
                    *a*b*,   xaxbx,    true
                    *a*b*,   xbxax,    false
                    h[ae]llo, hello,   true
                    h[ae]llo, hillo,   false
                    h[^e]llo, hallo,   true
                    h[^e]llo, hello,   false
                    h[a-c]llo, hbllo,  true
                    h[c-a]llo, hbllo,  true
                    h[a-c]llo, hdllo,  false
                    h[a-]llo, h-llo,   false
                    h[a-]llo, h^,      true
                    h[a-]llo, hl,      true
                    h[\\a-c]o, h-o,    true
                    h[\\a-c]o, hbo,    false
                    h[a\\]b]llo, h]llo, true
                    h[ab,    ha,       true
                    h[,      h,        false
                    a\\*,    a*,       true
                    a\\*,    ab,       false
                    a\\,     a\\,      true
                    **,      x,        true
                    """)
    void table(String pattern, String text, boolean isMatch) {
        assertEquals(isMatch, Glob.matches(pattern, text), pattern + " of " + text);
    }

    /** A pattern of a hostile client. */
    @Test
    @Timeout(value = 10, threadMode = ThreadMode.SEPARATE_THREAD)
    void manyStarsTakeNoLonger() {
        assertFalse(Glob.matches("a*".repeat(500) + "b", "a".repeat(5_000)));
    }
}
