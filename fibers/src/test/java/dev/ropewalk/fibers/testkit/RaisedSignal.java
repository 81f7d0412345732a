package dev.ropewalk.fibers.testkit;

/** A signal to this very process. By reflection, because javac warns of the class. */
public final class RaisedSignal {
    private RaisedSignal() {}

    /** Returns before it has arrived. */
    public static void raise(String name) throws ReflectiveOperationException {
        Class<?> type = Class.forName("sun.misc.Signal");
        Object signal = type.getConstructor(String.class).newInstance(name);
        type.getMethod("raise", type).invoke(null, signal);
    }
}
