package dev.ropewalk.actors.top;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.InputStream;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A look fits its terminal, and the hottest is on top. */
@Timeout(30)
class ScreenTest {
    private static String cord(String name, String busy, boolean isSilent) {
        return "{\"name\":\""
                + name
                + "\",\"busy\":"
                + busy
                + ",\"switches\":1234,\"fibers\":3,\"runnable\":1,\"inbox\":0,\"timers\":2,"
                + "\"tasks\":0,\"silent\":"
                + isSilent
                + ",\"running\":\"import\",\"stack\":[\"Shop.read\"],\"cycles\":[]}";
    }

    private static String row(int number, String queued, String rate) {
        return "{\"id\":\"i"
                + number
                + "\",\"path\":\"shop/actor"
                + number
                + "\",\"queued\":"
                + queued
                + ",\"oldest\":null,\"rate\":"
                + rate
                + ",\"restarts\":0,\"phase\":\"IDLE\",\"handles\":null}";
    }

    private static Look look(String cords, int rows) throws Stopped {
        String order = IntStream.range(0, rows).mapToObj(i -> "\"i" + i + "\"").collect(commas());
        String all =
                IntStream.range(0, rows).mapToObj(i -> row(i, "7", i + ".5")).collect(commas());
        return new Look.Sequence()
                .next(
                        "{\"version\":1,\"process\":{\"pid\":1,\"java\":\"25\",\"processors\":2,"
                                + "\"heapUsed\":1048576,\"heapMax\":2097152},\"cords\":["
                                + cords
                                + "],\"systems\":[{\"name\":\"shop\",\"actors\":"
                                + rows
                                + ",\"deadLetters\":1,\"letters\":null,\"failure\":null}],"
                                + "\"system\":\"shop\",\"total\":"
                                + rows
                                + ",\"from\":0,\"order\":["
                                + order
                                + "],\"rows\":["
                                + all
                                + "],\"sources\":[]}");
    }

    private static java.util.stream.Collector<CharSequence, ?, String> commas() {
        return Collectors.joining(",");
    }

    private static Options options(String... more) throws Stopped {
        List<String> words =
                IntStream.rangeClosed(0, more.length)
                        .mapToObj(i -> i == more.length ? "http://a:1/#t" : more[i])
                        .toList();
        return Options.parse(words, null, InputStream.nullInputStream());
    }

    @Test
    void itIsNeitherHigherNorWiderThanTheTerminal() throws Stopped {
        String cords =
                IntStream.range(0, 50)
                        .mapToObj(i -> cord("cord" + i, "0.5", false))
                        .collect(commas());
        for (int height = 1; height < 60; height++) {
            for (int columns : new int[] {40, 80, 200}) {
                List<String> lines =
                        Screen.of(look(cords, 200), options(), "q ends", columns, height, false);
                assertTrue(lines.size() <= height, () -> lines.size() + " lines");
                assertTrue(
                        lines.stream().allMatch(each -> each.length() <= columns), lines::toString);
            }
        }
    }

    @Test
    void theStuckAndTheBusiestCordsAreFirst() throws Stopped {
        String cords =
                String.join(
                        ",",
                        cord("calm", "0.1", false),
                        cord("stuck", "null", true),
                        cord("busy", "0.9", false));
        List<String> lines = Screen.of(look(cords, 1), options(), "", 100, 40, false);
        assertTrue(lines.get(2).startsWith("stuck"), lines::toString);
        assertEquals("  STUCK in fiber import at Shop.read", lines.get(3));
        assertTrue(lines.get(4).startsWith("busy"), lines::toString);
        assertTrue(lines.get(5).startsWith("calm"), lines::toString);
    }

    @Test
    void byRateTheBusiestActorIsFirst() throws Stopped {
        List<String> lines =
                Screen.of(
                        look(cord("one", "0.5", false), 20),
                        options("--sort", "rate", "--rows", "2"),
                        "",
                        100,
                        40,
                        false);
        String text = String.join("\n", lines);
        assertTrue(text.contains("actor19"), text);
        assertTrue(text.contains("actor18"), text);
        assertFalse(text.contains("actor17"), text);
        assertTrue(text.contains("... and 18 more"), text);
    }

    @Test
    void nothingIsEmphasisedUnlessItMayBe() throws Stopped {
        Look look = look(cord("one", "0.5", true), 1);
        assertFalse(
                String.join("", Screen.of(look, options(), "", 80, 24, false)).contains("\033"));
        assertTrue(String.join("", Screen.of(look, options(), "", 80, 24, true)).contains("\033"));
    }

    @Test
    void aCellIsAsWideAsItShallBe() {
        assertEquals("ab  ", Plain.cell("ab", 4));
        assertEquals("abc~", Plain.cell("abcde", 4));
        assertEquals("  ab", Plain.right("ab", 4));
        assertEquals("a??b", Plain.cell("a\u001b\u202eb", 4));
        assertEquals("\u4e2d ", Plain.cell("\u4e2d", 3));
        assertEquals("\u4e2d~ ", Plain.cell("\u4e2d\u6587x", 4));
        assertEquals("e? ", Plain.cell("e\u0301", 3));
        assertEquals("? ", Plain.cell("\ud800", 2));
        assertEquals("", Plain.cell("abc", 0));
    }

    @Test
    void aRowThatHasNotChangedIsKeptAndOneThatIsGoneForgotten() throws Stopped {
        Look.Sequence looks = new Look.Sequence();
        String head = "{\"version\":1,\"order\":";
        looks.next(
                head
                        + "[\"i1\",\"i2\"],\"rows\":["
                        + row(1, "1", "1")
                        + ","
                        + row(2, "2", "2")
                        + "]}");
        Look second = looks.next(head + "[\"i2\",\"i1\"],\"rows\":[" + row(1, "9", "1") + "]}");
        assertEquals("shop/actor2", Look.text(second.rows().get(0), "path"));
        assertEquals(9, Look.number(second.rows().get(1), "queued"));
        looks.next(head + "[\"i2\"],\"rows\":[]}");
        assertEquals(1, looks.next(head + "[\"i2\",\"i1\"],\"rows\":[]}").rows().size());
    }
}
