package dev.ropewalk.actors.cluster.internal.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.ropewalk.actors.cluster.internal.lease.Register.State;

import org.junit.jupiter.api.Test;

/** Rule A7: registers of programs of several versions. */
class RegisterTest {
    @Test
    void A7_aRegisterIsReadAsItWasWritten() {
        Register taking = new Register(-7, State.UP, "host", 1, "n1", "1.2: a", true);
        assertEquals(taking, Register.read(taking.bytes()));
        Register plain = new Register(7, State.DEAD, "host", 65_535, "n2", "", false);
        assertEquals(plain, Register.read(plain.bytes()));
        assertEquals("1.2: a", taking.dead("n2").version());
    }

    @Test
    void A7_aRegisterOfAnOlderProgramTakesNoShards() {
        String text = "state: UP\nlife: 1f\nhost: h\nport: 7400\nby: n1\n";
        Register old = Register.read(text.getBytes(UTF_8));
        assertNotNull(old);
        assertFalse(old.takesShards());
        assertEquals("", old.version());
        String newer = text + "takes: shards\nversion: 2\nother: 3\nodd\n";
        Register read = Register.read(newer.getBytes(UTF_8));
        assertNotNull(read);
        assertTrue(read.takesShards());
        assertEquals("2", read.version());
    }
}
