package dev.ropewalk.actors.top;

import dev.ropewalk.channels.http.HttpClient;
import dev.ropewalk.channels.http.HttpOptions;
import dev.ropewalk.channels.http.HttpRequest;
import dev.ropewalk.channels.http.HttpResponse;
import dev.ropewalk.fibers.io.CodecException;
import dev.ropewalk.fibers.io.ConnectionException;
import dev.ropewalk.fibers.io.ConnectionTimeoutException;
import dev.ropewalk.fibers.io.TcpOptions;
import dev.ropewalk.fibers.io.Tls;
import dev.ropewalk.fibers.spi.ClosedException;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * The looks of an observer, one each second: its stream, because rates are known only from one look
 * to the next. Belongs to the cord that opened it.
 */
final class Feed implements AutoCloseable {
    /** Of one look: far above what 500 rows need. */
    static final int MAX_EVENT_BYTES = 16 << 20;

    private static final int MAX_REFUSAL_CHARS = 300;

    private static final byte[] DATA = "data: ".getBytes(StandardCharsets.UTF_8);

    private final Address address;
    private final Duration limit;
    private final HttpClient client;
    private final HttpResponse stream;
    private final Look.Sequence looks = new Look.Sequence();

    /** Bytes that have come and are no whole line yet. */
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    private byte[] chunk = new byte[0];
    private int at;

    private Feed(Address address, Duration limit, HttpClient client, HttpResponse stream) {
        this.address = address;
        this.limit = limit;
        this.client = client;
        this.stream = stream;
    }

    /**
     * Connects. A switchpoint.
     *
     * @param limit without a byte of an answer
     */
    static Feed open(Address address, String token, String query, Duration limit) throws Stopped {
        TcpOptions tcp =
                TcpOptions.defaults()
                        .withConnectLimit(limit)
                        .withReadLimit(limit)
                        .withWriteLimit(limit);
        if (address.isTls()) {
            tcp = tcp.withTls(Tls.client());
        }
        HttpOptions http = HttpOptions.defaults().withTcp(tcp).withHeadLimit(limit);
        HttpClient client = null;
        try {
            client = HttpClient.connect(address.host(), address.port(), http);
            HttpResponse stream =
                    client.send(
                            HttpRequest.get("/api/v1/stream?" + query)
                                    .withHeader("Host", address.hostHeader())
                                    .withHeader("Authorization", "Bearer " + token));
            checkStatus(address, stream);
            Feed opened = new Feed(address, limit, client, stream);
            client = null;
            return opened;
        } catch (ConnectionTimeoutException late) {
            throw late(address, limit);
        } catch (CodecException | ClosedException other) {
            throw noObserver(address, String.valueOf(other.getMessage()));
        } catch (ConnectionException refused) {
            throw Stopped.notThere(
                    address
                            + " cannot be reached; does the process run, on this machine, with an"
                            + " observer at that port? "
                            + refused.getMessage());
        } finally {
            if (client != null) {
                client.close();
            }
        }
    }

    private static void checkStatus(Address address, HttpResponse answer) throws Stopped {
        switch (answer.status()) {
            case 200 -> {
                String type = answer.header("Content-Type");
                if (type == null || !type.startsWith("text/event-stream")) {
                    throw noObserver(address, "it answers with " + type);
                }
            }
            case 401 ->
                    throw Stopped.notThere(
                            address
                                    + " refuses the token; each start of a process draws another,"
                                    + " so take the address that it has printed last");
            case 403 -> throw Stopped.notThere(address + " refuses: " + told(answer));
            case 503 -> throw Stopped.notThere(address + " has no room: " + told(answer));
            default ->
                    throw noObserver(
                            address, "it answers with " + answer.status() + " " + told(answer));
        }
    }

    private static Stopped noObserver(Address address, String why) {
        return Stopped.notThere(
                address + " is no observer of version 1, or one of another version: " + why);
    }

    private static Stopped late(Address address, Duration limit) {
        return Stopped.notThere(
                address
                        + " has not answered for "
                        + limit.toMillis()
                        + " ms; is the process suspended, or out of memory?");
    }

    /** Its first lines. */
    private static String told(HttpResponse answer) {
        try {
            String text = answer.body().text().strip();
            return text.length() <= MAX_REFUSAL_CHARS
                    ? text
                    : text.substring(0, MAX_REFUSAL_CHARS) + "..";
        } catch (ClosedException | ConnectionException lost) {
            return "";
        }
    }

    /** The next look. A switchpoint. */
    Look next() throws Stopped {
        try {
            while (true) {
                String told = nextLine();
                if (told.startsWith("data: ")) {
                    return looks.next(told.substring(DATA.length));
                }
            }
        } catch (ConnectionTimeoutException late) {
            throw late(address, limit);
        } catch (CodecException other) {
            throw noObserver(address, String.valueOf(other.getMessage()));
        } catch (ClosedException | ConnectionException ended) {
            throw Stopped.notThere(
                    address + " has ended: the process is gone, or has closed its observer");
        }
    }

    /** Without its end. A comment or an empty line is one, too. */
    private String nextLine() throws Stopped {
        while (true) {
            while (at < chunk.length) {
                byte each = chunk[at++];
                if (each == '\n') {
                    String told = line.toString(StandardCharsets.UTF_8);
                    line.reset();
                    return told;
                }
                if (line.size() >= MAX_EVENT_BYTES) {
                    throw noObserver(address, "a look has more than " + MAX_EVENT_BYTES + " bytes");
                }
                line.write(each);
            }
            chunk = stream.body().receive();
            at = 0;
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
