package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.observe.ActorDump;
import dev.ropewalk.actors.observe.SupervisorDump;
import dev.ropewalk.actors.observe.SystemDump;
import dev.ropewalk.actors.observe.TreeDump;
import dev.ropewalk.fibers.internal.dump.Lines;

/** A {@link SystemDump} as a tree for people. */
public final class DumpText {
    private final StringBuilder text = new StringBuilder();

    private DumpText() {}

    public static String of(SystemDump dump) {
        DumpText all = new DumpText();
        all.text
                .append("system ")
                .append(dump.system())
                .append(": ")
                .append(dump.deadLetters())
                .append(" dead letters\n");
        all.tree(dump.root(), "  ");
        return all.text.toString();
    }

    private void tree(TreeDump tree, String indent) {
        text.append(indent);
        switch (tree) {
            case SupervisorDump supervisor -> supervisor(supervisor);
            case ActorDump actor -> actor(actor);
        }
        text.append('\n');
        for (TreeDump child : tree.children()) {
            tree(child, indent + "  ");
        }
    }

    private void supervisor(SupervisorDump supervisor) {
        text.append(supervisor.path())
                .append(": supervisor ")
                .append(supervisor.state())
                .append(" on ")
                .append(supervisor.cord())
                .append(", restarts=")
                .append(supervisor.restarts());
    }

    private void actor(ActorDump actor) {
        text.append(actor.path()).append('#').append(actor.number()).append(": ");
        if (actor.phase() == null) {
            text.append("SILENT, because cord ").append(actor.cord()).append(" does not answer");
            return;
        }
        text.append(actor.phase()).append(" on ").append(actor.cord());
        if (actor.state() != null) {
            text.append(", in state ").append(Lines.line(actor.state()));
        }
        text.append(", restarts=").append(actor.restarts());
        text.append(", queued=").append(actor.queued());
        if (actor.oldest() != null) {
            text.append(", the oldest for ").append(actor.oldest().toMillis()).append(" ms");
        }
        if (actor.postponed() > 0) {
            text.append(", postponed=").append(actor.postponed());
        }
        if (actor.current() != null) {
            text.append(", handles ").append(actor.current());
        }
        if (actor.waitsFor() != null) {
            text.append(", waits for ").append(actor.waitsFor());
        }
    }
}
