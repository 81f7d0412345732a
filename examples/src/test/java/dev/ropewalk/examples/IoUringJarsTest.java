package dev.ropewalk.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.io.TcpConnection;
import dev.ropewalk.fibers.io.TcpListener;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Rule I1: io_uring is brought by those who want it; sockets of the others do not miss it. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class IoUringJarsTest {
    static final class OneLine {
        private OneLine() {}

        public static void main(String[] args) {
            try {
                Cord.run(OneLine::talk);
            } catch (Throwable failed) {
                for (Throwable why = failed; why != null; why = why.getCause()) {
                    System.out.println(why.getMessage());
                }
            }
        }

        private static void talk() {
            try (TcpListener listener = TcpListener.bind("127.0.0.1", 0);
                    TcpConnection client = TcpConnection.connect("127.0.0.1", listener.port());
                    TcpConnection server = listener.accept()) {
                client.write("line\n");
                System.out.println("got " + server.readLine());
            }
        }
    }

    private static String run(String option) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("@" + System.getProperty("ropewalk.args.file"));
        command.addAll(List.of(option, "-cp", System.getProperty("java.class.path")));
        command.add(OneLine.class.getName());
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }

    @Test
    void I1_noJarOfIoUringIsADependency() {
        assertFalse(System.getProperty("java.class.path").contains("io_uring"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Dropewalk.reactor=nio", "-Dunused=by default"})
    void I1_socketsWorkWithoutTheJarsOfIoUring(String option)
            throws IOException, InterruptedException {
        assertTrue(run(option).contains("got line"), () -> "with " + option);
    }

    @Test
    void I1_ioUringWithoutItsJarsNamesThem() throws IOException, InterruptedException {
        String told = run("-Dropewalk.reactor=io_uring");
        for (String part :
                List.of(
                        "ropewalk.reactor=io_uring cannot be had here",
                        "io.netty:netty-transport-classes-io_uring",
                        "io.netty:netty-transport-native-io_uring",
                        "linux-x86_64")) {
            assertTrue(told.contains(part), () -> "no \"" + part + "\" in: " + told);
        }
    }
}
