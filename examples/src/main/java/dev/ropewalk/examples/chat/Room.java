package dev.ropewalk.examples.chat;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorContext;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.actors.MailboxOptions;
import dev.ropewalk.actors.Monitor;
import dev.ropewalk.actors.Recipient;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A room: its members, and the last messages, which a new member gets before the next one.
 *
 * <p>It keeps its state over a crash, in its fields. These are not rolled back, so each message
 * first does all that may fail, and changes them then. A member whose actor is over leaves: the
 * monitors are kept with the state, so also one whose end comes while the room is started again.
 *
 * <p>It never waits for a member: one that is too far behind is dismissed.
 */
final class Room implements Behavior<Room.Message> {
    /** A message to a room. */
    sealed interface Message {}

    /** To be a member. */
    record Join(Client client, String name, Recipient<Answer> replyTo) implements Message {}

    /** To be none any more; answered when no message of this room comes behind. */
    record Leave(Client client, @Nullable Recipient<Answer> replyTo) implements Message {}

    /** To all members. */
    record Say(Client client, String text) implements Message {}

    private record Gone(ActorRef<?> member) implements Message {}

    private enum Due implements Message {
        EMPTY
    }

    /** The reply to a join and a leave. */
    sealed interface Answer {}

    /** It is so. */
    record Done() implements Answer {}

    /** It is not so. */
    record Refused(String why) implements Answer {}

    private record Seat(Client client, String name, Monitor monitor) {}

    /** A room is kept for so long without members. */
    static final Duration EMPTY_LIMIT = Duration.ofMinutes(10);

    /** While so many messages wait, a client that says something is held up. */
    private static final int MAX_WAITING = 1_024;

    private final ActorContext<Message> self;
    private final String name;
    private final ChatOptions options;
    private final Map<ActorRef<?>, Seat> seats = new LinkedHashMap<>();
    private final Set<String> takenNames = new HashSet<>();
    private final ArrayDeque<Post> history = new ArrayDeque<>();

    private Room(ActorContext<Message> self, String name, ChatOptions options) {
        this.self = self;
        this.name = name;
        this.options = options;
        self.atEnd(_ -> history.forEach(Post::release));
        awaitMembers();
    }

    static Actor<Message> actor(String name, ChatOptions options) {
        return Actor.handler(
                        (ActorContext<Message> self) ->
                                options.faults().apply(new Room(self, name, options)))
                .keepState()
                .mailbox(MailboxOptions.bounded(MAX_WAITING));
    }

    @Override
    public Behavior<Message> onMessage(Message message) {
        switch (message) {
            case Join join -> join.replyTo().tell(join(join.client(), join.name()));
            case Leave leave -> {
                leave(leave.client().member());
                if (leave.replyTo() != null) {
                    leave.replyTo().tell(new Done());
                }
            }
            case Say say -> say(say.client(), say.text());
            case Gone gone -> leave(gone.member());
            case Due _ -> {
                return seats.isEmpty() ? Behavior.stopped() : Behavior.same();
            }
        }
        return Behavior.same();
    }

    // ---------------------------------------------------------------- members

    private Answer join(Client client, String wanted) {
        if (seats.containsKey(client.member())) {
            return new Refused("you are in " + name + " already");
        }
        String key = key(wanted);
        if (takenNames.contains(key)) {
            return new Refused("the name " + wanted + " is taken in " + name + "; take another");
        }
        for (Post each : history) {
            each.prepare(client.format());
        }
        Seat seat =
                new Seat(client, wanted, self.monitor(client.member(), d -> new Gone(d.actor())));
        seats.put(client.member(), seat);
        takenNames.add(key);
        boolean isInTime =
                client.offerNotice(
                        "you are " + wanted + " in " + name + "; members: " + seats.size());
        for (Post each : history) {
            isInTime &= client.offer(each.share(client.format()));
        }
        if (!isInTime) {
            dismiss(seat);
        }
        return new Done();
    }

    private static String key(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    /** No effect if it is no member. */
    private void leave(ActorRef<?> member) {
        Seat left = seats.remove(member);
        if (left != null) {
            takenNames.remove(key(left.name()));
            left.monitor().cancel();
            awaitMembers();
        }
    }

    private void dismiss(Seat slow) {
        leave(slow.client().member());
        slow.client().dismiss(Farewell.TOO_SLOW);
    }

    private void awaitMembers() {
        if (seats.isEmpty()) {
            self.timers().once("empty", EMPTY_LIMIT, Due.EMPTY);
        }
    }

    // ---------------------------------------------------------------- messages

    private void say(Client client, String text) {
        Seat speaker = seats.get(client.member());
        if (speaker == null) {
            client.offerNotice("not said: you are not in " + name);
            return;
        }
        Post post = new Post(speaker.name() + ": " + text, options.encoder());
        prepare(post);
        history.addLast(post);
        List<Seat> slow = new ArrayList<>();
        for (Seat each : seats.values()) {
            if (!each.client().offer(post.share(each.client().format()))) {
                slow.add(each);
            }
        }
        slow.forEach(this::dismiss);
        if (history.size() > options.history()) {
            history.removeFirst().release();
        }
    }

    /** For the formats of the members that there are. */
    private void prepare(Post post) {
        boolean isPrepared = false;
        try {
            for (Seat each : seats.values()) {
                post.prepare(each.client().format());
            }
            isPrepared = true;
        } finally {
            if (!isPrepared) {
                post.release();
            }
        }
    }
}
