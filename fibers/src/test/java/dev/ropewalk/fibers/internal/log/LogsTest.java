package dev.ropewalk.fibers.internal.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.slf4j.event.Level;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Rule F14: a test sees what Ropewalk logs; {@link LogPlacesTest} where it goes. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class LogsTest {
    private static final Log LOG = Logs.logger(LogsTest.class);

    private final List<Logs.Line> lines = new ArrayList<>();

    @Test
    void F14_tapSeesWarningsAndErrorsAsTheyAreWritten() {
        Exception failure = new Exception("broken");
        Logs.during(
                lines::add,
                () -> {
                    LOG.debug("not seen");
                    LOG.warn("{} and {}", 1, "two");
                    LOG.error("{} {} {}", 1, 2, 3, failure);
                    LOG.error("alone", failure);
                    LOG.warn("nothing to {}");
                });
        LOG.warn("not seen any more");
        assertEquals(
                List.of("1 and two", "1 2 3", "alone", "nothing to {}"),
                lines.stream().map(Logs.Line::message).toList());
        assertEquals(
                List.of(Level.WARN, Level.ERROR, Level.ERROR, Level.WARN),
                lines.stream().map(Logs.Line::level).toList());
        assertSame(failure, lines.get(1).failure());
        assertSame(failure, lines.get(2).failure());
        assertEquals(LogsTest.class.getName(), lines.getFirst().logger());
        assertEquals(LogsTest.class.getName(), LOG.name());
    }

    @Test
    void F14_innerTapHidesTheOuterOneAlsoIfItsBodyFails() {
        List<Logs.Line> inner = new ArrayList<>();
        Logs.during(
                lines::add,
                () -> {
                    assertThrows(
                            IllegalStateException.class,
                            () ->
                                    Logs.during(
                                            inner::add,
                                            () -> {
                                                LOG.warn("inner");
                                                throw new IllegalStateException();
                                            }));
                    LOG.warn("outer");
                });
        assertEquals("inner", inner.getFirst().message());
        assertEquals(1, inner.size());
        assertEquals("outer", lines.getFirst().message());
        assertEquals(1, lines.size());
    }

    @Test
    void misuse_tapThatThrowsBreaksNobody() {
        Logs.during(
                line -> {
                    throw new IllegalStateException("a bad tap");
                },
                () -> LOG.warn("harmless"));
    }

    /** With a full heap the line fails as well as the hook that it tells of; any Error will do. */
    @Test
    void F7_whatCannotBeToldIsLostWithoutHarm() {
        Error worse =
                new Error() {
                    private static final long serialVersionUID = 1;

                    @Override
                    public String getMessage() {
                        throw new InternalError("planted");
                    }
                };
        Logs.tellBroken(LOG, worse, "{} failed", "hook");
        Logs.tellBroken(LOG, worse, "{} failed for {}", "hook", "fiber");
        Logs.during(
                lines::add,
                () ->
                        Logs.tellBroken(
                                LOG, new Error("three"), "{} failed for {}", "hook", "fiber"));
        assertEquals("hook failed for fiber", lines.getFirst().message());
        assertEquals("java.lang.Error: three", String.valueOf(lines.getFirst().failure()));
    }

    /** Else the tap would miss lines, and nobody would know. */
    @Test
    void F14_everyLoggerOfRopewalkIsTapped() throws IOException {
        List<String> untapped = new ArrayList<>();
        for (String module :
                List.of("fibers", "fibers/testing", "fibers/io", "channels", "actors")) {
            Path sources = Path.of("..", module, "src", "main", "java");
            try (Stream<Path> all = Files.walk(sources)) {
                for (Path each : all.filter(path -> path.toString().endsWith(".java")).toList()) {
                    boolean isSeam =
                            each.endsWith("Log.java") || each.endsWith("LogProviders.java");
                    if (!isSeam && Files.readString(each).contains("LoggerFactory")) {
                        untapped.add(each.toString());
                    }
                }
            }
        }
        assertTrue(untapped.isEmpty(), () -> "take the logger from Logs in " + untapped);
    }
}
