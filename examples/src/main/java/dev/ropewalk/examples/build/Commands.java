package dev.ropewalk.examples.build;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Runs the commands of tasks: a shell, or what stands in for one in tests. */
interface Commands {
    /**
     * Runs a command to its end. A switchpoint; if the fiber is ended meanwhile, so is the command.
     *
     * @param scratch an empty directory for it
     * @param output is given each line that the command writes, on a fiber of this cord
     * @return its exit code
     * @throws IOException if it could not be started
     */
    int run(String command, Path scratch, Consumer<String> output) throws IOException;
}
