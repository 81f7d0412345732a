package dev.ropewalk.actors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.Cord;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The actor example of the README: it compiles, runs, and stands there as it stands here. */
@Timeout(60)
class ReadmeExampleTest {
    private static final Path SOURCE =
            Path.of("src/test/java/dev/ropewalk/actors/ReadmeExampleTest.java");
    private static final Path README = Path.of("../README.md");
    private static final String MARK = "<!-- example: ReadmeExampleTest -->";

    // readme:begin
    sealed interface Message {}

    record Add(int amount) implements Message {}

    record Total(ReplyTo<Integer> replyTo) implements Message {}

    /** Its state is the behavior: each message returns the one for the next. */
    static Behavior<Message> counter(int total) {
        return message ->
                switch (message) {
                    case Add add -> counter(Math.addExact(total, add.amount()));
                    case Total ask -> {
                        ask.replyTo().reply(total);
                        yield Behavior.same();
                    }
                };
    }

    static int run() {
        return Cord.run(
                () -> {
                    try (ActorSystem system = ActorSystem.start("bank")) {
                        Actor<Message> actor = Actor.handler(_ -> counter(0));
                        ActorRef<Message> counter = system.spin("counter", actor.keepState());
                        counter.tell(new Add(40));
                        counter.tell(new Add(Integer.MAX_VALUE)); // overflows: it is restarted,
                        counter.tell(new Add(2)); // and goes on with 40 and its mailbox
                        return counter.ask(Total::new);
                    }
                });
    }

    // readme:end

    @Test
    void counterSurvivesItsFailure() {
        assertEquals(42, run());
    }

    @Test
    void theReadmeShowsThisExample() throws IOException {
        String source = Files.readString(SOURCE);
        String here =
                between(source, "    // readme:begin\n", "    // readme:end\n", SOURCE)
                        .stripTrailing()
                        .stripIndent();
        assertTrue(Files.exists(README), README.toAbsolutePath().normalize() + " is missing");
        String readme = Files.readString(README);
        String fromMark = readme.substring(indexOf(readme, MARK, README) + MARK.length());
        String there = between(fromMark, "```java\n", "```", README).strip();
        assertEquals(
                here,
                there,
                "the code block after "
                        + MARK
                        + " in README.md differs from what stands between"
                        + " the markers in ReadmeExampleTest; copy it from there");
    }

    private static String between(String text, String begin, String end, Path file) {
        int from = indexOf(text, begin, file) + begin.length();
        int to = text.indexOf(end, from);
        assertTrue(to >= 0, "no '" + end.strip() + "' after '" + begin.strip() + "' in " + file);
        return text.substring(from, to);
    }

    private static int indexOf(String text, String wanted, Path file) {
        int index = text.indexOf(wanted);
        assertTrue(index >= 0, "no '" + wanted.strip() + "' in " + file);
        return index;
    }
}
