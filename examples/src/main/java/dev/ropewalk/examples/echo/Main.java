package dev.ropewalk.examples.echo;

import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.server.Places;
import dev.ropewalk.examples.server.ServerOptions;
import dev.ropewalk.examples.server.ServerProgram;
import dev.ropewalk.fibers.io.TcpListener;

import java.util.List;

/**
 * Sends back each line.
 *
 * <p>Shows: a fiber for each connection, listeners of several cords on one port, and an end in
 * order. Run: {@code java @ropewalk.args -cp examples/target/wordcount.jar
 * dev.ropewalk.examples.echo.Main}. Expect: what you type into {@code nc 127.0.0.1 7007} comes
 * back.
 */
public final class Main extends ServerProgram {
    private static final int PORT = 7_007;
    private static final String USAGE =
            """
            usage: echo [option]...

            Listens on 127.0.0.1 and sends back each line, until Ctrl-C.

            """;

    Main() {
        super("echo", PORT, USAGE);
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
        return Places.onOwnCords(
                "echo",
                options.cords(),
                options.port(),
                port -> new Echo(TcpListener.bind("127.0.0.1", port, options.tcp())));
    }
}
