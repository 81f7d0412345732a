package dev.ropewalk.examples.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.ropewalk.examples.cli.BadOption;

import org.junit.jupiter.api.Test;

import java.util.List;

class ServerOptionsTest {
    @Test
    void defaults() throws BadOption {
        assertEquals(new ServerOptions(7_007, 1, 10_000, false), parse());
    }

    @Test
    void eachOption() throws BadOption {
        assertEquals(
                new ServerOptions(80, 2, 5, 7_090, true),
                parse("--port", "80", "--cords=2", "--connections=5", "--observer=7090", "--help"));
    }

    @Test
    void badOptions() {
        for (String bad : List.of("--port=70000", "--port", "--cords=0", "--speed", "file")) {
            assertThrows(BadOption.class, () -> parse(bad), bad);
        }
    }

    @Test
    void onlySeveralCordsShareAPort() throws BadOption {
        assertEquals(false, parse().tcp().reusePort());
        assertEquals(true, parse("--cords=2").tcp().reusePort());
    }

    private static ServerOptions parse(String... words) throws BadOption {
        return ServerOptions.parse(List.of(words), 7_007, (_, _) -> false);
    }
}
