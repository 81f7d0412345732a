package dev.ropewalk.actors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.source.util.JavacTask;

import dev.ropewalk.fibers.Fiber;

import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * What the guide says of programs that do not compile, and what is to be written in their place.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class CompileTest {
    private static final String INNER = "{ self.self(); return ping -> Behavior.same(); })";

    /** Around a statement; each program has a system, a ref and two protocols. */
    private static final String PROGRAM =
            """
            import dev.ropewalk.actors.*;

            class Program {
                record Ping(Recipient<Ping> from) {}

                record Price(String item, Recipient<Integer> to) {}

                record Total(Recipient<Integer> to) {}

                static Behavior<Ping> answering(ActorContext<Ping> self) {
                    return _ -> Behavior.same();
                }

                static void run(ActorSystem system, ActorRef<Price> ref, ActorRef<Total> all) {
                    STATEMENT;
                }
            }
            """;

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String text) {
            super(URI.create("string:///Program.java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    /** What javac says against the statement; no class is written. */
    private static String errors(String statement) throws IOException {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        JavaCompiler.CompilationTask task =
                ToolProvider.getSystemJavaCompiler()
                        .getTask(
                                null,
                                null,
                                found,
                                List.of("-proc:none", "-cp", classPath()),
                                null,
                                List.of(new Source(PROGRAM.replace("STATEMENT;", statement))));
        ((JavacTask) task).analyze();
        return found.getDiagnostics().stream()
                .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(each -> each.getMessage(Locale.ENGLISH))
                .map(each -> each.replaceAll("\\b(?:[a-z]+\\.)+(?=[A-Z])", "")) // packages
                .collect(Collectors.joining("\n"));
    }

    private static String classPath() {
        return Stream.of(Actor.class, Fiber.class, NullMarked.class)
                .map(each -> each.getProtectionDomain().getCodeSource().getLocation())
                .map(each -> Path.of(URI.create(each.toString())).toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static void compiles(String... statements) throws IOException {
        for (String each : statements) {
            assertEquals("", errors(each), each);
        }
    }

    private static void isRefused(String because, String... statements) throws IOException {
        for (String each : statements) {
            String said = errors(each);
            assertTrue(said.contains(because), () -> each + "\n" + said);
        }
    }

    private static void isTold(String page, String... texts) throws IOException {
        Path file = Path.of("..", "docs", "guide", page);
        String text = Files.readString(file).replaceAll("\\s+", " "); // lines may break anywhere
        for (String each : texts) {
            String escaped = each.replace("<", "&lt;").replace(">", "&gt;");
            assertTrue(text.contains(each) || text.contains(escaped), () -> page + ": " + each);
        }
    }

    @Test
    void A1_aFactoryWithALambdaInsideNeedsTheTypeOfTheMessages() throws IOException {
        String outer = "Actor.handler((ActorContext<Ping> self) -> ";
        isRefused(
                "incompatible parameter types in lambda expression",
                outer + INNER + ";",
                outer + INNER + ".keepState();",
                "var actor = " + outer + INNER + ";",
                "system.spin(\"a\", " + outer + INNER + ");");
        for (String remedy :
                List.of("Actor.handler(Ping.class, self -> ", "Actor.<Ping>handler(self -> ")) {
            compiles(
                    remedy + INNER + ";",
                    "Actor<Ping> actor = " + remedy + INNER + ".keepState();",
                    "var actor = " + remedy + INNER + "; ActorRef<Ping> ref1 = system.spin(actor);",
                    "ActorRef<Ping> spun = system.spin(\"a\", " + remedy + INNER + ");");
        }
        compiles(
                "Actor<Ping> actor = " + outer + INNER + ";",
                "Actor<Ping> actor = Actor.handler(Program::answering).keepState();",
                outer + "answering(self)).keepState();");
        isTold(
                "actors.md",
                "cannot infer type-variable(s) M",
                "incompatible parameter types in lambda expression",
                "Actor.handler(Ping.class, self -> ping -> ..)",
                "Actor.<Ping>handler(self -> ..)");
    }

    @Test
    void A1_aFactoryWithoutAContextNamesThemInTheBehavior() throws IOException {
        isRefused(
                "Behavior<String> cannot be converted to Behavior<Object>",
                "Actor.handler(() -> m -> Behavior.<String>same()).keepState();");
        compiles(
                "Actor<String> a = Actor.handler(() -> (String m) ->"
                        + " Behavior.same()).keepState();");
        isTold(
                "actors.md",
                "Actor.handler(() -> m -> Behavior.<String>same()).keepState()",
                "Behavior<String> cannot be converted to Behavior<Object>",
                "() -> (String m) -> Behavior.same()");
    }

    @Test
    void A2_anAskWhoseReplyNobodyTakesNeedsItsType() throws IOException {
        String ask = "ref.ask(to -> new Price(\"rope\", to))";
        isRefused(
                "Recipient<Object> cannot be converted to Recipient<Integer>",
                ask + ";",
                "var price = " + ask + ";");
        isRefused("cannot be converted to Recipient<Integer>", "System.out.println(" + ask + ");");
        compiles(
                "int price = " + ask + ";",
                "ref.<Integer>ask(to -> new Price(\"rope\", to));",
                "System.out.println(all.ask(Total::new));",
                "all.ask(Total::new);");
        isTold(
                "asking.md",
                "Recipient<Object> cannot be converted to Recipient<Integer>",
                "ref.<Integer>ask(..)",
                "ref.ask(Total::new)");
    }
}
