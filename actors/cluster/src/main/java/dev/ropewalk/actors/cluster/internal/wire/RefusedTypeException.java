package dev.ropewalk.actors.cluster.internal.wire;

import com.esotericsoftware.kryo.KryoException;

/** A message has a type that this node cannot read, because the two programs differ in it. */
public final class RefusedTypeException extends KryoException {
    private static final long serialVersionUID = 1;

    RefusedTypeException(String type, String why) {
        super("the type " + type + " cannot be read: " + why);
    }
}
