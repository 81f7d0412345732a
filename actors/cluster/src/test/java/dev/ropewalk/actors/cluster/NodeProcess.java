package dev.ropewalk.actors.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.fibers.Cord;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

/** A node in a process of its own, to be killed. It asks and monitors an actor of each peer. */
public final class NodeProcess implements AutoCloseable {
    sealed interface Word {}

    record Question(Recipient<Integer> replyTo) implements Word {}

    /** The actor of the other node is over. */
    private record Over(ExitReason reason) {}

    /** A line that it has printed, and when it came. */
    public record Line(long atNs, String text) {}

    private static final PrintStream OUT =
            new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8);

    private final Process process;
    private final Thread reader;
    private final List<Line> lines = new CopyOnWriteArrayList<>();

    /** Starts it; 0 takes a free port. */
    NodeProcess(String name, int port, int other, Path errors) throws IOException {
        this(NodeProcess.class, errors, name, String.valueOf(port), String.valueOf(other));
    }

    /** Starts a process of another main class. */
    public NodeProcess(Class<?> main, Path errors, String name, String... arguments)
            throws IOException {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "@" + System.getProperty("ropewalk.args.file"),
                                "-Xmx128m",
                                "-XX:-UsePerfData",
                                "-XX:TieredStopAtLevel=1",
                                "-XX:+UseSerialGC",
                                "-cp",
                                System.getProperty("java.class.path"),
                                main.getName(),
                                name));
        command.addAll(List.of(arguments));
        process =
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                        .start();
        reader = new Thread(this::read, "reads " + name);
        reader.start();
    }

    // ---------------------------------------------------------------- in the other process

    /** Name, port, and the port of another node or 0. */
    public static void main(String[] arguments) throws IOException {
        ActorSystem system = ActorSystem.start("all");
        system.start("word", answering());
        Discovery others =
                arguments[2].equals("0")
                        ? Discovery.of()
                        : Discovery.of("127.0.0.1:" + arguments[2]);
        Node node =
                Node.start(
                        system,
                        NodeOptions.named(arguments[0])
                                .withAddress("127.0.0.1", Integer.parseInt(arguments[1]))
                                .withProtocol(Protocol.of(Word.class))
                                .withDiscovery(others));
        OUT.println("port " + node.port());
        system.spin("asking", Actor.<Over>loop(self -> keepAsking(self, node)));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        while (in.readLine() != null) {
            int fibers = 0;
            for (Cord each : Cord.all()) {
                fibers += each.dump().fibers().size();
            }
            OUT.println("fibers " + fibers);
        }
        System.exit(0); // because its starter is gone
    }

    private static Actor<Word> answering() {
        return Actor.handler(
                () ->
                        word -> {
                            if (word instanceof Question(var replyTo)) {
                                replyTo.tell(7);
                            }
                            return Behavior.same();
                        });
    }

    private static void keepAsking(ActorContext<Over> self, Node node) {
        while (true) {
            for (String name : node.peers()) {
                ask(self, node, name);
            }
            self.receive(Duration.ofMillis(10));
        }
    }

    private static void ask(ActorContext<Over> self, Node node, String name) {
        ActorRef<Word> other;
        try {
            other = node.at(name).find("word", Word.class);
        } catch (UnreachableException gone) {
            return;
        }
        if (other == null) {
            return;
        }
        self.monitor(other, down -> new Over(down.reason()));
        OUT.println("up " + other);
        Over over = null;
        while (over == null) {
            try {
                other.<Integer>ask(Question::new);
            } catch (AskException none) {
                // The end of the session follows.
            }
            over = self.receive(Duration.ofMillis(50));
        }
        OUT.println("down " + over.reason());
    }

    // ---------------------------------------------------------------- in the test

    private void read() {
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                lines.add(new Line(nanoTime(), line));
            }
        } catch (IOException over) {
            // It was killed.
        }
    }

    static long nanoTime() {
        return dev.ropewalk.fibers.spi.Waits.nanoTime();
    }

    /** Its lines that begin so, in order. */
    public List<Line> lines(String begin) {
        return lines.stream().filter(each -> each.text().startsWith(begin)).toList();
    }

    /** Has it print how many fibers it has. */
    void countFibers() throws IOException {
        say("");
    }

    /** A line for it to read. */
    public void say(String line) throws IOException {
        process.getOutputStream().write((line + "\n").getBytes(UTF_8));
        process.getOutputStream().flush();
    }

    /** Waits until it has ended by itself. */
    public void awaitExit() throws InterruptedException {
        process.waitFor();
        reader.join();
    }

    long sockets() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
            return all.filter(NodeProcess::isSocket).count();
        }
    }

    private static boolean isSocket(Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
        } catch (IOException closed) {
            return false;
        }
    }

    void signal(String name) throws IOException, InterruptedException {
        Process kill =
                new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start();
        if (kill.waitFor() != 0) {
            throw new IOException("kill -" + name + " " + process.pid() + " has failed");
        }
    }

    /** Ends it at once, also if it is stopped. */
    @Override
    public void close() {
        process.destroyForcibly();
        process.onExit().join();
    }

    @Override
    public String toString() {
        return lines.toString();
    }
}
