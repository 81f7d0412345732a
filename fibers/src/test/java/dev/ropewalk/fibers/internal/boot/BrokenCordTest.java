package dev.ropewalk.fibers.internal.boot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.fibers.CordOptions;
import dev.ropewalk.fibers.Fiber;
import dev.ropewalk.fibers.internal.cord.CordImpl;
import dev.ropewalk.fibers.internal.platform.Platform;
import dev.ropewalk.fibers.internal.platform.RealPlatform;
import dev.ropewalk.fibers.internal.watch.Alarm;
import dev.ropewalk.fibers.internal.watch.Alarms;
import dev.ropewalk.fibers.sync.Event;
import dev.ropewalk.fibers.testkit.OtherJvm;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A cord that breaks, because its platform does, is an alarm that shows its fibers. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class BrokenCordTest {
    private final AssertionError broken = new AssertionError("the machine is broken");

    /** Real, but for its sleep. */
    private Platform platform() {
        RealPlatform real = new RealPlatform(Thread.currentThread());
        return (Platform)
                Proxy.newProxyInstance(
                        Platform.class.getClassLoader(),
                        new Class<?>[] {Platform.class},
                        (_, method, arguments) -> {
                            if (method.getName().startsWith("park")) {
                                throw broken;
                            }
                            try {
                                return method.invoke(real, arguments);
                            } catch (InvocationTargetException failed) {
                                throw failed.getCause();
                            }
                        });
    }

    private AssertionError breakOne() {
        CordImpl cord =
                new CordImpl(
                        CordOptions.named("weak").withUncaught((_, _) -> {}),
                        platform(),
                        () -> {
                            Fiber.spin("lost one", () -> Event.local().await());
                            Event.shared().await();
                            return null;
                        },
                        null);
        return assertThrows(AssertionError.class, () -> new ThreadDriver(cord).run());
    }

    @Test
    void anAlarmShowsItsFibersBeforeTheyAreLost() {
        List<Alarm> told = new ArrayList<>();
        Consumer<Alarm> bad =
                _ -> {
                    throw new IllegalStateException("a taker that throws");
                };
        Consumer<Alarm> taker = told::add;
        Alarms.add(bad);
        Alarms.add(taker);
        try {
            assertSame(broken, breakOne());
        } finally {
            Alarms.remove(bad);
            Alarms.remove(taker);
        }
        told.removeIf(each -> each.kind() != Alarm.Kind.BROKE); // of other tests' cords
        assertEquals(1, told.size());
        String text = told.getFirst().text();
        assertTrue(text.startsWith("cord weak broke: " + broken), text);
        assertTrue(text.contains("lost one #"), text);
        breakOne();
        assertEquals(1, told.size(), "nobody is told any more");
    }

    /** Ends at once when its cord is broken. */
    static final class Ends {
        static final int BROKE = 3;

        private Ends() {}

        public static void main(String[] args) {
            new BrokenCordTest().breakOne();
            System.exit(BROKE);
        }
    }

    @Test
    void aProcessThatEndsWithItsCordStillWritesTheDump(@TempDir Path directory)
            throws IOException, InterruptedException {
        OtherJvm.Ended ended = OtherJvm.run(List.of("-Dropewalk.dumps=" + directory), Ends.class);
        assertEquals(Ends.BROKE, ended.exit(), ended::output);
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> all = files.toList();
            assertEquals(1, all.size(), ended::output);
            assertTrue(all.getFirst().toString().endsWith("-broke.txt"), all::toString);
            assertTrue(Files.readString(all.getFirst()).contains("lost one #"), ended::output);
        }
    }
}
