package dev.ropewalk.actors.cluster.internal.entity;

import java.util.HexFormat;

/** The names of actors that have any text for a key. */
final class EntityNames {
    private EntityNames() {}

    /**
     * Refuses a name that is none.
     *
     * @throws IllegalArgumentException if it is blank
     */
    static void check(String name) {
        if (name.isBlank()) {
            throw new IllegalArgumentException("the name \"" + name + "\" is blank");
        }
    }

    /** The key, where the characters that no name of an actor has are written as in an address. */
    static String name(String key) {
        boolean isBlank = key.isBlank();
        if (key.indexOf('/') < 0 && key.indexOf('%') < 0 && !isBlank) {
            return key; // nearly all
        }
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < key.length(); i++) {
            char each = key.charAt(i);
            if (isBlank || each == '/' || each == '%') {
                String digits = HexFormat.of().withUpperCase().toHexDigits(each); // four
                name.append('%').append(each < 0x100 ? digits.substring(2) : "u" + digits);
            } else {
                name.append(each);
            }
        }
        return name.toString();
    }
}
