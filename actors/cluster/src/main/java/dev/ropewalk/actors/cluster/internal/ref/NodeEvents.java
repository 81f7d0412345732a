package dev.ropewalk.actors.cluster.internal.ref;

import dev.ropewalk.actors.cluster.NodeDump;
import dev.ropewalk.actors.cluster.internal.session.NodeId;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * Tells the flight recorder of sessions with other nodes. Until there has been a recording the
 * classes of the events are not touched, because their initialisers load the recorder; afterwards
 * their enabled flag is a constant. No message is told.
 */
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class NodeEvents {
    private NodeEvents() {}

    /** Two nodes are peers. */
    public static void begun(NodeId self, Conversation session) {
        if (isRecorded()) {
            Events.begun(self, session);
        }
    }

    /** They are no more. */
    public static void ended(NodeId self, Conversation session, int lost) {
        if (isRecorded()) {
            Events.ended(self, session, lost);
        }
    }

    /** Two nodes do not become peers. */
    public static void peerRefused(NodeId self, String reason) {
        if (isRecorded()) {
            Events.peerRefused(self, reason);
        }
    }

    static void typeRefused(NodeId self, Peer peer, String type, String reason) {
        if (isRecorded()) {
            Events.typeRefused(self, peer, type, reason);
        }
    }

    static void statistics(NodeId self, Conversation session) {
        if (isRecorded()) {
            Events.statistics(self, session);
        }
    }

    private static boolean isRecorded() {
        try {
            return FlightRecorder.isInitialized();
        } catch (LinkageError absent) {
            return false; // a JVM without the module jdk.jfr
        }
    }

    /** The maker of the events; loaded when the first recording is there. */
    private static final class Events {
        private Events() {}

        static void begun(NodeId self, Conversation session) {
            SessionBegin event = new SessionBegin();
            if (event.shouldCommit()) {
                event.of(self, session.peer());
                event.address = session.session().peer().address();
                event.commit();
            }
        }

        static void ended(NodeId self, Conversation session, int lost) {
            SessionEnd event = new SessionEnd();
            if (event.shouldCommit()) {
                event.of(self, session.peer());
                event.reason = String.valueOf(session.why());
                event.lasted = session.dump().up().toNanos();
                event.lost = lost;
                event.commit();
            }
        }

        static void peerRefused(NodeId self, String reason) {
            PeerRefused event = new PeerRefused();
            if (event.shouldCommit()) {
                event.node = self.toString();
                event.reason = reason;
                event.commit();
            }
        }

        static void typeRefused(NodeId self, Peer peer, String type, String reason) {
            TypeRefused event = new TypeRefused();
            if (event.shouldCommit()) {
                event.of(self, peer);
                event.messageType = type;
                event.reason = reason;
                event.commit();
            }
        }

        static void statistics(NodeId self, Conversation session) {
            SessionStatistics event = new SessionStatistics();
            if (event.shouldCommit()) {
                event.of(self, session.peer());
                event.tell(session.dump());
                event.commit();
            }
        }
    }

    /** The fields of all events of sessions. */
    @Category({"Ropewalk", "Nodes"})
    @StackTrace(false)
    private abstract static class OfPeer extends Event {
        @Label("Node")
        String node = "";

        @Label("Peer")
        String peer = "";

        void of(NodeId self, Peer other) {
            node = self.toString();
            peer = other.id().toString();
        }
    }

    @Name("dev.ropewalk.SessionBegin")
    @Label("Session Begin")
    private static final class SessionBegin extends OfPeer {
        @Label("Address")
        String address = "";
    }

    @Name("dev.ropewalk.SessionEnd")
    @Label("Session End")
    private static final class SessionEnd extends OfPeer {
        @Label("Reason")
        String reason = "";

        @Label("Lasted")
        @Timespan(Timespan.NANOSECONDS)
        long lasted;

        @Label("Messages Lost")
        int lost;
    }

    @Name("dev.ropewalk.PeerRefused")
    @Label("Peer Refused")
    @Category({"Ropewalk", "Nodes"})
    @StackTrace(false)
    private static final class PeerRefused extends Event {
        @Label("Node")
        String node = "";

        @Label("Reason")
        String reason = "";
    }

    @Name("dev.ropewalk.TypeRefused")
    @Label("Type Refused")
    private static final class TypeRefused extends OfPeer {
        @Label("Message Type")
        String messageType = "";

        @Label("Reason")
        String reason = "";
    }

    @Name("dev.ropewalk.SessionStatistics")
    @Label("Session Statistics")
    private static final class SessionStatistics extends OfPeer {
        @Label("Queued")
        @DataAmount
        long queuedBytes;

        @Label("Unacknowledged Messages")
        int unacknowledged;

        @Label("Unacknowledged")
        @DataAmount
        long unacknowledgedBytes;

        @Label("Waiting Senders")
        int waiting;

        @Label("Messages Out")
        long messagesOut;

        @Label("Bytes Out")
        @DataAmount
        long bytesOut;

        @Label("Messages In")
        long messagesIn;

        @Label("Bytes In")
        @DataAmount
        long bytesIn;

        @Label("Open Asks")
        int asks;

        @Label("Monitored Actors")
        int monitored;

        @Label("Monitors of the Peer")
        int monitors;

        void tell(NodeDump.Peer dump) {
            queuedBytes = dump.out().queuedBytes();
            unacknowledged = dump.out().unacknowledged();
            unacknowledgedBytes = dump.out().unacknowledgedBytes();
            waiting = dump.out().waiting();
            messagesOut = dump.out().messages();
            bytesOut = dump.out().bytes();
            messagesIn = dump.in().messages();
            bytesIn = dump.in().bytes();
            asks = dump.entries().asks();
            monitored = dump.entries().monitored();
            monitors = dump.entries().monitors();
        }
    }
}
