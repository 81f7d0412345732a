package dev.ropewalk.examples.kv;

/** Tells a client what is wrong with its command. */
final class CommandException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Begins with a word for programs, {@code ERR} for one. */
    CommandException(String message) {
        super(message);
    }

    static CommandException wrongCount(String command) {
        return new CommandException(
                "ERR wrong number of arguments for '"
                        + command.toLowerCase(java.util.Locale.ROOT)
                        + "' command");
    }

    static CommandException unknown(Words command) {
        return new CommandException("ERR unknown command '" + command.text(0) + "'");
    }

    static CommandException syntax() {
        return new CommandException("ERR syntax error");
    }

    static CommandException wrongType() {
        return new CommandException(
                "WRONGTYPE Operation against a key holding the wrong kind of value");
    }
}
