package dev.ropewalk.examples.build;

import java.util.function.Consumer;

/** Passes on the first lines of a task, up to a limit, and counts the others. */
final class OutputLimit implements Consumer<String> {
    private final Consumer<String> next;
    private long charactersLeft;
    private long cutLines;

    OutputLimit(long characters, Consumer<String> next) {
        this.charactersLeft = characters;
        this.next = next;
    }

    @Override
    public void accept(String line) {
        // Once something is left out, all behind it is: lines with a gap read as if they were
        // whole.
        if (cutLines == 0 && line.length() < charactersLeft) {
            charactersLeft -= line.length() + 1;
            next.accept(line);
        } else {
            cutLines++;
        }
    }

    long cutLines() {
        return cutLines;
    }
}
