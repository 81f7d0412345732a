import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.spi.ToolProvider;

/**
 * Checks or repairs the layout of every Java file below a directory with google-java-format.
 *
 * <p>Run from source, with the formatter on the class path: {@code java Format.java check|apply
 * <directory>}. It exists because the formatter cannot be loaded by the older JDK that Maven itself
 * may run on; see docs/adr/0001-format-check-in-the-toolchain.md.
 */
final class Format {

    private Format() {}

    public static void main(String[] args) throws IOException {
        if (args.length != 2 || !List.of("check", "apply").contains(args[0])) {
            System.err.println("args=" + List.of(args) + ", expected: check|apply <directory>");
            System.exit(2);
        }
        boolean apply = args[0].equals("apply");
        List<String> command =
                new ArrayList<>(
                        apply
                                ? List.of("--aosp", "--replace")
                                : List.of("--aosp", "--dry-run", "--set-exit-if-changed"));
        sources(Path.of(args[1])).forEach(source -> command.add(source.toString()));

        StringWriter changed = new StringWriter();
        int status = run(new PrintWriter(changed), command.toArray(String[]::new));
        if (!changed.toString().isEmpty()) {
            System.err.println("Not formatted:\n" + changed.toString().strip());
        }
        if (status != 0 && !apply) {
            System.err.println("To repair the layout: mvn -q -Pformat validate");
        }
        System.exit(status);
    }

    private static int run(PrintWriter out, String[] command) {
        ToolProvider formatter =
                ToolProvider.findFirst("google-java-format")
                        .orElseThrow(
                                () ->
                                        new IllegalStateException(
                                                "google-java-format is not on the class path "
                                                        + System.getProperty("java.class.path")));
        PrintWriter err = new PrintWriter(System.err, true);
        int status = formatter.run(out, err, command);
        out.flush();
        return status;
    }

    private static List<Path> sources(Path root) throws IOException {
        List<Path> found = new ArrayList<>();
        Files.walkFileTree(
                root,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes a) {
                        String name = String.valueOf(dir.getFileName());
                        boolean foreign =
                                !dir.equals(root)
                                        && !name.equals(".mvn")
                                        && (name.startsWith(".") || name.equals("target"));
                        return foreign ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes a) {
                        if (file.toString().endsWith(".java")) {
                            found.add(file);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
        return found;
    }
}
