package dev.ropewalk.examples.kv;

/** Tells a client what is wrong with its command. */
final class CommandException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Of a name, and of arguments, that are told to the client. */
    private static final int MAX_TOLD = 128;

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
        StringBuilder arguments = new StringBuilder();
        for (int i = 1; i < command.count() && arguments.length() < MAX_TOLD; i++) {
            String told = told(command.text(i), MAX_TOLD - arguments.length());
            arguments.append('\'').append(told).append("' ");
        }
        return new CommandException(
                "ERR unknown command '"
                        + told(command.text(0), MAX_TOLD)
                        + "', with args beginning with: "
                        + arguments);
    }

    /** As Redis, to which a zero is the end of a text. */
    private static String told(String text, int max) {
        int zero = text.indexOf('\0');
        return text.substring(0, Math.min(max, zero < 0 ? text.length() : zero));
    }

    static CommandException syntax() {
        return new CommandException("ERR syntax error");
    }

    static CommandException wrongType() {
        return new CommandException(
                "WRONGTYPE Operation against a key holding the wrong kind of value");
    }
}
