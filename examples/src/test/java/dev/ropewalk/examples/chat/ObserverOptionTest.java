package dev.ropewalk.examples.chat;

import dev.ropewalk.examples.server.SeenServer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.io.IOException;

/** The option {@code --observer}. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ObserverOptionTest {
    @Test
    void theServerAndItsConnectionsAreSeen() throws IOException, InterruptedException {
        SeenServer.assertConnectionsAreSeen(new Main(), "telnet", "--ws-port=0");
    }
}
