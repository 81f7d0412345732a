package dev.ropewalk.actors.opentelemetry;

/** Names of classes that are the same in each run, and few. */
final class TypeNames {
    /** The JVM appends it to the class in which a lambda expression stands. */
    private static final String LAMBDA = "$$Lambda";

    private static final ClassValue<String> NAMES =
            new ClassValue<>() {
                @Override
                protected String computeValue(Class<?> type) {
                    String name = type.getTypeName();
                    int end = name.indexOf(LAMBDA);
                    if (end < 0 && type.isHidden()) {
                        end = name.indexOf('/'); // a number follows
                    }
                    return end < 0 ? name : name.substring(0, end);
                }
            };

    private TypeNames() {}

    /** With its package; of a lambda expression the class in which it stands. */
    static String of(Class<?> type) {
        return NAMES.get(type);
    }

    static String withoutPackage(String name) {
        return name.substring(name.lastIndexOf('.') + 1).replace('$', '.');
    }
}
