package dev.ropewalk.actors.top;

import org.jspecify.annotations.Nullable;

import java.net.URI;
import java.net.URISyntaxException;

/**
 * Where the observer is.
 *
 * @param token null if it does not stand in the address
 */
record Address(String host, int port, boolean isTls, @Nullable String token) {
    private static final int MAX_PORT = 65_535;

    /** A whole address, {@code host:port}, or a port of this machine. */
    static Address of(String text) throws Stopped {
        String whole = text.matches("\\d+") ? "127.0.0.1:" + text : text;
        URI uri;
        try {
            uri = new URI(whole.contains("://") ? whole : "http://" + whole);
        } catch (URISyntaxException bad) {
            throw wrong(text);
        }
        boolean isTls = "https".equalsIgnoreCase(uri.getScheme());
        boolean isHttp = isTls || "http".equalsIgnoreCase(uri.getScheme());
        String path = uri.getPath();
        boolean isRoot = path == null || path.isEmpty() || path.equals("/");
        String host = uri.getHost();
        int port = uri.getPort() == -1 ? (isTls ? 443 : 80) : uri.getPort();
        if (!isHttp || !isRoot || host == null || port < 1 || port > MAX_PORT) {
            throw wrong(text);
        }
        String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return new Address(bare, port, isTls, uri.getFragment());
    }

    private static Stopped wrong(String text) {
        int token = text.indexOf('#');
        return Stopped.badOption(
                (token < 0 ? text : text.substring(0, token))
                        + " is no address of an observer; write for instance"
                        + " http://127.0.0.1:7090/#TOKEN, as the process printed it");
    }

    /** As in the header of a request. */
    String hostHeader() {
        String shown = host.indexOf(':') >= 0 ? "[" + host + "]" : host;
        return port == (isTls ? 443 : 80) ? shown : shown + ":" + port;
    }

    /** Without the token. */
    @Override
    public String toString() {
        return (isTls ? "https://" : "http://") + hostHeader() + "/";
    }
}
