package dev.ropewalk.examples.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.server.SeenServer;
import dev.ropewalk.examples.server.ServerProgram;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;

/** The option {@code --observer} of the servers. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ObserverOptionTest {
    private static int run(PrintStream err, Output out, String... arguments) {
        return new Main().run(List.of(arguments), out, err);
    }

    private static Output output(ByteArrayOutputStream to) {
        return new Output(to, UTF_8);
    }

    @Test
    void theServerAndItsConnectionsAreSeen() throws IOException, InterruptedException {
        SeenServer.assertConnectionsAreSeen(new Main(), "http");
    }

    @Test
    void aPortInUseIsALineAndTheServerEnds() throws IOException {
        try (ServerSocket used = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            ByteArrayOutputStream said = new ByteArrayOutputStream();
            String observer = "--observer=" + used.getLocalPort();
            PrintStream to = new PrintStream(err, true, UTF_8);
            int status = run(to, output(said), "--port=0", observer);
            assertEquals(ServerProgram.CANNOT_START, status);
            String text = err.toString(UTF_8);
            assertEquals(1, text.lines().count(), text);
            assertTrue(text.startsWith("http: the observer: "), text);
            assertEquals("", said.toString(UTF_8));
        }
    }
}
