package dev.ropewalk.examples.kv;

import dev.ropewalk.examples.cli.Arguments;
import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.examples.cli.Output;
import dev.ropewalk.examples.server.ServerOptions;
import dev.ropewalk.examples.server.ServerProgram;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;

/**
 * A store of keys and values for clients of Redis.
 *
 * <p>Shows: supervised actors as shards, connections as fibers, handlers of Netty as a codec, publish and
 * subscribe by broadcast channels, and a log that many clients share a sync of. Run: {@code java
 * @ropewalk.args -cp examples/target/wordcount.jar dev.ropewalk.examples.kv.Main --dir data}. Expect:
 * {@code redis-cli -p 7379 set greeting hello} says OK, and a {@code get} after a kill says hello.
 */
public final class Main extends ServerProgram {
    private static final int PORT = 7_379;
    private static final String USAGE =
            """
            usage: kv [option]...

            Serves clients of Redis (RESP2, RESP3) on 127.0.0.1, until Ctrl-C: strings, counters, hashes,
            expiry, SCAN, publish and subscribe.

              --shards N       so many parts of the keys, 1 to 1024 (default 4)
              --dir PATH       keep a log of each shard there, and begin with it (default: none)
              --fsync WHEN     always, everysec or no: when the log is made safe (default everysec)
            """;

    private int shards = 4;
    private @Nullable Path folder;
    private ShardLog.Fsync fsync = ShardLog.Fsync.EVERYSEC;

    Main() {
        super("kv", PORT, USAGE);
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
            case "--shards" -> shards = arguments.number("4", 1, 1_024);
            case "--dir" -> folder = Path.of(arguments.value("data"));
            case "--fsync" -> fsync = fsync(arguments.value("everysec"));
            default -> {
                return false;
            }
        }
        return true;
    }

    private static ShardLog.Fsync fsync(String name) throws BadOption {
        return switch (name) {
            case "always" -> ShardLog.Fsync.ALWAYS;
            case "everysec" -> ShardLog.Fsync.EVERYSEC;
            case "no" -> ShardLog.Fsync.NO;
            default -> throw new BadOption("--fsync " + name + " is none of always, everysec, no");
        };
    }

    @Override
    protected Server start(ServerOptions options) throws IOException {
        return new Kv(new Kv.Settings(options, shards, folder, fsync, InstantSource.system()));
    }
}
