package dev.ropewalk.examples.build;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;

/** What a file means, and what is said of one that means nothing. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class BuildFileTest {
    private static List<Task> tasks(String text, String... wanted) throws BadFile {
        return BuildFile.parse("b.tasks", text.lines().toList()).inOrder(List.of(wanted));
    }

    private static List<String> names(String text, String... wanted) throws BadFile {
        return tasks(text, wanted).stream().map(Task::name).toList();
    }

    private static String error(String text, String... wanted) {
        return String.valueOf(assertThrows(BadFile.class, () -> tasks(text, wanted)).getMessage());
    }

    @Test
    void tasksHaveNeedsAndCommandsAndCommentsAreLeftOut() throws BadFile {
        List<Task> tasks =
                tasks(
                        """
                        # all of it
                        main.o: src/a b   # needs two
                          cc -c main.c # the shell's affair

                        \t# not a command
                        \tstrip main.o
                        src/a:
                        b :
                        """);
        assertEquals(
                List.of(
                        new Task("src/a", 7, List.of(), List.of()),
                        new Task("b", 8, List.of(), List.of()),
                        new Task(
                                "main.o",
                                2,
                                List.of("src/a", "b"),
                                List.of("cc -c main.c # the shell's affair", "strip main.o"))),
                tasks);
    }

    @Test
    void aTaskStandsBehindWhatItNeedsOtherwiseAsInTheFile() throws BadFile {
        assertEquals(List.of("x", "c", "b", "a", "d"), names("a: b, b x\nb: c\nx:\nc: x\nd:"));
    }

    @Test
    void namesOnTheCommandLineBringWhatTheyNeed() throws BadFile {
        assertEquals(List.of("c", "b"), names("a: b\nb: c\nc:\nd:", "b"));
    }

    @Test
    void aChainOfManyTasksIsPutInOrder() throws BadFile {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 50_000; i++) {
            lines.add(i + ":" + (i == 49_999 ? "" : " " + (i + 1)));
        }
        List<Task> tasks = BuildFile.parse("b.tasks", lines).inOrder(List.of("0"));
        assertEquals(50_000, tasks.size());
        assertEquals("49999", tasks.getFirst().name());
    }

    @Test
    void anUnknownNeedNamesTheTaskAndWhatThereIs() {
        assertEquals(
                "b.tasks:2: task link needs compil, and no task is named so; add a line compil:"
                        + " or need another one; there are compile, link",
                error("compile:\nlink: compil"));
    }

    @Test
    void anUnknownNameOnTheCommandLineNamesWhatThereIs() {
        assertEquals(
                "b.tasks: no task is named z, which the command line asks for; there are"
                        + " a0, a1, a2, a3, a4, a5, a6, a7 and 2 more",
                error("a0:\na1:\na2:\na3:\na4:\na5:\na6:\na7:\na8:\na9:", "z"));
        assertEquals(
                "b.tasks: no task is named z, which the command line asks for; there is none",
                error("", "z"));
    }

    @Test
    void aCircleIsNamedFromItsFirstLineOnWithoutWhatOnlyNeedsIt() {
        assertEquals(
                "b.tasks:2: these tasks need each other in a circle: a -> c -> b -> a; take one of"
                        + " these needs away",
                error("outside: b\na: c, free\nb: a\nc: b\nfree:"));
    }

    @Test
    void aTaskThatNeedsItselfIsSaidSo() {
        assertEquals("b.tasks:1: task a needs itself; take that need away", error("a: a\nb: a"));
    }

    @Test
    void aNameThatIsThereTwiceNamesBothLines() {
        assertEquals(
                "b.tasks:3: task a is there already, in line 1; give one of the two another name,"
                        + " or make them one",
                error("a:\n  true\na:"));
    }

    @Test
    void aCommandWithoutATaskNamesItsLine() {
        assertEquals(
                "b.tasks:2: the command \"cc main.c\" belongs to no task; write a line NAME: before"
                        + " it, or do not indent it if it is one",
                error("# tasks\n  cc main.c\na:"));
    }

    @Test
    void aLineThatIsNeitherIsShownInOneVisibleLine() {
        assertEquals(
                "b.tasks:1: \"cc \\u0007main.c\" is neither a task nor a command; write NAME: NEEDS"
                        + " for a task, with letters, digits and _ . / + - in its name, and indent"
                        + " a command",
                error("cc \u0007main.c"));
        assertEquals(true, error("a b: c").startsWith("b.tasks:1: \"a b: c\" is neither"));
    }
}
