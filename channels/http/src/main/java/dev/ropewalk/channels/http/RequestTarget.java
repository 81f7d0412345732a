package dev.ropewalk.channels.http;

import io.netty.util.NetUtil;

import org.jspecify.annotations.Nullable;

import java.nio.charset.CharacterCodingException;

/**
 * The four forms of a request's target (RFC 9112, section 3.2), and the names of hosts in it and in
 * {@code Host} (RFC 3986, section 3.2.2).
 *
 * <pre>
 *   /path?query               any method but CONNECT
 *   http://host:80/path?query any method but CONNECT
 *   host:80                   CONNECT
 *   *                         OPTIONS
 * </pre>
 */
final class RequestTarget {
    private static final int MAX_PORT = 65_535;
    private static final String HTTP = "http://";
    private static final String HTTPS = "https://";

    /** Beside letters and digits; a comma is left out, because it joins two hosts to one field. */
    private static final String NAME_SIGNS = "-._~!$&'()*+;=";

    private RequestTarget() {}

    /** The fault in it, or null. */
    static @Nullable String fault(String method, String target) {
        for (int i = 0; i < target.length(); i++) {
            char c = target.charAt(i);
            if (c <= ' ' || c >= 0x7f) {
                return "it has a character that is not visible ASCII; encode it as %20 is";
            }
            if (c == '#') {
                return "it has a fragment, which is the client's own; leave it out";
            }
        }
        if (method.equals("CONNECT")) {
            return isAuthority(target, true) ? null : "CONNECT asks for a host and a port";
        }
        if (target.startsWith("/") || (target.equals("*") && method.equals("OPTIONS"))) {
            return null;
        }
        int scheme = schemeLength(target);
        if (scheme == 0) {
            return "it is no path, which begins with /, and no http://host/path";
        }
        return isAuthority(target.substring(scheme, authorityEnd(target, scheme)), false)
                ? null
                : "the host of its address is none";
    }

    /** Of a target that has no fault: from the path on; empty if it is a host and a port. */
    static String fromPath(String target) {
        if (target.startsWith("/") || target.equals("*")) {
            return target;
        }
        int scheme = schemeLength(target);
        if (scheme == 0) {
            return "";
        }
        int end = authorityEnd(target, scheme);
        String rest = target.substring(end);
        return rest.startsWith("/") ? rest : "/" + rest;
    }

    /** The host and the port in a whole address; null if it is no whole address. */
    static @Nullable String authority(String target) {
        int scheme = target.startsWith("/") ? 0 : schemeLength(target);
        return scheme == 0 ? null : target.substring(scheme, authorityEnd(target, scheme));
    }

    /** Whether what is encoded in a part of it is UTF-8. */
    static boolean isUtf8(String encoded) {
        if (encoded.indexOf('%') < 0) {
            return true;
        }
        byte[] decoded = new byte[encoded.length()];
        int count = 0;
        for (int i = 0; i < encoded.length(); i++) {
            char c = encoded.charAt(i);
            if (c == '%' && isEscape(encoded, i)) {
                c = (char) Integer.parseInt(encoded, i + 1, i + 3, 16);
                i += 2;
            }
            decoded[count++] = (byte) c;
        }
        try {
            Wire.utf8(decoded, count);
            return true;
        } catch (CharacterCodingException none) {
            return false;
        }
    }

    private static int schemeLength(String target) {
        if (target.regionMatches(true, 0, HTTP, 0, HTTP.length())) {
            return HTTP.length();
        }
        return target.regionMatches(true, 0, HTTPS, 0, HTTPS.length()) ? HTTPS.length() : 0;
    }

    private static int authorityEnd(String target, int from) {
        int end = from;
        while (end < target.length() && target.charAt(end) != '/' && target.charAt(end) != '?') {
            end++;
        }
        return end;
    }

    // ---------------------------------------------------------------- hosts

    /** Whether it is a host with a port or without, or empty, as the field {@code Host} may be. */
    static boolean isHostField(String value) {
        return value.isEmpty() || isAuthority(value, false);
    }

    private static boolean isAuthority(String text, boolean needsPort) {
        int end = text.startsWith("[") ? text.indexOf(']') + 1 : text.indexOf(':');
        if (end < 0) {
            end = text.length();
        }
        String host = text.substring(0, end);
        boolean isHost = host.startsWith("[") ? isIpV6(host) : isName(host);
        return isHost && isPort(text.substring(end), needsPort);
    }

    private static boolean isIpV6(String inBrackets) {
        String address = inBrackets.substring(1, inBrackets.length() - 1);
        return address.indexOf('%') < 0
                && address.indexOf('[') < 0
                && NetUtil.isValidIpV6Address(address);
    }

    /** An IPv4 address is a name too. */
    private static boolean isName(String host) {
        for (int i = 0; i < host.length(); i++) {
            char c = host.charAt(i);
            if (c == '%') {
                if (!isEscape(host, i)) {
                    return false;
                }
                i += 2;
            } else if (!isLetterOrDigit(c) && NAME_SIGNS.indexOf(c) < 0) {
                return false;
            }
        }
        return !host.isEmpty();
    }

    private static boolean isLetterOrDigit(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }

    private static boolean isEscape(String text, int at) {
        return at + 2 < text.length()
                && Character.digit(text.charAt(at + 1), 16) >= 0
                && Character.digit(text.charAt(at + 2), 16) >= 0;
    }

    /** With its colon; an empty port, and a colon without digits, stand for the usual port. */
    private static boolean isPort(String text, boolean isNeeded) {
        if (text.length() <= 1) {
            return !isNeeded && (text.isEmpty() || text.equals(":"));
        }
        int port = 0;
        for (int i = 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return false;
            }
            port = port * 10 + c - '0';
            if (port > MAX_PORT) {
                return false;
            }
        }
        return text.charAt(0) == ':';
    }
}
