package dev.ropewalk.examples.build;

import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.fibers.blocking.Blocking;

import org.jspecify.annotations.Nullable;

import java.io.IOException;

/**
 * Prints for one actor. The cord goes on while a reader of the output takes its time; a reader that
 * is gone does not end the build.
 */
final class Printer {
    private final Output output;
    private @Nullable IOException failure;

    Printer(Output output) {
        this.output = output;
    }

    void print(String text) {
        if (failure == null) {
            try {
                Blocking.run(() -> output.print(text));
            } catch (IOException broken) {
                failure = broken;
            }
        }
    }

    /** Why something is missing in the output; null if nothing is. */
    @Nullable IOException failure() {
        return failure;
    }
}
