package dev.ropewalk.actors.top;

import org.jspecify.annotations.Nullable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The wishes of a command line.
 *
 * @param address null with {@code help} alone
 * @param isOnce one look, in place of one each second
 * @param isJson a document on a line, in place of a table
 * @param rows how many actors; {@link #AS_FITS} for as many as the terminal has room for
 * @param sort what comes first
 * @param system the name of one; null for the first
 * @param filter a part of a path, of a cord's name or of a phase
 */
record Options(
        @Nullable Address address,
        String token,
        boolean isOnce,
        boolean isJson,
        int rows,
        Sort sort,
        @Nullable String system,
        String filter,
        boolean help) {
    static final int AS_FITS = -1;
    static final int MAX_ROWS = 500;
    static final String TOKEN_VARIABLE = "ROPEWALK_TOKEN";

    static final String USAGE =
            """
            ropewalk-top [OPTION]... ADDRESS

            Shows the cords and the actors of a process that has an observer, once a second. ADDRESS
            is what the observer printed, http://127.0.0.1:7090/#TOKEN; or HOST:PORT, or a PORT of
            this machine, if the token comes from elsewhere. The key q ends it, and Ctrl-C.

              --once             show one second, and end; also if the output is no terminal
              --json             a document of JSON on a line, for each second
              --rows N           so many actors, 0 to 500 (as many as fit, or 20)
              --sort ORDER       queued: the longest mailboxes first; rate: most messages a second,
                                 of the 500 longest mailboxes; restarts; tree (default queued)
              --system NAME      the actors of this system (default the first)
              --filter TEXT      a part of a path, of a cord's name or of a phase
              --token-file FILE  has the token on its first line; - is the standard input
              --help             show this text

            The variable ROPEWALK_TOKEN has the token, too, which others cannot see in a list of
            processes. With NO_COLOR set nothing is emphasised.

            Exit status: 0 after q or --once, 1 if the observer cannot be asked or ends, 2 for a bad
            option, 3 if the output cannot be written. After Ctrl-C and the like 128 plus the number
            of the signal.
            """;

    private static final int MAX_TOKEN_CHARS = 4_096;

    /** The order of the actors. */
    enum Sort {
        QUEUED("queued"),
        RATE("rate"),
        RESTARTS("restarts"),
        TREE("tree");

        final String text;

        Sort(String text) {
            this.text = text;
        }

        static Sort of(String text) throws Stopped {
            for (Sort each : values()) {
                if (each.text.equals(text)) {
                    return each;
                }
            }
            throw Stopped.badOption("--sort " + text + " is not queued, rate, restarts or tree");
        }
    }

    /**
     * Reads a command line; the token of the address goes before a file's, that before the rest.
     */
    static Options parse(List<String> words, @Nullable String tokenVariable, InputStream in)
            throws Stopped {
        Parser parser = new Parser(words);
        parser.readAll();
        if (parser.help) {
            return parser.options(null, "");
        }
        if (parser.others.size() != 1) {
            throw Stopped.badOption(
                    parser.others.isEmpty()
                            ? "which process? Name the address that its observer printed; --help"
                                    + " lists the options"
                            : "there is one address, not " + parser.others.size());
        }
        Address address = Address.of(parser.others.getFirst());
        String token = address.token();
        if (token == null && parser.tokenFile != null) {
            token = tokenIn(parser.tokenFile, in);
        }
        if (token == null) {
            token = tokenVariable;
        }
        if (token == null || token.isBlank()) {
            throw Stopped.badOption(
                    address
                            + " has no token; take the whole address that the observer printed,"
                            + " with what follows #, or set "
                            + TOKEN_VARIABLE
                            + ", or give --token-file");
        }
        String stripped = token.strip();
        if (!stripped.chars().allMatch(each -> each > ' ' && each < 0x7f)) {
            throw Stopped.badOption("the token has signs that no token has");
        }
        return parser.options(address, stripped);
    }

    private static String tokenIn(String file, InputStream in) throws Stopped {
        try (Reader reader =
                file.equals("-")
                        ? new InputStreamReader(in, StandardCharsets.UTF_8)
                        : Files.newBufferedReader(Path.of(file))) {
            return firstLine(new BufferedReader(reader));
        } catch (IOException | RuntimeException unreadable) {
            throw Stopped.badOption("--token-file " + file + " cannot be read: " + unreadable);
        }
    }

    private static String firstLine(Reader reader) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int each = reader.read();
                each != -1 && each != '\n' && line.length() < MAX_TOKEN_CHARS;
                each = reader.read()) {
            line.append((char) each);
        }
        return line.toString();
    }

    Options withRows(int count) {
        return new Options(address, token, isOnce, isJson, count, sort, system, filter, help);
    }

    /** The parameters of the request. */
    String query(int wanted) {
        StringBuilder query = new StringBuilder("sort=");
        query.append(sort == Sort.RATE ? Sort.QUEUED.text : sort.text);
        query.append("&rows=").append(sort == Sort.RATE ? MAX_ROWS : wanted);
        if (system != null) {
            query.append("&system=").append(encoded(system));
        }
        if (!filter.isEmpty()) {
            query.append("&filter=").append(encoded(filter));
        }
        return query.toString();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static final class Parser {
        final List<String> others = new ArrayList<>();
        @Nullable String tokenFile;
        boolean help;
        private final Iterator<String> words;
        private String word = "";
        private boolean isOnce;
        private boolean isJson;
        private int rows = AS_FITS;
        private Sort sort = Sort.QUEUED;
        private @Nullable String system;
        private String filter = "";

        Parser(List<String> words) {
            this.words = words.iterator();
        }

        void readAll() throws Stopped {
            while (words.hasNext()) {
                word = words.next();
                if (word.equals("--")) {
                    words.forEachRemaining(others::add);
                } else if (word.startsWith("-") && word.length() > 1) {
                    read();
                } else {
                    others.add(word);
                }
            }
        }

        private void read() throws Stopped {
            switch (name()) {
                case "--once" -> isOnce = flag();
                case "--json" -> isJson = flag();
                case "--help", "-h" -> help = flag();
                case "--rows" -> rows = number(value());
                case "--sort" -> sort = Sort.of(value());
                case "--system" -> system = value();
                case "--filter" -> filter = value();
                case "--token-file" -> tokenFile = value();
                default -> throw Stopped.badOption(name() + " is no option; --help lists them");
            }
        }

        private String name() {
            int equals = word.indexOf('=');
            return equals < 0 ? word : word.substring(0, equals);
        }

        private boolean flag() throws Stopped {
            if (word.indexOf('=') >= 0) {
                throw Stopped.badOption(name() + " takes no value");
            }
            return true;
        }

        private String value() throws Stopped {
            int equals = word.indexOf('=');
            String value =
                    equals >= 0 ? word.substring(equals + 1) : words.hasNext() ? words.next() : "";
            if (value.isEmpty()) {
                throw Stopped.badOption(name() + " has no value");
            }
            return value;
        }

        private int number(String value) throws Stopped {
            try {
                int number = Integer.parseInt(value);
                if (number >= 0 && number <= MAX_ROWS) {
                    return number;
                }
            } catch (NumberFormatException none) {
                // the same answer
            }
            throw Stopped.badOption(
                    name() + " " + value + " is not a whole number from 0 to " + MAX_ROWS);
        }

        Options options(@Nullable Address address, String token) {
            return new Options(address, token, isOnce, isJson, rows, sort, system, filter, help);
        }
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "the options for " + address;
    }
}
