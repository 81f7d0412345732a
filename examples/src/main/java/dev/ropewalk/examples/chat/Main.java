package dev.ropewalk.examples.chat;

import dev.ropewalk.examples.cli.Arguments;
import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.server.ServerOptions;
import dev.ropewalk.examples.server.ServerProgram;

import java.util.List;

/**
 * Rooms in which people talk, by telnet and by WebSocket.
 *
 * <p>Shows: rooms as supervised actors that are made when they are asked for, keep their state over
 * a crash and monitor their members; an actor that writes to a connection and a fiber that reads
 * it; bytes that many connections share. Run: {@code java @ropewalk.args -cp
 * examples/target/wordcount.jar dev.ropewalk.examples.chat.Main}. Expect: {@code telnet 127.0.0.1
 * 7008} and {@code /join hall ada} enter a room, and so do, in the console of a browser, {@code s =
 * new WebSocket("ws://127.0.0.1:7009/"); s.onmessage = e => console.log(e.data)} and {@code
 * s.send("/join hall bob")}.
 */
public final class Main extends ServerProgram {
    private static final int PORT = 7_008;
    private static final int WEB_SOCKET_PORT = 7_009;
    private static final int MAX_HISTORY = 1_000;
    private static final String USAGE =
            """
            usage: chat [option]...

            Listens on 127.0.0.1 for telnet and for WebSockets, until Ctrl-C. /join ROOM NAME enters
            a room: its last messages come first, then all that its members say.

              --ws-port N      the port for WebSockets, 0 to 65535; 0 takes a free one (default 7009)
              --history N      so many messages a room keeps, 0 to 1000 (default 100)
            """;

    private int webSocketPort = WEB_SOCKET_PORT;
    private int history = ChatOptions.DEFAULT_HISTORY;

    Main() {
        super("chat", PORT, USAGE);
    }

    /**
     * Runs the server until Ctrl-C.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(new Main().run(List.of(arguments), Output.standard(), System.err));
    }

    @Override
    protected ServerOptions.More options() {
        return this::option;
    }

    private boolean option(String name, Arguments arguments) throws BadOption {
        switch (name) {
            case "--ws-port" -> webSocketPort = arguments.number("7009", 0, 65_535);
            case "--history" -> history = arguments.number("100", 0, MAX_HISTORY);
            default -> {
                return false;
            }
        }
        return true;
    }

    @Override
    protected ChatServer start(ServerOptions options) throws BadOption {
        if (options.port() == webSocketPort && webSocketPort != 0) {
            throw new BadOption(
                    "--port "
                            + options.port()
                            + " and --ws-port "
                            + webSocketPort
                            + " are one port; give two");
        }
        return new ChatServer(options, webSocketPort, ChatOptions.defaults().withHistory(history));
    }
}
