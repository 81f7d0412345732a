package dev.ropewalk.examples.kv;

import java.util.List;

/** What a connection is known by: what HELLO and CLIENT say and set. */
final class Session {
    private static final int RESP2 = 2;
    private static final int RESP3 = 3;

    private final long id;
    private int version = RESP2;
    private byte[] name = new byte[0];

    /** Nobody else has its number. */
    Session(long id) {
        this.id = id;
    }

    /** It may ask while it is subscribed, because replies and messages look different. */
    boolean isResp3() {
        return version == RESP3;
    }

    Reply hello(Words command) throws CommandException {
        int next = command.count() > 1 ? version(command) : version;
        byte[] newName = name;
        for (int i = 2; i < command.count(); ) {
            if (command.is(i, "AUTH") && i + 2 < command.count()) {
                if (!command.text(i + 1).equals("default")) {
                    throw new CommandException(
                            "WRONGPASS invalid username-password pair or user is disabled.");
                }
                i += 3; // the one user that there is has no password, so each is right
            } else if (command.is(i, "SETNAME") && i + 1 < command.count()) {
                newName = checked(command.word(i + 1));
                i += 2;
            } else {
                throw new CommandException(
                        "ERR Syntax error in HELLO option '" + command.text(i) + "'");
            }
        }
        version = next;
        name = newName;
        return new Reply.Speak(
                version,
                new Reply.Pairs(
                        List.of(
                                Reply.text("server"),
                                Reply.text("ropewalk-kv"),
                                Reply.text("version"),
                                Reply.text(Kv.VERSION),
                                Reply.text("proto"),
                                new Reply.Whole(version),
                                Reply.text("id"),
                                new Reply.Whole(id),
                                Reply.text("mode"),
                                Reply.text("standalone"),
                                Reply.text("role"),
                                Reply.text("master"),
                                Reply.text("modules"),
                                new Reply.Many(List.of()))));
    }

    private static int version(Words command) throws CommandException {
        long wanted;
        try {
            wanted = command.number(1);
        } catch (CommandException e) {
            throw new CommandException("ERR Protocol version is not an integer or out of range");
        }
        if (wanted != RESP2 && wanted != RESP3) {
            throw new CommandException("NOPROTO unsupported protocol version");
        }
        return (int) wanted;
    }

    private static byte[] checked(byte[] name) throws CommandException {
        for (byte each : name) {
            if (each < '!' || each > '~') {
                throw new CommandException(
                        "ERR Client names cannot contain spaces, newlines or special characters.");
            }
        }
        return name;
    }

    Reply client(Words command) throws CommandException {
        if (command.count() < 2) {
            throw CommandException.wrongCount("client");
        }
        return switch (command.upper(1)) {
            case "ID" -> {
                check(command, 2);
                yield new Reply.Whole(id);
            }
            case "GETNAME" -> {
                check(command, 2);
                yield name.length == 0 ? Reply.NONE : new Reply.Bytes(name);
            }
            case "SETNAME" -> {
                check(command, 3);
                name = checked(command.word(2));
                yield Reply.OK;
            }
            case "SETINFO" -> {
                check(command, 4);
                yield Reply.OK; // the name of its library; nobody asks for it
            }
            default ->
                    throw new CommandException(
                            "ERR unknown subcommand '" + command.text(1) + "'. Try CLIENT HELP.");
        };
    }

    private static void check(Words command, int words) throws CommandException {
        if (command.count() != words) {
            throw CommandException.wrongCount("client|" + command.text(1));
        }
    }
}
