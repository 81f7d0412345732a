package dev.ropewalk.examples.chat;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.supervision.Supervisor;

import java.util.HashMap;
import java.util.Map;

/** Knows the rooms that there are, and makes those that are asked for. */
final class Lobby implements Behavior<Lobby.Message> {
    /** A message to the lobby. */
    sealed interface Message {}

    /** Asks for a room, which is made if there is none of the name. */
    record Find(String room, Recipient<Answer> replyTo) implements Message {}

    private record Gone(String room) implements Message {}

    /** The reply to a {@link Find}. */
    sealed interface Answer {}

    /** The room; it may end before it is told anything, if nobody is in it. */
    record Found(ActorRef<Room.Message> room) implements Answer {}

    /** There are too many. */
    record Refused(String why) implements Answer {}

    private final ActorContext<Message> self;
    private final Supervisor supervisor;
    private final ChatOptions options;
    private final Map<String, ActorRef<Room.Message>> rooms = new HashMap<>();

    private Lobby(ActorContext<Message> self, Supervisor supervisor, ChatOptions options) {
        this.self = self;
        this.supervisor = supervisor;
        this.options = options;
    }

    /**
     * The lobby.
     *
     * @param supervisor has the rooms as its children
     */
    static Actor<Message> actor(Supervisor supervisor, ChatOptions options) {
        return Actor.handler((ActorContext<Message> self) -> new Lobby(self, supervisor, options))
                .keepState();
    }

    @Override
    public Behavior<Message> onMessage(Message message) {
        switch (message) {
            case Find find -> find.replyTo().tell(find(find.room()));
            case Gone gone -> rooms.remove(gone.room());
        }
        return Behavior.same();
    }

    private Answer find(String name) {
        ActorRef<Room.Message> there = rooms.get(name);
        if (there != null) {
            return new Found(there);
        }
        if (rooms.size() >= options.maxRooms()) {
            return new Refused("there are " + rooms.size() + " rooms already; join one of them");
        }
        ActorRef<Room.Message> made = supervisor.spin(name, Room.actor(name, options));
        rooms.put(name, made);
        self.monitor(made, _ -> new Gone(name));
        return new Found(made);
    }
}
