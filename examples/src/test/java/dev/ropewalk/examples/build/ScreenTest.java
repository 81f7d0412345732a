package dev.ropewalk.examples.build;

import static org.junit.jupiter.api.Assertions.assertEquals;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.Behavior;
import dev.ropewalk.examples.build.BuildEvent.Ended;
import dev.ropewalk.examples.build.BuildEvent.Failed;
import dev.ropewalk.examples.build.BuildEvent.Finished;
import dev.ropewalk.examples.build.BuildEvent.Line;
import dev.ropewalk.examples.build.BuildEvent.Skipped;
import dev.ropewalk.examples.build.BuildEvent.Started;
import dev.ropewalk.examples.build.BuildEvent.Tick;
import dev.ropewalk.examples.cli.Output;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.ByteArrayOutputStream;
import java.util.List;

/** What people and programs read of events. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ScreenTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Printer printer = new Printer(new Output(out, UTF_8));

    private String told(Behavior<BuildEvent> reader, BuildEvent... events) throws Exception {
        for (BuildEvent event : events) {
            reader.onMessage(event);
        }
        String text = out.toString(UTF_8).replace(Screen.ERASE, "<");
        out.reset();
        return text;
    }

    private static Ended ended() {
        return new Ended(new Summary(List.of("a"), List.of("b"), List.of("c"), true));
    }

    @Test
    void theProgressLineIsDrawnAtTicksOnlyAndOnlyIfItChanges() throws Exception {
        Screen screen = new Screen(printer, 3, true);
        assertEquals("[1/3] a\n[2/3] b\n", told(screen, new Started("a"), new Started("b")));
        assertEquals("0/3 done, running: a, b", told(screen, new Tick(), new Tick(), new Tick()));
        assertEquals("<a| x\n", told(screen, new Line("a", "x")));
        assertEquals("", told(screen, new Finished("a", 1, 0), new Finished("b", 1, 0)));
        assertEquals("2/3 done, running: ", told(screen, new Tick()));
        assertEquals(
                "<build: 1 of 3 built until the interrupt\nfailed: b\nnot built: c\n",
                told(screen, ended(), new Tick()));
    }

    @Test
    void aLongProgressLineIsCutBeforeTheEdgeOfATerminal() throws Exception {
        Screen screen = new Screen(printer, 1, true);
        told(screen, new Started("x".repeat(200)));
        String line = told(screen, new Tick());
        assertEquals(79, line.length());
        assertEquals("...", line.substring(76));
    }

    @Test
    void withoutATerminalThereIsNoProgressLine() throws Exception {
        Screen screen = new Screen(printer, 2, false);
        assertEquals("[1/2] a\n", told(screen, new Started("a"), new Tick(), new Tick()));
        assertEquals(
                "a: 5 more lines of output were cut; --output-limit keeps more\n",
                told(screen, new Finished("a", 1, 5)));
    }

    @Test
    void whatACommandWroteMovesNoCursor() throws Exception {
        Screen screen = new Screen(printer, 1, false);
        assertEquals("a| \\u001b[2Jx    y\n", told(screen, new Line("a", "\u001b[2Jx\ty")));
    }

    @Test
    void anObjectOfJsonForEachEvent() throws Exception {
        assertEquals(
                """
                {"event":"started","task":"a"}
                {"event":"output","task":"a","line":"\\"\\\\\\u0009\\ud83d\\ude00é"}
                {"event":"finished","task":"a","ms":12,"cutLines":3}
                {"event":"failed","task":"b","ms":1,"cutLines":0,"command":"cc","why":"exit code 1"}
                {"event":"skipped","task":"c","why":"it needs b, which failed"}
                {"event":"ended","built":["a"],"failed":["b"],"skipped":["c"],"interrupted":true}
                """,
                told(
                        new JsonLines(printer),
                        new Started("a"),
                        new Line("a", "\"\\\t\ud83d\ude00é"),
                        new Tick(),
                        new Finished("a", 12, 3),
                        new Failed("b", 1, 0, "cc", "exit code 1"),
                        new Skipped("c", "it needs b, which failed"),
                        ended()));
    }
}
