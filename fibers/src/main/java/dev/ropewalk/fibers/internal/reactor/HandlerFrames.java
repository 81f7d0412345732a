package dev.ropewalk.fibers.internal.reactor;

import org.jspecify.annotations.Nullable;

/** Finds the Netty handler that calls, for messages of errors; loads no class of Netty. */
public final class HandlerFrames {
    private static final String HANDLER = "io.netty.channel.ChannelHandler";
    private static final StackWalker WALKER =
            StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);

    private HandlerFrames() {}

    /** The class of the innermost handler on the stack that is not Netty's own, or null. */
    public static @Nullable String innermost() {
        return WALKER.walk(
                frames ->
                        frames.map(StackWalker.StackFrame::getDeclaringClass)
                                .filter(HandlerFrames::isHandler)
                                .map(Class::getName)
                                .findFirst()
                                .orElse(null));
    }

    private static boolean isHandler(Class<?> type) {
        return !type.getName().startsWith("io.netty.channel.") && implementsHandler(type);
    }

    private static boolean implementsHandler(@Nullable Class<?> type) {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            if (each.getName().equals(HANDLER)) {
                return true;
            }
            for (Class<?> above : each.getInterfaces()) {
                if (implementsHandler(above)) {
                    return true;
                }
            }
        }
        return false;
    }
}
