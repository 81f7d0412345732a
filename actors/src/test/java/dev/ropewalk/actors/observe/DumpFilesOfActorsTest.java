package dev.ropewalk.actors.observe;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.ActorSystem;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.fibers.observe.DumpFiles;
import dev.ropewalk.fibers.observe.DumpOptions;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The file of a dump has the tree of each system. */
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class DumpFilesOfActorsTest {
    @Test
    void theFileHasTheSystems(@TempDir Path directory) throws IOException {
        try (ActorSystem shop = ActorSystem.start("shop of dumps");
                DumpFiles dumps = DumpFiles.open(DumpOptions.into(directory))) {
            Actor<String> actor = Actor.handler(() -> _ -> Behavior.same());
            ActorRef<String> till = shop.spin("till", actor);
            till.tell("five");
            String text = Files.readString(dumps.write("actors").join());
            assertTrue(text.contains("== actors =="), text);
            assertTrue(text.contains("shop of dumps/till"), text);
        }
    }
}
