package dev.ropewalk.actors.cluster.ratis;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** The options of a server. */
class RatisOptionsTest {
    private static final Path FOLDER = Path.of("n1");
    private static final Map<String, String> TWO =
            Map.of("n1", "host-1.example:7501", "n2", "10.0.0.2:7501");

    private static String refused(String server, Map<String, String> servers) {
        return String.valueOf(
                assertThrows(
                                IllegalArgumentException.class,
                                () -> RatisOptions.of(server, servers, FOLDER),
                                servers::toString)
                        .getMessage());
    }

    @Test
    void A7_serversThatAreNoneAreErrors() {
        assertTrue(refused("n3", TWO).contains("n3"));
        assertTrue(refused("", Map.of("", "h:1")).contains("server=\"\""));
        assertTrue(refused("N1", Map.of("N1", "h:1")).contains("N1"));
        refused("n1", Map.of());
        for (String bad :
                new String[] {"h", "h:", ":1", "h:0", "h:65536", "h:x", "h h:1", "http://h:1"}) {
            assertTrue(refused("n1", Map.of("n1", bad)).contains('"' + bad + '"'), bad);
        }
        assertTrue(refused("n1", Map.of("n1", "h:1", "n2", "h:1")).contains("two servers"));
        Map<String, String> many = new HashMap<>();
        for (int i = 0; i < 10; i++) {
            many.put("n" + i, "h" + i + ":1");
        }
        assertTrue(refused("n1", many).contains("servers=10 > 9"));
    }

    @Test
    void A7_optionsThatAreNoneAreErrors() {
        RatisOptions good = RatisOptions.of("n1", TWO, FOLDER);
        Class<IllegalArgumentException> bad = IllegalArgumentException.class;
        assertThrows(bad, () -> good.withGroup(""));
        assertThrows(bad, () -> good.withGroup("a/b"));
        assertThrows(bad, () -> good.withCallLimit(Duration.ofMillis(99)));
        assertThrows(bad, () -> good.withCallLimit(Duration.ofSeconds(61)));
        assertThrows(bad, () -> good.withBindHost("0.0.0.0:7501"));
        assertThrows(bad, () -> good.withBindHost(""));
    }

    @Test
    void A7_aServerListensAtItsOwnAddressUnlessToldOtherwise() {
        RatisOptions good = RatisOptions.of("n1", TWO, FOLDER);
        assertEquals("host-1.example", good.bindHost());
        assertEquals(7501, good.port());
        assertEquals("0.0.0.0", good.withBindHost("0.0.0.0").bindHost());
        RatisOptions six = RatisOptions.of("n1", Map.of("n1", "[::1]:7501"), FOLDER);
        assertEquals("::1", six.bindHost());
        assertTrue(good.withGroup("shop").toString().contains("server n1 of group shop"));
    }
}
