package dev.ropewalk.actors.observer;

import dev.ropewalk.actors.observe.ActorMetrics;
import dev.ropewalk.fibers.io.Tls;
import dev.ropewalk.fibers.metrics.FiberMetrics;
import dev.ropewalk.fibers.metrics.MetricSource;
import dev.ropewalk.fibers.metrics.Metrics;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * How an {@link Observer} can be reached, and what may be done with it; immutable. By default it
 * listens on loopback alone, its token is drawn anew each time, and it shows and changes nothing.
 */
public final class ObserverOptions {
    /** Of a token that the program gives: 128 bits, at six a character. */
    private static final int MIN_TOKEN_CHARS = 22;

    /** Browsers change other characters behind a #. */
    private static final Pattern OF_TOKENS = Pattern.compile("[A-Za-z0-9._~-]+");

    private static final Pattern OF_HOSTS = Pattern.compile("[A-Za-z0-9.:-]+");

    private final Values values;

    private ObserverOptions(Values values) {
        this.values = values;
    }

    /** {@return options for 127.0.0.1 and a free port} */
    public static ObserverOptions loopback() {
        return new ObserverOptions(new Values());
    }

    /**
     * {@return options for an address that other machines can reach} It needs TLS, because the
     * token travels with each request, and a token that its users know.
     *
     * @param host the address or name by which browsers reach it; requests for another host are
     *     refused
     * @param port 0 takes a free one
     * @param tls the certificate
     * @param token 22 letters, digits and {@code . _ ~ -} at least, drawn at random: 128 bits; of
     *     hexadecimal digits take 32
     * @throws IllegalArgumentException if the host stands for all addresses or is none, the port is
     *     none, or the token is too short or has other characters
     */
    public static ObserverOptions of(String host, int port, Tls tls, String token) {
        if (host.isBlank() || !OF_HOSTS.matcher(host).matches() || isAny(host)) {
            throw new IllegalArgumentException(
                    "host="
                            + host
                            + " is no host that a browser asks for; name the address that it has"
                            + " there");
        }
        if (token.length() < MIN_TOKEN_CHARS) {
            throw new IllegalArgumentException(
                    "the token has "
                            + token.length()
                            + " < "
                            + MIN_TOKEN_CHARS
                            + " characters; draw one at random");
        }
        if (!OF_TOKENS.matcher(token).matches()) {
            throw new IllegalArgumentException(
                    "the token has other characters than letters, digits and . _ ~ -; browsers"
                            + " change those in an address");
        }
        Objects.requireNonNull(tls, "tls");
        return loopback()
                .withPort(port)
                .with(
                        copy -> {
                            copy.host = host;
                            copy.tls = tls;
                            copy.token = token;
                        });
    }

    /**
     * {@return these options with another port}
     *
     * @param port 0 takes a free one
     * @throws IllegalArgumentException if it is less than 0 or more than 65,535
     */
    public ObserverOptions withPort(int port) {
        if (port < 0 || port > 65_535) {
            throw new IllegalArgumentException("port=" + port + " is not in 0 to 65535");
        }
        return with(copy -> copy.port = port);
    }

    /**
     * {@return these options, by which viewers may suspend, resume, restart, stop and trace actors}
     */
    public ObserverOptions withControl() {
        return with(copy -> copy.hasControl = true);
    }

    /**
     * {@return these options with one more thing to be shown: a node, a pipeline, a pool} It is
     * asked once a second while somebody looks, on the observer's cord, and must not wait. A source
     * that throws is shown as its failure.
     *
     * {@snippet file="dev/ropewalk/actors/observer/ObserverSnippetsTest.java" region="source"}
     *
     * @param name the heading
     * @param json makes one value of JSON
     * @throws IllegalArgumentException if there is one of that name, or the name is blank
     */
    public ObserverOptions withSource(String name, Supplier<String> json) {
        if (name.isBlank() || values.sources.containsKey(name)) {
            throw new IllegalArgumentException(
                    "name=" + name + " is blank, or another source has it; use another one");
        }
        Map<String, Supplier<String>> sources = new TreeMap<>(values.sources);
        sources.put(name, Objects.requireNonNull(json, "json"));
        return with(copy -> copy.sources = sources);
    }

    /**
     * {@return these options with more numbers at {@code /metrics}} Those of cords, of the
     * process's pool for blocking code, and of actors are there anyway.
     *
     * {@snippet file="dev/ropewalk/actors/observer/ObserverSnippetsTest.java" region="metrics"}
     *
     * @param source is asked at each reading, in a thread of the pool for blocking code
     */
    public ObserverOptions withMetrics(MetricSource source) {
        List<MetricSource> metrics = new ArrayList<>(values.metrics);
        metrics.add(Objects.requireNonNull(source, "source"));
        return with(copy -> copy.metrics = List.copyOf(metrics));
    }

    /** All addresses of the machine, which is the name of none. */
    private static boolean isAny(String host) {
        return host.equals("0.0.0.0") || host.chars().allMatch(each -> each == '0' || each == ':');
    }

    private ObserverOptions with(Consumer<Values> change) {
        Values copy = values.copy();
        change.accept(copy);
        return new ObserverOptions(copy);
    }

    String host() {
        return values.host;
    }

    int port() {
        return values.port;
    }

    @Nullable Tls tls() {
        return values.tls;
    }

    /** Null for one that is drawn. */
    @Nullable String token() {
        return values.token;
    }

    boolean hasControl() {
        return values.hasControl;
    }

    Map<String, Supplier<String>> sources() {
        return values.sources;
    }

    /** The first reading begins to keep what the next one needs. */
    Metrics metrics() {
        return Metrics.of(values.metrics);
    }

    /** Without the token. */
    @Override
    public String toString() {
        return "ObserverOptions[host="
                + values.host
                + ", port="
                + values.port
                + ", tls="
                + (values.tls != null)
                + ", control="
                + values.hasControl
                + ", sources="
                + values.sources.keySet()
                + "]";
    }

    /** Changed only while it is a copy that no options have yet. */
    private static final class Values implements Cloneable {
        String host = "127.0.0.1";
        int port;
        @Nullable Tls tls;
        @Nullable String token;
        boolean hasControl;
        Map<String, Supplier<String>> sources = Map.of();
        List<MetricSource> metrics =
                List.of(FiberMetrics.cords(), FiberMetrics.blocking(), ActorMetrics.systems());

        Values copy() {
            try {
                return (Values) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }
    }
}
