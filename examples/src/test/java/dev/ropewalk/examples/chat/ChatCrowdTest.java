package dev.ropewalk.examples.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Behavior;
import dev.ropewalk.fibers.testing.TestCord;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** Ten thousand members of one room, half of them by WebSocket, on the network in memory. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class ChatCrowdTest {
    private static final int MEMBERS = 10_000;

    /** What was in use when the room had told all its members of a message. */
    private record Told(int live, long usedBytes, int lineReferences, int frameReferences) {}

    private final List<Told> told = new ArrayList<>();
    private @Nullable Lab lab;

    @Test
    void aMessageIsEncodedOnceForEachKindOfClient() {
        TestCord.run(
                1,
                false,
                () -> Lab.runHere(options -> options.withFaults(this::looking), this::talk));
    }

    private Behavior<Room.Message> looking(Behavior<Room.Message> room) {
        return message -> {
            Behavior<Room.Message> next = room.onMessage(message);
            if (message instanceof Room.Say) {
                CountingEncoder encoder = Objects.requireNonNull(lab).encoder;
                told.add(
                        new Told(
                                encoder.live(),
                                encoder.usedBytes(),
                                encoder.references(Format.LINE),
                                encoder.references(Format.FRAME)));
            }
            return next;
        };
    }

    private void talk(Lab here) {
        lab = here;
        List<User> users = new ArrayList<>();
        for (int i = 0; i < MEMBERS; i++) {
            users.add(i % 2 == 0 ? here.telnet("hall", "u" + i) : here.webSocket("hall", "u" + i));
        }
        for (int i = 0; i < 3; i++) {
            String said = "message " + i;
            users.get(i).say(said);
            String heard = "u" + i + ": " + said;
            for (User each : users) {
                each.expect(heard);
            }
            assertEquals(1, here.encoder.count(Format.LINE, heard));
            assertEquals(1, here.encoder.count(Format.FRAME, heard));
            assertEquals(2 * (i + 1), here.encoder.count());
            // All have shared the bytes of the message, and the history keeps them.
            Told last = told.get(i);
            assertEquals(2 * (i + 1), last.live());
            assertTrue(last.usedBytes() < 200, () -> last.toString());
            assertEquals(MEMBERS / 2 + 1, last.lineReferences());
            assertEquals(MEMBERS / 2 + 1, last.frameReferences());
            assertEquals(1, here.encoder.references(Format.LINE));
            assertEquals(1, here.encoder.references(Format.FRAME));
        }
    }
}
