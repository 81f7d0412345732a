package dev.ropewalk.channels.http;

import io.netty.handler.codec.http.HttpResponseStatus;

import org.jspecify.annotations.Nullable;

import java.util.Objects;

/**
 * The answer of a server; immutable, except for its body, which is read once if it was not made of
 * an array or a text.
 *
 * <p>The library adds {@code Date}, and the fields for the length of the body.
 */
public final class HttpResponse {
    private static final String CONTENT_TYPE = "Content-Type";

    private final int status;
    private final HttpHeaders headers;
    private final HttpBody body;

    HttpResponse(int status, HttpHeaders headers, HttpBody body) {
        this.status = status;
        this.headers = headers;
        this.body = body;
    }

    /**
     * {@return a response without headers and body}
     *
     * @param status 200 to 599
     * @throws IllegalArgumentException if it is out of that range
     */
    public static HttpResponse of(int status) {
        if (status < 200 || status > 599) {
            throw new IllegalArgumentException(
                    "status=" + status + " ends no exchange; 200 to 599 do");
        }
        return new HttpResponse(status, HttpHeaders.empty(), HttpBody.empty());
    }

    /**
     * {@return 200 with a plain text}
     *
     * @param text is sent as UTF-8
     */
    public static HttpResponse text(String text) {
        return of("text/plain; charset=utf-8", HttpBody.of(text));
    }

    /**
     * {@return 200 with JSON}
     *
     * @param json is sent as UTF-8, as it is
     */
    public static HttpResponse json(String json) {
        return of("application/json", HttpBody.of(json));
    }

    /**
     * {@return 200 with a body}
     *
     * @param type its {@code Content-Type}
     * @param body what is sent
     * @throws IllegalArgumentException if the type has a line end
     */
    public static HttpResponse of(String type, HttpBody body) {
        return of(200).withHeader(CONTENT_TYPE, type).withBody(body);
    }

    /** {@return the status, 200 for one} */
    public int status() {
        return status;
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

    /**
     * {@return this response with another status}
     *
     * @param code 200 to 599
     * @throws IllegalArgumentException as {@link #of(int)}
     */
    public HttpResponse withStatus(int code) {
        return new HttpResponse(of(code).status, headers, body);
    }

    /**
     * {@return this response with one value of a header field, in place of those that it had}
     *
     * @param name of the field
     * @param value its value
     * @throws IllegalArgumentException as {@link HttpHeaders#with}
     */
    public HttpResponse withHeader(String name, String value) {
        return withHeaders(headers.with(name, value));
    }

    /**
     * {@return this response with other header fields}
     *
     * @param fields all of them
     */
    public HttpResponse withHeaders(HttpHeaders fields) {
        Objects.requireNonNull(fields, "fields");
        return new HttpResponse(status, fields, body);
    }

    /**
     * {@return this response with another body}
     *
     * @param content what is sent
     */
    public HttpResponse withBody(HttpBody content) {
        Objects.requireNonNull(content, "content");
        return new HttpResponse(status, headers, content);
    }

    @Override
    public String toString() {
        return HttpResponseStatus.valueOf(status).toString();
    }
}
