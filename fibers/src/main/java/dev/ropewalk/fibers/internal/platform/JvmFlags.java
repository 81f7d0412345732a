package dev.ropewalk.fibers.internal.platform;

import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

/**
 * The ties of Ropewalk to what the JDK keeps to itself: each needs one flag of the JVM, and each is
 * for a part that a program can do without.
 *
 * <p>A flag is given to the module that needs it. On the class path that is the unnamed one; on the
 * module path it is Ropewalk's own, which the flags for {@code ALL-UNNAMED} do not reach.
 */
public final class JvmFlags {
    private static final Module BASE = Object.class.getModule();
    private static final Module OWN = JvmFlags.class.getModule();

    /** A part that needs a flag. */
    public enum Tie {
        /** The continuations that light stacks are made of. */
        CONTINUATIONS("--add-exports=java.base/jdk.internal.vm="),

        /** Virtual threads that a cord runs. */
        SCHEDULED_THREADS("--add-opens=java.base/java.lang="),

        /** Calls of the system. */
        NATIVE_CALLS("--enable-native-access=");

        private final String flag;

        Tie(String flag) {
            this.flag = flag;
        }

        /** Whether this JVM has the flag. */
        public boolean isThere() {
            return switch (this) {
                case CONTINUATIONS -> BASE.isExported("jdk.internal.vm", OWN);
                case SCHEDULED_THREADS -> BASE.isOpen("java.lang", OWN);
                case NATIVE_CALLS -> OWN.isNativeAccessEnabled();
            };
        }

        /** The flag, with the module that needs it. */
        public String flag() {
            return flag + (OWN.isNamed() ? OWN.getName() : "ALL-UNNAMED");
        }
    }

    private JvmFlags() {}

    /**
     * The remedy of a program that has no light stacks: begins a sentence, and ends before "for".
     */
    public static String wayToLightStacks() {
        return Tie.CONTINUATIONS.isThere()
                ? "start a JVM that has continuations, without -XX:-VMContinuations,"
                : "add " + Tie.CONTINUATIONS.flag();
    }

    /** Whether Agrona's queues work, which ask the JDK for unsafe access. */
    public static boolean hasAgrona() {
        return BASE.isExported(
                "jdk.internal.misc", ManyToOneConcurrentLinkedQueue.class.getModule());
    }

    /**
     * The error of a program that asks for what this JVM does not have.
     *
     * @param text that says it: the first sentence of the message
     * @param tie the flag for it
     * @param other a remedy without the flag
     */
    public static IllegalStateException lack(String text, Tie tie, String other) {
        if (tie == Tie.CONTINUATIONS && tie.isThere()) {
            return new IllegalStateException(
                    text
                            + ": this JVM has no continuations; "
                            + wayToLightStacks()
                            + " or "
                            + other);
        }
        String remedy;
        if (!OWN.isNamed()) {
            remedy =
                    "Add it to the command line (a runnable jar can carry it in its manifest, and"
                            + " JDK_JAVA_OPTIONS in the environment)";
        } else if (OWN.getLayer() == ModuleLayer.boot()) {
            remedy =
                    "Add it to the command line; the manifest of a jar is for the class path, and"
                            + " does not reach "
                            + OWN;
        } else {
            remedy =
                    "Flags reach the modules of the boot layer only, and "
                            + OWN
                            + " is in another one: have the JVM load it from its own module path"
                            + " or class path";
        }
        return new IllegalStateException(
                text
                        + ": this JVM was started without "
                        + tie.flag()
                        + ". "
                        + remedy
                        + "; or "
                        + other);
    }
}
