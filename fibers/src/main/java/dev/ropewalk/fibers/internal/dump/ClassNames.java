package dev.ropewalk.fibers.internal.dump;

/** Names of classes that are the same in each run of a program, and few. For any thread. */
public final class ClassNames {
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

    private ClassNames() {}

    /** With its package; of a lambda expression the class in which it stands. */
    public static String of(Class<?> type) {
        return NAMES.get(type);
    }

    /** {@return a name of a class, as the source of the program writes it in its package} */
    public static String withoutPackage(String name) {
        return name.substring(name.lastIndexOf('.') + 1).replace('$', '.');
    }
}
