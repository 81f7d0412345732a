package dev.ropewalk.examples.chat;

import dev.ropewalk.channels.broadcast.Broadcast;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.server.Places;
import dev.ropewalk.examples.server.ServerOptions;
import dev.ropewalk.examples.server.ServerProgram;
import dev.ropewalk.fibers.io.TcpListener;
import dev.ropewalk.fibers.io.TcpOptions;

import java.time.Duration;
import java.util.List;

/**
 * A room in which what one says all hear, by WebSocket.
 *
 * <p>Shows: a connection that begins with lines and goes on with frames, a broadcast over cords, a
 * select over a connection and a channel. Run: {@code java @ropewalk.args -cp
 * examples/target/wordcount.jar dev.ropewalk.examples.chat.Main}, and in the console of a browser
 * {@code s = new WebSocket("ws://127.0.0.1:7008/"); s.onmessage = e => console.log(e.data)}.
 * Expect: what {@code s.send("hello")} says, all of them print.
 */
public final class Main extends ServerProgram {
    private static final int PORT = 7_008;
    private static final Duration SILENCE = Duration.ofMinutes(5);
    private static final String USAGE =
            """
            usage: chat [option]...

            Listens on 127.0.0.1 for WebSockets, and tells all what each of them says, until Ctrl-C.

            """;

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
        return (_, _) -> false;
    }

    @Override
    protected Server start(ServerOptions options) {
        Broadcast<String> room = Broadcast.make();
        TcpOptions tcp = options.tcp().withIdleLimit(SILENCE);
        return Places.onOwnCords(
                "chat",
                options.cords(),
                options.port(),
                port -> new Chat(TcpListener.bind("127.0.0.1", port, tcp), room));
    }
}
