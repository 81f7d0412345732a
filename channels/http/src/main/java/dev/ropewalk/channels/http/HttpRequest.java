package dev.ropewalk.channels.http;

import io.netty.handler.codec.http.QueryStringDecoder;

import org.jspecify.annotations.Nullable;

import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/**
 * The request of a client to a server; immutable, except for its body, which is read once.
 *
 * <p>A server gets it, a client makes it. The library adds {@code Host} and the fields for the
 * length of the body.
 */
public final class HttpRequest {
    private static final int MAX_PARAMETERS = 1_024;

    private final String method;
    private final String target;
    private final HttpHeaders headers;
    private final HttpBody body;
    private final @Nullable SocketAddress from;

    HttpRequest(
            String method,
            String target,
            HttpHeaders headers,
            HttpBody body,
            @Nullable SocketAddress from) {
        this.method = method;
        this.target = target;
        this.headers = headers;
        this.body = body;
        this.from = from;
    }

    /**
     * {@return a request without headers and body}
     *
     * @param method for example {@code GET}
     * @param target the path, with the query if there is one: {@code /a%20b?c=d}; or a whole
     *     address, {@code http://host/path}; {@code host:port} for CONNECT, {@code *} for OPTIONS
     * @throws IllegalArgumentException if either is empty, or has a blank or a control character,
     *     or the target has none of these forms, or has a fragment
     */
    public static HttpRequest of(String method, String target) {
        checkWord("method", method);
        checkWord("target", target);
        String fault = RequestTarget.fault(method, target);
        if (fault != null) {
            throw new IllegalArgumentException("target='" + target + "': " + fault);
        }
        return new HttpRequest(method, target, HttpHeaders.empty(), HttpBody.empty(), null);
    }

    private static void checkWord(String what, String value) {
        if (value.isEmpty() || value.chars().anyMatch(c -> c <= ' ' || c >= 0x7f)) {
            throw new IllegalArgumentException(
                    what + "='" + value + "' is no word of visible ASCII; encode what is not");
        }
    }

    /**
     * {@return a GET}
     *
     * @param target as of {@link #of}
     * @throws IllegalArgumentException as {@link #of}
     */
    public static HttpRequest get(String target) {
        return of("GET", target);
    }

    /**
     * {@return a POST}
     *
     * @param target as of {@link #of}
     * @param body what is posted
     * @throws IllegalArgumentException as {@link #of}
     */
    public static HttpRequest post(String target, HttpBody body) {
        return of("POST", target).withBody(body);
    }

    /**
     * {@return a PUT}
     *
     * @param target as of {@link #of}
     * @param body what is put
     * @throws IllegalArgumentException as {@link #of}
     */
    public static HttpRequest put(String target, HttpBody body) {
        return of("PUT", target).withBody(body);
    }

    /** {@return the method, for example {@code GET}; upper and lower case differ} */
    public String method() {
        return method;
    }

    /**
     * {@return the target as it was sent: path and query, or a whole address; a host and a port if
     * the method is CONNECT; {@code *} if OPTIONS asks about the server}
     */
    public String target() {
        return target;
    }

    /**
     * {@return the path, decoded, without the query; {@code *} if that is the target; empty if the
     * target is a host and a port}
     *
     * @throws HttpException with 400, if it cannot be decoded
     */
    public String path() {
        try {
            QueryStringDecoder decoder = query();
            String path = decoder.path();
            checkUtf8(decoder.rawPath());
            return path;
        } catch (IllegalArgumentException undecodable) {
            throw undecodable(undecodable);
        }
    }

    /**
     * {@return the first value of a parameter of the query, decoded; or null}
     *
     * @param name of the parameter
     * @throws HttpException with 400, if the query cannot be decoded
     */
    public @Nullable String query(String name) {
        List<String> all = queryAll(name);
        return all.isEmpty() ? null : all.getFirst();
    }

    /**
     * {@return all values of a parameter of the query, decoded, in order} The first 1,024
     * parameters of a query count.
     *
     * @param name of the parameter
     * @throws HttpException with 400, if the query cannot be decoded
     */
    public List<String> queryAll(String name) {
        try {
            QueryStringDecoder decoder = query();
            List<String> all = decoder.parameters().getOrDefault(name, List.of());
            checkUtf8(decoder.rawQuery());
            return List.copyOf(all);
        } catch (IllegalArgumentException undecodable) {
            throw undecodable(undecodable);
        }
    }

    /** Not left to Netty, which puts U+FFFD in the place of bytes that are no UTF-8. */
    private static void checkUtf8(String encoded) {
        if (!RequestTarget.isUtf8(encoded)) {
            throw new IllegalArgumentException("no UTF-8: " + encoded);
        }
    }

    private QueryStringDecoder query() {
        return new QueryStringDecoder(
                RequestTarget.fromPath(target), StandardCharsets.UTF_8, true, MAX_PARAMETERS, true);
    }

    private HttpException undecodable(IllegalArgumentException why) {
        HttpException bad = new HttpException(400, "bad encoding in the target: " + target);
        bad.initCause(why);
        return bad;
    }

    /** {@return the header fields} */
    public HttpHeaders headers() {
        return headers;
    }

    /**
     * {@return the first value of a header field, or null}
     *
     * @param name of the field
     */
    public @Nullable String header(String name) {
        return headers.first(name);
    }

    /** {@return the body; may be empty} */
    public HttpBody body() {
        return body;
    }

    /** {@return the client's address; null if it did not come from a client} */
    public @Nullable SocketAddress from() {
        return from;
    }

    /**
     * {@return this request with one value of a header field, in place of those that it had}
     *
     * @param name of the field
     * @param value its value
     * @throws IllegalArgumentException as {@link HttpHeaders#with}
     */
    public HttpRequest withHeader(String name, String value) {
        return withHeaders(headers.with(name, value));
    }

    /**
     * {@return this request with other header fields}
     *
     * @param fields all of them
     */
    public HttpRequest withHeaders(HttpHeaders fields) {
        Objects.requireNonNull(fields, "fields");
        return new HttpRequest(method, target, fields, body, from);
    }

    /**
     * {@return this request with another body}
     *
     * @param content what is sent
     */
    public HttpRequest withBody(HttpBody content) {
        Objects.requireNonNull(content, "content");
        return new HttpRequest(method, target, headers, content, from);
    }

    @Override
    public String toString() {
        return method + " " + target;
    }
}
