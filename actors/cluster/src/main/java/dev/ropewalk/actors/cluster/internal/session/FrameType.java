package dev.ropewalk.actors.cluster.internal.session;

/** The sorts of frames, by their first byte. The numbers are part of the protocol. */
public final class FrameType {
    // While two nodes meet.

    /** The protocol's version, the cluster, and who speaks. */
    static final byte HELLO = 1;

    /** The connection is a session from here on. */
    static final byte CONFIRM = 2;

    /** It is none, and why. */
    static final byte REFUSED = 3;

    // Of the session itself; not counted, and not acknowledged.

    /** How many counted frames have been taken. */
    static final byte ACK = 4;

    /** Somebody is here. */
    static final byte BEAT = 5;

    /** The types that the node sends. */
    public static final byte TYPES = 6;

    /** The nodes that it knows, and where they are. */
    public static final byte PEERS = 7;

    /** It leaves: nothing more comes. */
    static final byte GOODBYE = 8;

    /** It seeks a circle of asks. */
    public static final byte SEEK = 9;

    /** Senders want room in a bounded mailbox. */
    public static final byte ROOM = 10;

    /** Room is lent, or refused. */
    public static final byte LEND = 11;

    /** Room that was lent goes back. */
    public static final byte UNUSED = 12;

    /** It shares a group with the nodes that have it too. */
    public static final byte SHARES = 13;

    /** An actor of the node is a member of a group. */
    public static final byte JOINED = 14;

    /** It is a member no more. */
    public static final byte LEFT = 15;

    // Counted: each is acknowledged.

    /** The first one that is. */
    static final byte FIRST_COUNTED = 16;

    public static final byte TELL = 16;
    public static final byte ASK = 17;
    public static final byte REPLY = 18;
    public static final byte NO_REPLY = 19;
    public static final byte TELL_TO = 20;
    public static final byte STOP = 21;
    public static final byte TERMINATE = 22;
    public static final byte KILL = 23;
    public static final byte WATCH = 24;
    public static final byte UNWATCH = 25;
    public static final byte DOWN = 26;
    public static final byte FIND = 27;
    public static final byte FOUND = 28;
    public static final byte LOOK = 29;
    public static final byte SEEN = 30;
    public static final byte FAIL_TO = 31;

    /** A TELL with room that was lent for it. */
    public static final byte TELL_LENT = 32;

    /** The acknowledgements are to say how many messages an actor has. */
    public static final byte COUNT = 33;

    /** An actor of the node has linked to one of the other node. */
    public static final byte LINK = 34;

    public static final byte UNLINK = 35;

    /** A linked actor of the node is over. */
    public static final byte LINK_END = 36;

    /** A TELL to an entity, by its kind and key. */
    public static final byte TELL_ENTITY = 37;

    /** An ASK of one. */
    public static final byte ASK_ENTITY = 38;

    /** A word of the library to a durable entity. */
    public static final byte LETTER = 39;

    /** The frame of that number was to an entity that the node does not take. */
    public static final byte BOUNCED = 40;

    /** The same, of an ask. */
    public static final byte ASK_BOUNCED = 41;

    /** All frames before this one are to be answered, if they bounce, before FENCED is. */
    public static final byte FENCE = 42;

    public static final byte FENCED = 43;

    /** The node has no entity any more. FENCED is behind the last message to one. */
    public static final byte RETIRED = 44;

    /** Added to the type of a message: a context stands in front. No type is as high. */
    public static final byte WITH_CONTEXT = 64;

    private FrameType() {}
}
