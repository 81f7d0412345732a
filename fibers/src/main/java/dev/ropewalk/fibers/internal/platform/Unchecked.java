package dev.ropewalk.fibers.internal.platform;

/** Throws checked exceptions that are not declared. */
public final class Unchecked {
    private Unchecked() {}

    /** Throws what it is given; typed as a return for the compiler. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    public static <E extends Throwable> E sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
