package dev.ropewalk.fibers.internal.reactor;

import dev.ropewalk.fibers.internal.log.Logs;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.nio.NioIoHandler;

import org.jspecify.annotations.Nullable;

import java.util.Locale;

/**
 * The interface of the system that reactors use, the same for all cords of the process: epoll where
 * the system has it, otherwise NIO, or the one that the property {@value #PROPERTY} names; io_uring
 * only by its name. Reading it loads the library.
 */
public enum ReactorKind {
    EPOLL {
        @Override
        public @Nullable Throwable whyUnavailable() {
            return Epoll.unavailabilityCause();
        }

        @Override
        IoHandlerFactory newFactory() {
            return EpollHandler.newFactory();
        }
    },

    IO_URING {
        @Override
        public @Nullable Throwable whyUnavailable() {
            try {
                return UringHandler.whyUnavailable();
            } catch (NoClassDefFoundError missing) {
                return missing;
            }
        }

        @Override
        String remedy() {
            return "add io.netty:netty-transport-classes-io_uring and"
                    + " io.netty:netty-transport-native-io_uring, of the version of Netty's other"
                    + " jars, the second with the classifier linux-x86_64 or linux-aarch_64";
        }

        @Override
        IoHandlerFactory newFactory() {
            return UringHandler.newFactory();
        }
    },

    NIO {
        @Override
        public @Nullable Throwable whyUnavailable() {
            return null;
        }

        @Override
        IoHandlerFactory newFactory() {
            return NioIoHandler.newFactory();
        }
    };

    static final String PROPERTY = "ropewalk.reactor";

    static final ReactorKind CHOSEN = choose(System.getProperty(PROPERTY));

    /** Null if it can be used. */
    public abstract @Nullable Throwable whyUnavailable();

    abstract IoHandlerFactory newFactory();

    /** The remedy where it cannot be had. */
    String remedy() {
        return "put its native library on the class path";
    }

    static ReactorKind choose(@Nullable String named) {
        if (named == null) {
            return bestAvailable(System.getProperty("os.name"));
        }
        for (ReactorKind each : values()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(named)) {
                return each.checkAvailable();
            }
        }
        throw new IllegalArgumentException(
                PROPERTY + "=" + named + " is none of epoll, io_uring and nio; or leave it out");
    }

    static ReactorKind bestAvailable(String system) {
        Throwable why = EPOLL.whyUnavailable();
        if (why == null) {
            return EPOLL;
        }
        if (system.equals("Linux")) {
            Logs.logger(ReactorKind.class)
                    .warn(
                            "sockets run on NIO, because epoll cannot be had: {}; is its native"
                                    + " library on the class path, for this processor, and may"
                                    + " java.io.tmpdir be written and executed? -D{}=nio if that"
                                    + " is wanted",
                            why.toString(),
                            PROPERTY);
        }
        return NIO;
    }

    private ReactorKind checkAvailable() {
        Throwable why = whyUnavailable();
        if (why != null) {
            throw new IllegalStateException(
                    PROPERTY
                            + "="
                            + name().toLowerCase(Locale.ROOT)
                            + " cannot be had here: "
                            + why
                            + "; "
                            + remedy()
                            + ". Or leave it out",
                    why);
        }
        return this;
    }
}
