package dev.ropewalk.actors.observer;

import dev.ropewalk.channels.http.HttpException;
import dev.ropewalk.channels.http.HttpHandler;
import dev.ropewalk.channels.http.HttpRequest;
import dev.ropewalk.channels.http.HttpResponse;

import org.jspecify.annotations.Nullable;

import java.util.List;
import java.util.Locale;

/**
 * Decides who may ask, before anything else is looked at.
 *
 * <ul>
 *   <li>A request for another host is refused: a page of elsewhere whose name leads to this machine
 *       would be of the same origin otherwise.
 *   <li>So is a request by a page of another origin.
 *   <li>All but the files of the page need the token, in a header, so that no link, log and Referer
 *       has it.
 *   <li>All methods but GET and HEAD are refused without control.
 * </ul>
 */
final class Gate implements HttpHandler {
    /** The paths below it need the token. */
    static final String API = "/api/";

    static final String METRICS = "/metrics";

    static final String CONTROL = "/api/v1/control";

    private static final String POLICY =
            "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private final ObserverOptions options;
    private final Token token;
    private final HttpHandler inside;

    /** Set when the port is known, before the first request. */
    private volatile int port;

    Gate(ObserverOptions options, Token token, HttpHandler inside) {
        this.options = options;
        this.token = token;
        this.inside = inside;
    }

    void opened(int openedPort) {
        port = openedPort;
    }

    int port() {
        return port;
    }

    @Override
    public HttpResponse handle(HttpRequest request) throws Exception {
        HttpResponse response;
        try {
            check(request);
            response = inside.handle(request);
        } catch (HttpException refused) {
            response = HttpResponse.text(refused.getMessage() + "\n").withStatus(refused.status());
        }
        return response.withHeader("Content-Security-Policy", POLICY)
                .withHeader("X-Content-Type-Options", "nosniff")
                .withHeader("Referrer-Policy", "no-referrer")
                .withHeader("Cache-Control", "no-store");
    }

    private void check(HttpRequest request) {
        if (!isOwnHost(request.header("Host"))) {
            throw new HttpException(403, "this is another host; ask for " + names().getFirst());
        }
        String origin = request.header("Origin");
        if (origin != null && !names().contains(afterScheme(origin))) {
            throw new HttpException(403, "a page of another origin may not ask");
        }
        boolean isRead = request.method().equals("GET") || request.method().equals("HEAD");
        if (!isRead && !request.method().equals("POST")) {
            throw new HttpException(405, "GET it");
        }
        if (!isRead && !options.hasControl()) {
            throw new HttpException(405, "GET it; this observer was started without withControl()");
        }
        if (!isRead && !request.path().equals(CONTROL)) {
            throw new HttpException(405, "POST to " + CONTROL + " alone");
        }
        if (!isRead && origin == null) {
            throw new HttpException(403, "a POST needs its Origin");
        }
        boolean isOpen = !request.path().startsWith(API) && !request.path().equals(METRICS);
        if (!isOpen && !token.isIn(request.header("Authorization"))) {
            throw new HttpException(
                    401, "send the token of the observer's address: Authorization: Bearer ..");
        }
    }

    /** Null is no host: HTTP/1.0 may leave it out. */
    private boolean isOwnHost(@Nullable String host) {
        return host != null && names().contains(host.toLowerCase(Locale.ROOT));
    }

    /** As they stand in a request: with the port, unless that is the scheme's own. */
    private List<String> names() {
        String after = port == (options.tls() == null ? 80 : 443) ? "" : ":" + port;
        String host = options.host().toLowerCase(Locale.ROOT);
        String own = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return options.tls() == null
                ? List.of(own + after, "localhost" + after, "[::1]" + after)
                : List.of(own + after);
    }

    private String afterScheme(String origin) {
        String scheme = scheme() + "://";
        return origin.startsWith(scheme) ? origin.substring(scheme.length()) : "";
    }

    private String scheme() {
        return options.tls() == null ? "http" : "https";
    }

    /** With the token, behind the sign that browsers keep to themselves. */
    String address() {
        return scheme() + "://" + names().getFirst() + "/#" + token.text();
    }

    /** The same without it. */
    String publicAddress() {
        return scheme() + "://" + names().getFirst() + "/";
    }
}
