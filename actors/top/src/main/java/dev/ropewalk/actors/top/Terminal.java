package dev.ropewalk.actors.top;

import org.jspecify.annotations.Nullable;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The terminal: its size, its keys, and a screen of its own, which is left as it was before,
 * however the process ends.
 */
final class Terminal implements AutoCloseable {
    private static final File TTY = new File("/dev/tty");
    private static final int COLUMNS = 80;
    private static final int LINES = 24;
    private static final long LIMIT_S = 2;
    private static final int CTRL_C = 3;
    private static final int CTRL_D = 4;

    private static final String ENTER = "\033[?1049h\033[?25l\033[H\033[2J";
    private static final String LEAVE = "\033[0m\033[?25h\033[?1049l";

    private final OutputStream out;
    private final Charset charset;
    private final Thread atEnd = new Thread(null, this::leave, "terminal", 0, false);
    private final @Nullable String settings;

    /** Guarded by this: the end may come at any moment, on another thread. */
    private boolean isLeft;

    private Terminal(OutputStream out, Charset charset) {
        this.out = out;
        this.charset = charset;
        this.settings = stty("-g");
    }

    /** Whether the standard output is one. */
    @SuppressWarnings("SystemConsoleNull") // since JDK 25 it is null again without a terminal
    static boolean isThere() {
        try {
            Process asked =
                    new ProcessBuilder("sh", "-c", "test -t 1")
                            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                            .start();
            return asked.waitFor(LIMIT_S, TimeUnit.SECONDS) && asked.exitValue() == 0;
        } catch (IOException noShell) {
            return System.console() != null && System.console().isTerminal();
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Takes the screen. */
    static Terminal open() throws IOException {
        Terminal opened =
                new Terminal(new FileOutputStream(FileDescriptor.out), System.out.charset());
        Runtime.getRuntime().addShutdownHook(opened.atEnd);
        opened.enter();
        return opened;
    }

    private synchronized void enter() throws IOException {
        write(ENTER);
        if (settings != null && !isLeft) {
            stty("-icanon", "-echo", "min", "1");
        }
    }

    /** Calls the action when the key q is pressed, on a thread of its own. */
    void onQuit(Runnable quit) {
        Thread keys =
                new Thread(
                        null,
                        () -> {
                            if (isQuitPressed()) {
                                quit.run();
                            }
                        },
                        "keys",
                        0,
                        false);
        keys.setDaemon(true);
        keys.start();
    }

    /** False without keys. */
    private static boolean isQuitPressed() {
        try (InputStream in = new FileInputStream(TTY)) {
            while (true) {
                int key = in.read();
                if (key == 'q' || key == 'Q' || key == CTRL_C || key == CTRL_D) {
                    return true;
                }
                if (key == -1) {
                    return false;
                }
            }
        } catch (IOException none) {
            return false;
        }
    }

    /** In place of what was there before. */
    void show(List<String> lines) throws IOException {
        StringBuilder all = new StringBuilder("\033[H");
        for (int i = 0; i < lines.size(); i++) {
            all.append(lines.get(i)).append("\033[K").append(i < lines.size() - 1 ? "\r\n" : "");
        }
        write(all.append("\033[J").toString());
    }

    /** Nothing after the terminal was given back. */
    private synchronized void write(String text) throws IOException {
        if (isLeft) {
            return;
        }
        out.write(text.getBytes(charset));
        out.flush();
    }

    /** Columns and lines, by the environment, which people set for tests, or the terminal. */
    static int[] size(Map<String, String> environment) {
        int columns = number(environment.get("COLUMNS"));
        int lines = number(environment.get("LINES"));
        if (columns == 0 || lines == 0) {
            String told = stty("size");
            String[] both = told == null ? new String[0] : told.strip().split(" ", -1);
            int itsLines = both.length == 2 ? number(both[0]) : 0;
            int itsColumns = both.length == 2 ? number(both[1]) : 0;
            lines = lines > 0 ? lines : itsLines > 0 ? itsLines : LINES;
            columns = columns > 0 ? columns : itsColumns > 0 ? itsColumns : COLUMNS;
        }
        return new int[] {columns, lines};
    }

    private static int number(@Nullable String text) {
        try {
            return text == null ? 0 : Math.clamp(Integer.parseInt(text.strip()), 0, 10_000);
        } catch (NumberFormatException none) {
            return 0;
        }
    }

    /** The output of the command; null where there is no such command, or no terminal. */
    private static @Nullable String stty(String... arguments) {
        List<String> command = new ArrayList<>(List.of(arguments));
        command.addFirst("stty");
        try {
            Process running =
                    new ProcessBuilder(command)
                            .redirectInput(TTY)
                            .redirectError(ProcessBuilder.Redirect.DISCARD)
                            .start();
            String told =
                    new String(running.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return running.waitFor(LIMIT_S, TimeUnit.SECONDS) && running.exitValue() == 0
                    ? told.strip()
                    : null;
        } catch (IOException none) {
            return null;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    /** Once; also when the process ends by a signal. */
    private synchronized void leave() {
        if (isLeft) {
            return;
        }
        try {
            write(LEAVE);
        } catch (IOException gone) {
            // There is nobody to see it.
        }
        isLeft = true;
        if (settings != null) {
            stty(settings);
        }
    }

    @Override
    public void close() {
        leave();
    }
}
