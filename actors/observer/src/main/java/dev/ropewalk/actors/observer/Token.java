package dev.ropewalk.actors.observer;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.jspecify.annotations.Nullable;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.HexFormat;

/** The secret of an observer. It is shown once, in its address, and by no {@code toString}. */
final class Token {
    private static final int BYTES = 16;
    private static final String SCHEME = "Bearer ";

    private final String text;

    private Token(String text) {
        this.text = text;
    }

    static Token of(@Nullable String given) {
        return new Token(given == null ? draw() : given);
    }

    private static String draw() {
        byte[] bytes = new byte[BYTES];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** In a time that does not tell how much of it is right. */
    boolean isIn(@Nullable String authorization) {
        return authorization != null
                && authorization.startsWith(SCHEME)
                && MessageDigest.isEqual(
                        text.getBytes(UTF_8),
                        authorization.substring(SCHEME.length()).getBytes(UTF_8));
    }

    /** For the address alone. */
    String text() {
        return text;
    }

    @Override
    public String toString() {
        return "a token";
    }
}
