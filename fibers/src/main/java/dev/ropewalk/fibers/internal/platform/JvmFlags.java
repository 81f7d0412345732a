package dev.ropewalk.fibers.internal.platform;

import org.agrona.concurrent.ManyToOneConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;

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

    /** In plain loops: each cord's start waits for this, and a stream takes longer. */
    private static List<String> missing(Module own) {
        Module agrona = ManyToOneConcurrentLinkedQueue.class.getModule(); // named after its file
        Module netty = module("io.netty.common", own); // its classes are not loaded before I/O
        List<String> missing = new ArrayList<>();
        if (!BASE.isExported(VM, own)) {
            missing.add("--add-exports=java.base/" + VM + "=" + nameOf(own));
        }
        if (!BASE.isOpen("java.lang", own)) {
            missing.add("--add-opens=java.base/java.lang=" + nameOf(own));
        }
        addBoth(
                missing,
                "--add-opens=java.base/" + MISC + "=",
                BASE.isOpen(MISC, own) ? null : own,
                BASE.isOpen(MISC, agrona) ? null : agrona);
        addBoth(
                missing,
                "--enable-native-access=",
                own.isNativeAccessEnabled() ? null : own,
                netty.isNativeAccessEnabled() ? null : netty);
        return missing;
    }

    /** The module of that name, or the unnamed one of the class path. */
    private static Module module(String name, Module own) {
        ModuleLayer layer = own.getLayer() == null ? ModuleLayer.boot() : own.getLayer();
        if (layer == ModuleLayer.boot()) { // which has no parents to ask
            for (Module each : layer.modules()) {
                if (each.getName().equals(name)) {
                    return each;
                }
            }
            return unnamed(own);
        }
        return layer.findModule(name).orElse(unnamed(own));
    }

    private static Module unnamed(Module own) {
        ClassLoader loader = own.getClassLoader();
        return own.isNamed() && loader != null ? loader.getUnnamedModule() : own;
    }

    private static void addBoth(
            List<String> missing, String flag, @Nullable Module first, @Nullable Module second) {
        String one = first == null ? null : nameOf(first);
        String other = second == null ? null : nameOf(second);
        if (one != null && other != null && !one.equals(other)) {
            missing.add(flag + one + "," + other);
        } else if (one != null || other != null) {
            missing.add(flag + (one == null ? other : one));
        }
    }

    private static String nameOf(Module module) {
        return module.isNamed() ? module.getName() : "ALL-UNNAMED";
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
