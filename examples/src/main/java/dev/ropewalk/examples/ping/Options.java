package dev.ropewalk.examples.ping;

import dev.ropewalk.actors.cluster.Discovery;
import dev.ropewalk.actors.cluster.NodeOptions;
import dev.ropewalk.actors.cluster.Protocol;
import dev.ropewalk.examples.cli.Arguments;
import dev.ropewalk.examples.cli.BadOption;
import dev.ropewalk.fibers.io.Tls;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the command line asks for.
 *
 * @param node how the node is made
 * @param count how many answers are to come; 0 for no end
 * @param help whether only the usage is to be shown
 */
record Options(NodeOptions node, int count, boolean help) {
    static final String USAGE =
            """
            usage: ping --name NAME [option]...

            Asks an actor of another process once a second, and says at once when that process
            is gone, and when it is back.

              --name NAME       of this node; no other node has it at the same time
              --host ADDRESS    where other nodes reach it (default 127.0.0.1); another machine
                                does, if it is not this machine's alone, and then with --tls
              --port N          the port, 0 to 65535; 0 takes a free one (default 0)
              --peer HOST:PORT  where another node may be; may be given more than once, and need
                                not on a node that is the peer of another one
              --count N         ends after so many answers, 0 to 1000000; 0 for no end (default 0)
              --tls DIR         encrypts, with ca.pem, NAME.pem and NAME.key of the directory
              --help            show this text

            Exit status: 0 after --count answers, 1 if it cannot start, 2 for a bad option, 3 if
            the output cannot be written. After Ctrl-C and the like 128 plus the number of the
            signal.
            """;

    private static final int MAX_COUNT = 1_000_000;

    static Options parse(List<String> arguments) throws BadOption {
        return new Parser(new Arguments(arguments)).parse();
    }

    private static final class Parser {
        private final Arguments arguments;
        private final List<String> peers = new ArrayList<>();
        private String name = "";
        private String host = "127.0.0.1";
        private int port;
        private int count;
        private @Nullable Path tls;
        private boolean help;

        Parser(Arguments arguments) {
            this.arguments = arguments;
        }

        Options parse() throws BadOption {
            List<String> others = arguments.readAll(this::option);
            if (!others.isEmpty()) {
                throw new BadOption(
                        others.getFirst() + " is not an option, and ping takes no other words");
            }
            if (name.isEmpty() && !help) {
                throw new BadOption("the node has no name; write for instance --name n1");
            }
            try {
                return new Options(help ? NodeOptions.named("help") : node(), count, help);
            } catch (IllegalArgumentException wrong) {
                throw new BadOption(String.valueOf(wrong.getMessage()));
            }
        }

        private void option(String option) throws BadOption {
            switch (option) {
                case "--name" -> name = arguments.value("n1");
                case "--host" -> host = arguments.value("127.0.0.1");
                case "--port" -> port = arguments.number("7401", 0, 65_535);
                case "--peer" -> peers.add(arguments.value("127.0.0.1:7401"));
                case "--count" -> count = arguments.number("10", 0, MAX_COUNT);
                case "--tls" -> tls = Path.of(arguments.value("tls"));
                case "--help" -> help = arguments.flag();
                default -> throw new BadOption(option + " is not an option; --help lists them");
            }
        }

        private NodeOptions node() {
            NodeOptions node =
                    NodeOptions.named(name)
                            .withAddress(host, port)
                            .withDiscovery(Discovery.of(peers.toArray(String[]::new)))
                            .withProtocol(Protocol.of(Message.class));
            return tls == null ? node : encrypted(node, tls);
        }

        /**
         * Each side shows the certificate of its node, and trusts those that one authority signed.
         */
        private static NodeOptions encrypted(NodeOptions node, Path folder) {
            Path authority = folder.resolve("ca.pem");
            Path certificate = folder.resolve(node.name() + ".pem");
            Path key = folder.resolve(node.name() + ".key");
            return node.withTls(
                    Tls.server(certificate, key).withTrust(authority),
                    Tls.client().withTrust(authority).withCertificate(certificate, key));
        }
    }
}
