package dev.ropewalk.channels.http;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValidationUtil;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * The header fields of a request or a response, in order; immutable. A name may occur several
 * times, and upper and lower case in it are the same.
 */
public final class HttpHeaders {
    /** The largest character that a byte of a field stands for. */
    private static final int MAX_CHAR = 0xff;

    private static final HttpHeaders EMPTY = new HttpHeaders(new DefaultHttpHeaders());

    /** Never changed once it is here. */
    private final io.netty.handler.codec.http.HttpHeaders fields;

    /** Takes them over. */
    HttpHeaders(io.netty.handler.codec.http.HttpHeaders fields) {
        this.fields = fields;
    }

    /** {@return headers without a field} */
    public static HttpHeaders empty() {
        return EMPTY;
    }

    /**
     * {@return the first value of a name, or null}
     *
     * @param name of the field
     */
    public @Nullable String first(String name) {
        return fields.get(name);
    }

    /**
     * {@return all values of a name, in order}
     *
     * @param name of the field
     */
    public List<String> all(String name) {
        return List.copyOf(fields.getAll(name));
    }

    /**
     * {@return whether there is a value of a name}
     *
     * @param name of the field
     */
    public boolean has(String name) {
        return fields.contains(name);
    }

    /**
     * {@return whether a name has a value in a list with commas, as {@code Connection} has {@code
     * close}} Upper and lower case are the same.
     *
     * @param name of the field
     * @param value one of the list
     */
    public boolean has(String name, String value) {
        return fields.containsValue(name, value, true);
    }

    /** {@return how many fields there are} */
    public int size() {
        return fields.size();
    }

    /**
     * Shows each field, in order.
     *
     * @param taker gets name and value
     */
    public void forEach(BiConsumer<? super String, ? super String> taker) {
        for (Map.Entry<String, String> each : fields) {
            taker.accept(each.getKey(), each.getValue());
        }
    }

    /**
     * {@return these with one value of a name, in place of those that it had}
     *
     * @param name of the field
     * @param value its value
     * @throws IllegalArgumentException if they have a character that would end the field, as a line
     *     end does, or that it cannot hold, above U+00FF
     */
    public HttpHeaders with(String name, String value) {
        check(name, value);
        return new HttpHeaders(fields.copy().set(name, value));
    }

    /**
     * {@return these with one value more of a name}
     *
     * @param name of the field
     * @param value its value
     * @throws IllegalArgumentException as {@link #with}
     */
    public HttpHeaders and(String name, String value) {
        check(name, value);
        return new HttpHeaders(fields.copy().add(name, value));
    }

    /** Not left to Netty, whose copies check nothing. */
    private static void check(String name, String value) {
        if (name.isEmpty() || HttpHeaderValidationUtil.validateToken(name) >= 0) {
            throw new IllegalArgumentException("name='" + name + "' is no token");
        }
        if (HttpHeaderValidationUtil.validateValidHeaderValue(value) >= 0) {
            throw new IllegalArgumentException(
                    name + ": '" + value + "' has a control character, a line end perhaps");
        }
        if (value.chars().anyMatch(c -> c > MAX_CHAR)) {
            throw new IllegalArgumentException(
                    name + ": '" + value + "' is more than ISO 8859-1; encode what is");
        }
    }

    /**
     * {@return these without the values of a name}
     *
     * @param name of the field
     */
    public HttpHeaders without(String name) {
        return new HttpHeaders(fields.copy().remove(name));
    }

    /** Whether no field is here that the library sets, or decides about. */
    boolean leavesFraming() {
        return !fields.contains(HttpHeaderNames.TRANSFER_ENCODING)
                && !fields.contains(HttpHeaderNames.CONTENT_LENGTH)
                && !fields.contains(HttpHeaderNames.CONNECTION)
                && !fields.contains(HttpHeaderNames.DATE);
    }

    /** For the wire, which only reads them. */
    io.netty.handler.codec.http.HttpHeaders onWire() {
        return fields;
    }

    /** For the wire: a copy that the caller may change. */
    io.netty.handler.codec.http.HttpHeaders copy() {
        return fields.copy();
    }

    @Override
    public String toString() {
        return fields.entries().toString();
    }
}
