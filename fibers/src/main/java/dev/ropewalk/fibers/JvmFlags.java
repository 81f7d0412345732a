package dev.ropewalk.fibers;

import java.util.ArrayList;
import java.util.List;

/** The JVM flags that Ropewalk stands on, checked before the first cord touches what they open. */
final class JvmFlags {
    private static final String EXPORT_CONTINUATIONS =
            "--add-exports=java.base/jdk.internal.vm=ALL-UNNAMED";
    private static final String OPEN_LANG = "--add-opens=java.base/java.lang=ALL-UNNAMED";
    private static final String OPEN_MISC = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";
    private static final String NATIVE = "--enable-native-access=ALL-UNNAMED";

    private static final List<String> MISSING = missing();

    private JvmFlags() {}

    /** Throws one message that says what to add, if anything is missing. */
    static void check() {
        if (!MISSING.isEmpty()) {
            throw new IllegalStateException(
                    "Ropewalk cannot start a cord: this JVM was started without "
                            + String.join(" ", MISSING)
                            + ". Add them to the command line, or start with the argument file:"
                            + " java @ropewalk.args ... (a runnable jar can carry them in its"
                            + " manifest: Add-Exports, Add-Opens, Enable-Native-Access).");
        }
    }

    static boolean isVmExported() {
        return Object.class.getModule().isExported("jdk.internal.vm", JvmFlags.class.getModule());
    }

    static boolean isMiscOpen() {
        return Object.class.getModule().isOpen("jdk.internal.misc", JvmFlags.class.getModule());
    }

    private static List<String> missing() {
        Module base = Object.class.getModule();
        Module own = JvmFlags.class.getModule();
        List<String> missing = new ArrayList<>();
        if (!isVmExported()) {
            missing.add(EXPORT_CONTINUATIONS);
        }
        if (!base.isOpen("java.lang", own)) {
            missing.add(OPEN_LANG);
        }
        if (!isMiscOpen()) {
            missing.add(OPEN_MISC);
        }
        if (!own.isNativeAccessEnabled()) {
            missing.add(NATIVE);
        }
        return missing;
    }
}
