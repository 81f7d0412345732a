package dev.ropewalk.actors.observer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.ActorSystem;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** The examples of the page on the observer. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ObserverSnippetsTest {
    @Test
    void start() {
        // @start region="start"
        try (ActorSystem shop = ActorSystem.start("shop");
                Observer observer = Observer.start(ObserverOptions.loopback())) {
            // the program; the address of the page is on stderr
            // @end
            assertTrue(observer.address().startsWith("http://127.0.0.1:"), shop.name());
        }
    }

    @Test
    void source() {
        // @start region="source"
        ObserverOptions options =
                ObserverOptions.loopback()
                        .withPort(7_090)
                        .withSource("heap", () -> "" + Runtime.getRuntime().totalMemory());
        // @end
        assertTrue(options.toString().contains("[heap]"), options::toString);
    }
}
