package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.KryoException;

/** A class that is to be sent is not in the protocol of this node. */
final class UnknownTypeException extends KryoException {
    private static final long serialVersionUID = 1;

    UnknownTypeException(Class<?> type) {
        super(type.getName() + " is not in the protocol" + remedy(type));
    }

    private static String remedy(Class<?> type) {
        if (type.isHidden() || type.isSynthetic()) {
            return "; it is a lambda, and code cannot be sent: send a record";
        }
        if (type.isRecord() || type.isEnum()) {
            return "; add it, or the sealed interface above it, to Protocol.of";
        }
        return "; it is neither a record nor an enum: send one, or give a serializer with"
                + " Protocol.with";
    }
}
