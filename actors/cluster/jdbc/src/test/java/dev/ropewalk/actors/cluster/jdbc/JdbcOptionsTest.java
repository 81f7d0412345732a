package dev.ropewalk.actors.cluster.jdbc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;

/** The options of a store, and the end of a prefix. */
class JdbcOptionsTest {
    @Test
    void A7_optionsThatAreNoneAreErrors() {
        JdbcOptions good = JdbcOptions.sqlite(Path.of("x.db"));
        Class<IllegalArgumentException> bad = IllegalArgumentException.class;
        assertThrows(bad, () -> JdbcOptions.postgresql("jdbc:mysql://host/name"));
        assertThrows(bad, () -> good.withTable("a; drop table b"));
        assertThrows(bad, () -> good.withTable(""));
        assertThrows(bad, () -> good.withTable("x".repeat(41)));
        assertThrows(bad, () -> good.withConnections(1));
        assertThrows(bad, () -> JdbcOptions.sqlite(Path.of("a.db?journal_mode=WAL")));
        String rewrites = "jdbc:postgresql://h/d?reWriteBatchedInserts=true";
        assertThrows(bad, () -> JdbcOptions.postgresql(rewrites));
        assertThrows(bad, () -> good.withCallLimit(Duration.ofMillis(999)));
        assertThrows(bad, () -> good.withCallLimit(Duration.ofDays(2)));
    }

    @Test
    void A7_theTextOfTheOptionsHasNoPassword() {
        JdbcOptions with =
                JdbcOptions.postgresql("jdbc:postgresql://h/d?password=secret")
                        .withUser("u", "secret");
        assertFalse(with.toString().contains("secret"), with::toString);
        JdbcOptions before = JdbcOptions.postgresql("jdbc:postgresql://user:secret@h/d");
        assertFalse(before.toString().contains("secret"), before::toString);
        assertFalse(JdbcOptions.sqlite(Path.of("x.db")).toString().isEmpty());
    }

    @Test
    void A7_theEndOfAPrefixIsTheNextText() {
        assertEquals("b", Rows.endOf("a"));
        assertEquals("a0", Rows.endOf("a/"));
        assertEquals("\uE000", Rows.endOf("\uD7FF"), "no half of a pair");
        String last = Character.toString(Character.MAX_CODE_POINT);
        assertEquals("b", Rows.endOf("a" + last));
        assertNull(Rows.endOf(last + last));
        assertNull(Rows.endOf(""));
    }
}
