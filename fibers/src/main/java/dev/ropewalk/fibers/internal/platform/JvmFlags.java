package dev.ropewalk.fibers.internal.platform;

import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The JVM flags that Ropewalk stands on, checked before the first cord touches what they open.
 *
 * <p>A flag is given to the module that needs it. On the class path that is the unnamed one; on the
 * module path it is Ropewalk's own, and those of the libraries, which the flags for {@code
 * ALL-UNNAMED} do not reach.
 */
public final class JvmFlags {
    private static final String VM = "jdk.internal.vm";
    private static final String MISC = "jdk.internal.misc";
    private static final Module BASE = Object.class.getModule();
    private static final Module OWN = JvmFlags.class.getModule();

    private static final List<String> MISSING = missing(OWN);

    private JvmFlags() {}

    /** Throws one message that says what to add, if anything is missing. */
    public static void check() {
        if (!MISSING.isEmpty()) {
            throw new IllegalStateException(message(OWN, MISSING));
        }
    }

    public static boolean isVmExported() {
        return BASE.isExported(VM, OWN);
    }

    public static boolean isMiscOpen() {
        return BASE.isOpen(MISC, OWN);
    }

    private static List<String> missing(Module own) {
        Module agrona = ManyToOneConcurrentLinkedQueue.class.getModule(); // named after its file
        Module netty = module("io.netty.common", own); // its classes are not loaded before I/O
        List<String> missing = new ArrayList<>();
        String exports = "--add-exports=java.base/" + VM;
        add(missing, exports, to -> BASE.isExported(VM, to), own);
        add(missing, "--add-opens=java.base/java.lang", to -> BASE.isOpen("java.lang", to), own);
        String opens = "--add-opens=java.base/" + MISC;
        add(missing, opens, to -> BASE.isOpen(MISC, to), own, agrona);
        add(missing, "--enable-native-access", Module::isNativeAccessEnabled, own, netty);
        return missing;
    }

    private static Module module(String name, Module own) {
        ModuleLayer layer = own.getLayer();
        ClassLoader loader = own.getClassLoader();
        Module unnamed = own.isNamed() && loader != null ? loader.getUnnamedModule() : own;
        return (layer == null ? ModuleLayer.boot() : layer).findModule(name).orElse(unnamed);
    }

    private static void add(
            List<String> missing, String flag, Predicate<Module> isGiven, Module... needed) {
        Set<String> to = new LinkedHashSet<>();
        for (Module each : needed) {
            if (!isGiven.test(each)) {
                to.add(each.isNamed() ? each.getName() : "ALL-UNNAMED");
            }
        }
        if (!to.isEmpty()) {
            missing.add(flag + "=" + String.join(",", to));
        }
    }

    private static String message(Module own, List<String> missing) {
        String without =
                "Ropewalk cannot start a cord: this JVM was started without "
                        + String.join(" ", missing)
                        + ". ";
        if (!own.isNamed()) {
            return without
                    + "Add them to the command line, or start with the argument file: java"
                    + " @ropewalk.args ... (a runnable jar can carry them in its manifest:"
                    + " Add-Exports, Add-Opens, Enable-Native-Access).";
        }
        if (own.getLayer() != ModuleLayer.boot()) {
            return without
                    + "Flags reach the modules of the boot layer only, and "
                    + own
                    + " is in another one: have the JVM load it from its own module path or class"
                    + " path, and add the flags to the command line.";
        }
        return without
                + "Add them to the command line; those of ropewalk.args and of a jar's manifest are"
                + " for the class path, and do not reach "
                + own
                + ".";
    }
}
