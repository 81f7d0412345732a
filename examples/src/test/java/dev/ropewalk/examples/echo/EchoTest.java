package dev.ropewalk.examples.echo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.server.ServerOptions;
import dev.ropewalk.examples.server.ServerProgram;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** The server against sockets of the JDK. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class EchoTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void eachClientGetsItsLinesBack(int cords) throws IOException {
        try (ServerProgram.Server echo = start(cords)) {
            List<Socket> clients = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                clients.add(new Socket(InetAddress.getLoopbackAddress(), echo.port()));
            }
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < clients.size(); i++) {
                    clients.get(i)
                            .getOutputStream()
                            .write(("client " + i + " round " + round + "\r\n").getBytes(UTF_8));
                }
                for (int i = 0; i < clients.size(); i++) {
                    assertEquals("client " + i + " round " + round, line(clients.get(i)));
                }
            }
            // One that breaks off disturbs nobody.
            clients.getFirst().setSoLinger(true, 0);
            clients.getFirst().close();
            clients.getLast().getOutputStream().write("still there\n".getBytes(UTF_8));
            assertEquals("still there", line(clients.getLast()));
            for (Socket each : clients) {
                each.close();
            }
        }
    }

    private static String line(Socket from) throws IOException {
        return new BufferedReader(new InputStreamReader(from.getInputStream(), UTF_8)).readLine();
    }

    @Test
    void aPortInUseIsALine() {
        try (ServerProgram.Server first = start(1)) {
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            int status =
                    new Main()
                            .run(
                                    List.of("--port=" + first.port()),
                                    new Output(new ByteArrayOutputStream(), UTF_8),
                                    new PrintStream(err, true, UTF_8));
            assertEquals(ServerProgram.CANNOT_START, status);
            String text = err.toString(UTF_8);
            assertEquals(1, text.lines().count(), text);
            assertTrue(text.contains("cannot listen on 127.0.0.1:" + first.port()), text);
        }
    }

    private static ServerProgram.Server start(int cords) {
        return new Main().start(new ServerOptions(0, cords, 100, false));
    }
}
