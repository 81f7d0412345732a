package dev.ropewalk.channels.flow;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.StackKind;

import org.jspecify.annotations.Nullable;

/**
 * One cord for flows whose owner has no cord; its thread does not keep the process alive. On
 * virtual threads where it can have them, because it runs unknown subscribers, and some block.
 */
final class SharedCord {
    private static @Nullable Cord cord;

    private SharedCord() {}

    /** Started at the first call, and again if it was closed. */
    static synchronized Cord get() {
        Cord shared = cord;
        if (shared == null || !shared.isAlive()) {
            CordOptions plain = CordOptions.named("flows");
            CordOptions options =
                    StackKind.VIRTUAL_THREAD.isAvailable()
                            ? plain.withStacks(StackKind.VIRTUAL_THREAD)
                            : plain;
            shared = Cord.start(options.withThreadFactory(loop -> daemon(options, loop)));
            cord = shared;
        }
        return shared;
    }

    private static Thread daemon(CordOptions options, Runnable loop) {
        Thread thread = new Thread(null, loop, options.name(), options.stackSize());
        thread.setDaemon(true);
        return thread;
    }
}
