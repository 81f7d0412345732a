package dev.ropewalk.actors.cluster.internal.entity;

/** The names of actors that have any text for a key. */
final class EntityNames {
    private EntityNames() {}

    /** The key, where the characters that no name of an actor has are written as in an address. */
    static String name(String key) {
        if (key.indexOf('/') < 0 && key.indexOf('%') < 0 && !key.isBlank()) {
            return key; // nearly all
        }
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < key.length(); i++) {
            switch (key.charAt(i)) {
                case '/' -> name.append("%2F");
                case '%' -> name.append("%25");
                case ' ' -> name.append(key.isBlank() ? "%20" : " ");
                default -> name.append(key.charAt(i));
            }
        }
        return name.toString();
    }
}
