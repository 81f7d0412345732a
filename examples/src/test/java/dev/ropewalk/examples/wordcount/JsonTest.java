package dev.ropewalk.examples.wordcount;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Map;

/** The checker of the program's JSON must itself refuse what is none. */
@Timeout(60)
class JsonTest {
    @Test
    void readsWhatIsJson() {
        assertEquals(
                Map.of(
                        "a",
                        List.of(1L, -2.5e3, true, false, List.of(), Map.of()),
                        "b\n\"\\/\u00e9\u2028",
                        "\b\f\r\t"),
                Json.parse(
                        " {\"a\" : [1, -2.5e3,true,false,[ ],{}],"
                                + "\"b\\n\\\"\\\\\\/\\u00e9\u2028\":\"\\b\\f\\r\\t\"}\n"));
        assertEquals(null, Json.parse("null"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", "{", "{}x", "{\"a\":1,}", "[1,]", "[1 2]", "{a:1}", "{\"a\":1,\"a\":2}", "01",
                "1,000", "+1", ".5", "NaN", "Infinity", "'a'", "\"", "\"\n\"", "\"\\x\"",
                "\"\\u12g4\"", "\u0661", "nul", "[\"a\" : 1]"
            })
    void refusesWhatIsNone(String text) {
        assertThrows(IllegalArgumentException.class, () -> Json.parse(text));
    }
}
