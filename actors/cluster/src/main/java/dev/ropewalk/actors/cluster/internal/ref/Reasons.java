package dev.ropewalk.actors.cluster.internal.ref;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.cluster.internal.wire.Failures;
import dev.ropewalk.actors.cluster.internal.wire.Text;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;

/** Why an actor is over, on the wire. */
final class Reasons {
    private static final byte NORMAL = 0;
    private static final byte SHUTDOWN = 1;
    private static final byte FAILED = 2;
    private static final byte KILLED = 3;
    private static final byte NO_ACTOR = 4;
    private static final byte UNREACHABLE = 5;

    private static final int MAX_TEXT = 2_048;

    private Reasons() {}

    static void write(Output to, ExitReason reason) {
        switch (reason) {
            case ExitReason.Normal() -> to.writeByte(NORMAL);
            case ExitReason.Shutdown(String why) -> {
                to.writeByte(SHUTDOWN);
                Text.write(to, why.length() > MAX_TEXT ? why.substring(0, MAX_TEXT) : why);
            }
            case ExitReason.Failed(Throwable cause) -> {
                to.writeByte(FAILED);
                Failures.write(to, cause);
            }
            case ExitReason.Killed() -> to.writeByte(KILLED);
            case ExitReason.NoActor() -> to.writeByte(NO_ACTOR);
            case ExitReason.Unreachable(String node) -> {
                to.writeByte(UNREACHABLE);
                Text.write(to, node);
            }
        }
    }

    static ExitReason read(WireInput from) {
        byte code = from.readByte();
        return switch (code) {
            case NORMAL -> new ExitReason.Normal();
            case SHUTDOWN -> new ExitReason.Shutdown(Text.readSome(from));
            case FAILED -> new ExitReason.Failed(Failures.read(from));
            case KILLED -> new ExitReason.Killed();
            case NO_ACTOR -> new ExitReason.NoActor();
            case UNREACHABLE -> new ExitReason.Unreachable(Text.readSome(from));
            default -> throw new KryoException("there is no exit reason " + code);
        };
    }
}
