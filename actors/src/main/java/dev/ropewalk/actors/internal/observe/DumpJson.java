package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.observe.ActorDump;
import dev.ropewalk.actors.observe.SupervisorDump;
import dev.ropewalk.actors.observe.SystemDump;
import dev.ropewalk.actors.observe.TreeDump;
import dev.ropewalk.fibers.internal.dump.JsonWriter;

/** A {@link SystemDump} as JSON. */
public final class DumpJson {
    private final JsonWriter json = new JsonWriter();

    private DumpJson() {}

    public static String of(SystemDump dump) {
        DumpJson all = new DumpJson();
        all.json.begin();
        all.json.field("system", dump.system());
        all.json.field("deadLetters", (Number) dump.deadLetters());
        all.json.begin("root");
        all.fields(dump.root());
        all.json.end();
        all.json.end();
        return all.json.toString();
    }

    private void object(TreeDump tree) {
        json.begin();
        fields(tree);
        json.end();
    }

    private void fields(TreeDump tree) {
        switch (tree) {
            case SupervisorDump supervisor -> supervisor(supervisor);
            case ActorDump actor -> actor(actor);
        }
        json.list("children", tree.children(), this::object);
    }

    private void supervisor(SupervisorDump supervisor) {
        json.field("kind", "supervisor");
        json.field("path", supervisor.path());
        json.field("cord", supervisor.cord());
        json.field("state", supervisor.state());
        json.field("restarts", (Number) supervisor.restarts());
    }

    private void actor(ActorDump actor) {
        json.field("kind", "actor");
        json.field("path", actor.path());
        json.field("number", (Number) actor.number());
        json.field("cord", actor.cord());
        json.field("phase", actor.phase() == null ? "SILENT" : actor.phase().name());
        json.field("state", actor.state());
        json.field("restarts", (Number) actor.restarts());
        json.field("queued", (Number) actor.queued());
        json.field("postponed", (Number) actor.postponed());
        json.nanos("oldestNanos", actor.oldest());
        json.field("current", actor.current());
        json.field("waitsFor", actor.waitsFor());
    }
}
