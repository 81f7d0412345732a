package dev.ropewalk.actors.cluster.jdbc;

import org.jspecify.annotations.Nullable;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * How a {@link JdbcStore} is opened; immutable. Start from {@link #sqlite} or {@link #postgresql}.
 */
public final class JdbcOptions {
    private static final Pattern TABLE = Pattern.compile("[a-z_][a-z0-9_]{0,39}");

    private static final List<String> OWN_PARAMETERS =
            List.of("socketTimeout", "readOnly", "targetServerType", "reWriteBatchedInserts");

    private final Values values;

    private JdbcOptions(Values values) {
        this.values = values;
    }

    /**
     * {@return the options for a database of SQLite in a file} For one process, which has the file
     * alone: it is made if it is not there, and another process that opens it fails. Needs {@code
     * org.xerial:sqlite-jdbc}.
     *
     * @param file of the database; its folder must be there
     * @throws IllegalArgumentException if it is in no file system of the machine, or its name has a
     *     question mark, behind which SQLite reads settings
     */
    public static JdbcOptions sqlite(Path file) {
        Path whole = file.toAbsolutePath();
        boolean isOfMachine = whole.getFileSystem().equals(FileSystems.getDefault());
        if (!isOfMachine || whole.toString().indexOf('?') >= 0) {
            throw new IllegalArgumentException(
                    "file=" + whole + ": give one of this machine, without a question mark");
        }
        return new JdbcOptions(new Values("jdbc:sqlite:" + whole, whole));
    }

    /**
     * {@return the options for a database of PostgreSQL} For any number of processes. Needs {@code
     * org.postgresql:postgresql}.
     *
     * @param url {@code jdbc:postgresql://host/database}, with parameters of the driver if need be
     * @throws IllegalArgumentException if the URL is for another database, or sets something that
     *     the store sets itself: {@code socketTimeout}, {@code readOnly}, {@code targetServerType},
     *     {@code reWriteBatchedInserts}
     */
    public static JdbcOptions postgresql(String url) {
        if (!url.startsWith("jdbc:postgresql:")) {
            throw new IllegalArgumentException(
                    "url=\""
                            + url
                            + "\" is no URL of PostgreSQL; give jdbc:postgresql://host/name");
        }
        for (String each : OWN_PARAMETERS) {
            if (url.contains(each + "=")) {
                throw new IllegalArgumentException(
                        "url sets " + each + ", which the store sets itself; leave it out");
            }
        }
        return new JdbcOptions(new Values(url, null));
    }

    /**
     * {@return these options with a user of the database}
     *
     * @param user its name
     * @param password of the user
     */
    public JdbcOptions withUser(String user, String password) {
        Objects.requireNonNull(user, "user");
        Objects.requireNonNull(password, "password");
        return with(
                copy -> {
                    copy.user = user;
                    copy.password = password;
                });
    }

    /**
     * {@return these options with the name of the table; {@code ropewalk_store} at first} Two
     * clusters may share a table, because each key begins with the name of its cluster.
     *
     * @param name which is made if it is not there
     * @throws IllegalArgumentException if it is not of a to z, digits and underscores, or longer
     *     than 40 characters
     */
    public JdbcOptions withTable(String name) {
        if (!TABLE.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "table=\""
                            + name
                            + "\": give up to 40 of a to z, 0 to 9 and _, as ropewalk_store");
        }
        return with(copy -> copy.table = name);
    }

    /**
     * {@return these options with a bound on connections; 4 at first} Half of them write. SQLite
     * has one for all.
     *
     * @param max how many the store has at a time
     * @throws IllegalArgumentException if it is less than 2
     */
    public JdbcOptions withConnections(int max) {
        if (max < 2) {
            throw new IllegalArgumentException(
                    "connections=" + max + " < 2; one reads and one writes");
        }
        return with(copy -> copy.connections = max);
    }

    /**
     * {@return these options with a limit on each call of PostgreSQL, and on the wait for a
     * connection; 10 s at first} After it the outcome of a write is unknown, and a read fails.
     *
     * @param limit at least 1 s, because PostgreSQL's driver counts seconds
     * @throws IllegalArgumentException if it is shorter, or longer than a day
     */
    public JdbcOptions withCallLimit(Duration limit) {
        if (limit.compareTo(Duration.ofSeconds(1)) < 0 || limit.compareTo(Duration.ofDays(1)) > 0) {
            throw new IllegalArgumentException("callLimit=" + limit + " is not from PT1S to PT24H");
        }
        return with(copy -> copy.callLimit = limit);
    }

    String url() {
        return values.url;
    }

    /** Null if it is no SQLite. */
    @Nullable Path file() {
        return values.file;
    }

    @Nullable String user() {
        return values.user;
    }

    @Nullable String password() {
        return values.password;
    }

    String table() {
        return values.table;
    }

    int connections() {
        return values.connections;
    }

    Duration callLimit() {
        return values.callLimit;
    }

    private JdbcOptions with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new JdbcOptions(copy);
    }

    /** Without users and passwords, which a URL may have in front of the host and behind it. */
    @Override
    public String toString() {
        String place =
                values.file == null
                        ? values.url.replaceFirst("\\?.*", "").replaceFirst("//.*@", "//")
                        : values.file.toString();
        return "table " + values.table + " of " + place;
    }

    /** Changed only while it is a copy that no options have yet. */
    private static final class Values implements Cloneable {
        final String url;
        final @Nullable Path file;
        @Nullable String user;
        @Nullable String password;
        String table = "ropewalk_store";
        int connections = 4;
        Duration callLimit = Duration.ofSeconds(10);

        Values(String url, @Nullable Path file) {
            this.url = url;
            this.file = file;
        }

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
