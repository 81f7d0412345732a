package dev.ropewalk.fibers.internal.platform;

/** Throws checked exceptions where none is declared. */
public final class Unchecked {
    private Unchecked() {}

    /** Throws what it is given; typed as a return for the compiler. */
    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
    public static <E extends Throwable> E sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
