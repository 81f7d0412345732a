package dev.ropewalk.actors.cluster.internal.ref;

import com.esotericsoftware.kryo.KryoException;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.AskException;
import dev.ropewalk.actors.AskTimeoutException;
import dev.ropewalk.actors.DeadLetter;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.ExitReason;
import dev.ropewalk.actors.MailboxSnapshot;
import dev.ropewalk.actors.Recipient;
import dev.ropewalk.actors.TellResult;
import dev.ropewalk.actors.cluster.ContextPropagator;
import dev.ropewalk.actors.cluster.internal.session.FrameType;
import dev.ropewalk.actors.cluster.internal.session.Hello;
import dev.ropewalk.actors.cluster.internal.session.Session;
import dev.ropewalk.actors.cluster.internal.shard.Shards;
import dev.ropewalk.actors.cluster.internal.wire.Failures;
import dev.ropewalk.actors.cluster.internal.wire.KryoCodec;
import dev.ropewalk.actors.cluster.internal.wire.PeerTypes;
import dev.ropewalk.actors.cluster.internal.wire.Recipients;
import dev.ropewalk.actors.cluster.internal.wire.RefusedTypeException;
import dev.ropewalk.actors.cluster.internal.wire.Text;
import dev.ropewalk.actors.cluster.internal.wire.WireInput;
import dev.ropewalk.actors.spi.DownListener;
import dev.ropewalk.actors.spi.Room;
import dev.ropewalk.fibers.internal.dump.Lines;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;
import dev.ropewalk.fibers.spi.Waits;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The frames of the other node: its words to actors here, its monitors of them, and the answers to
 * what this node has asked. Confined to the session's cord, and never waits, so one actor with a
 * full mailbox stops nobody. Answers leave from the thread on which they arise.
 */
final class Served {
    private static final Log LOG = Logs.logger(Served.class);
    private static final int MAX_SHOWN_TEXT = 256;

    private final Home home;
    private final Conversation of;
    private final Addresses addresses;
    private final Lending lending;

    private final KryoCodec codec;

    /** An entry goes with the actor, on its cord. */
    private final Map<Long, ServedWatch> watches = new ConcurrentHashMap<>();

    /**
     * By kind: shards of which a message of the other node went back. Those behind it go back too,
     * until its fence: they would overtake it if the shard is here now.
     */
    private final Map<String, BitSet> bouncing = new HashMap<>();

    private final LateNames names = new LateNames();

    /** As the other node described them, before anything else. */
    private @Nullable PeerTypes types;

    /** Of those; for any thread. */
    private volatile List<String> refusedTypes = List.of();

    Served(Home home, Conversation of, Addresses addresses) {
        this.home = home;
        this.of = of;
        this.addresses = addresses;
        this.lending = new Lending(home, of);
        this.codec = new KryoCodec(home.types());
    }

    /** An exception of a program's own code ends no session. */
    void frame(byte type, WireInput from) {
        try {
            Waits.asNoFiber(() -> handle(type, from)); // nothing of it may wait for room
        } catch (KryoException damaged) {
            throw damaged;
        } catch (RuntimeException broken) {
            LOG.warn("{}: a frame of type={} failed", of, type, broken);
        }
    }

    private void handle(byte type, WireInput from) {
        if ((type & FrameType.WITH_CONTEXT) != 0) {
            inContext((byte) (type & ~FrameType.WITH_CONTEXT), from);
            return;
        }
        switch (type) {
            case FrameType.TYPES -> types(from);
            case FrameType.PEERS -> peers(from);
            case FrameType.SEEK -> of.circles().sought(from);
            case FrameType.ROOM -> lending.wanted(from);
            case FrameType.LEND -> of.windows().lent(from);
            case FrameType.UNUSED -> lending.unused(from);
            case FrameType.SHARES -> of.memberships().shares(from);
            case FrameType.JOINED -> of.memberships().joined(from);
            case FrameType.LEFT -> of.memberships().left(from);
            case FrameType.COUNT -> of.sizes().wanted(from);
            case FrameType.LINK -> of.links().linked(from);
            case FrameType.UNLINK -> of.links().unlinked(from);
            case FrameType.LINK_END -> of.links().ended(from);
            case FrameType.TELL -> tell(from, false);
            case FrameType.TELL_LENT -> tell(from, true);
            case FrameType.ASK -> ask(from);
            case FrameType.TELL_ENTITY -> tellEntity(from);
            case FrameType.ASK_ENTITY -> askEntity(from);
            case FrameType.LETTER -> letter(from);
            case FrameType.BOUNCED -> bounced(from.readVarLong(true));
            case FrameType.ASK_BOUNCED -> askBounced(from.readVarLong(true));
            case FrameType.FENCE -> fence(from);
            case FrameType.FENCED -> home.entities().fenced(of, from.readVarLong(true));
            case FrameType.RETIRED -> retired(from.readVarLong(true));
            case FrameType.REPLY -> reply(from);
            case FrameType.NO_REPLY -> noReply(from);
            case FrameType.TELL_TO -> tellTo(from);
            case FrameType.FAIL_TO -> failTo(from);
            case FrameType.STOP -> with(from, ActorRef::stop);
            case FrameType.TERMINATE -> with(from, ActorRef::terminate);
            case FrameType.KILL -> with(from, ActorRef::kill);
            case FrameType.WATCH -> watch(from.readVarLong(false), from.readBoolean());
            case FrameType.UNWATCH -> unwatch(from.readVarLong(false), from.readBoolean());
            case FrameType.DOWN -> down(from);
            case FrameType.FIND -> find(from);
            case FrameType.FOUND -> of.questions().found(from, addresses);
            case FrameType.LOOK -> look(from.readVarLong(true), from.readVarLong(false));
            case FrameType.SEEN -> of.questions().seen(from);
            default -> throw new KryoException("there is no frame of type=" + type);
        }
    }

    private void inContext(byte type, WireInput from) {
        String context = Text.readSome(from);
        boolean isMessage =
                type == FrameType.TELL
                        || type == FrameType.TELL_LENT
                        || type == FrameType.ASK
                        || type == FrameType.TELL_ENTITY
                        || type == FrameType.ASK_ENTITY
                        || type == FrameType.TELL_TO;
        if (!isMessage || context.length() > ContextPropagator.MAX_LENGTH) {
            throw new KryoException(
                    "a frame of type=" + type + " has a context of length=" + context.length());
        }
        home.contexts().restore(context, () -> handle(type, from));
    }

    private void types(WireInput from) {
        if (types != null) {
            throw new KryoException("a node describes its types once");
        }
        types = PeerTypes.read(from, home.types());
        refusedTypes = types.refused();
        for (String refused : refusedTypes) {
            LOG.info("{} and {} differ: {}", home.self(), of.peer(), refused);
        }
        types.eachRefused((name, why) -> NodeEvents.typeRefused(home.self(), of.peer(), name, why));
    }

    private void peers(WireInput from) {
        int count = from.readSize(2);
        for (int i = 0; i < count; i++) {
            home.peers().heardOf(Text.readSome(from), Hello.readPort(from));
        }
    }

    // ---------------------------------------------------------------- messages

    private Object message(WireInput from) {
        return message(from, addresses);
    }

    private Object message(WireInput from, Recipients known) {
        if (types == null) {
            throw new KryoException("a message came before the types");
        }
        try {
            return codec.read(from, types, known);
        } catch (RefusedTypeException refused) {
            from.setPosition(from.limit()); // nobody can tell where its parts are
            throw refused;
        }
    }

    private void tell(WireInput from, boolean isLent) {
        long number = from.readVarLong(false);
        of.sizes().taken(number);
        Object message;
        try {
            message = message(from);
        } catch (RefusedTypeException refused) {
            giveBack(used(isLent, number));
            refused(number, refused);
            return;
        }
        Room room = used(isLent, number);
        ActorRef<?> actor = home.exports().actor(number);
        if (actor == null) {
            giveBack(room);
            home.report(message, gone(number), DeadLetter.Reason.ENDED, null);
        } else if (room == null) {
            deliver(actor, message);
        } else {
            room.tell(message);
        }
        of.sizes().delivered(number);
    }

    /** Once it is read: a message that is damaged ends the session, which gives all back. */
    private @Nullable Room used(boolean isLent, long number) {
        return isLent ? lending.used(number) : null;
    }

    private static void giveBack(@Nullable Room room) {
        if (room != null) {
            room.give();
        }
    }

    private void refused(long number, RefusedTypeException refused) {
        home.report(
                "a message of " + of.peer(), gone(number), DeadLetter.Reason.UNREADABLE, refused);
    }

    private String gone(long number) {
        return home.exports().nameOf(number);
    }

    @SuppressWarnings("unchecked") // whoever has the address knows what it takes
    private void deliver(ActorRef<?> actor, Object message) {
        delivered(((ActorRef<Object>) actor).tryTell(message), message, actor);
    }

    private void delivered(TellResult result, Object message, Object to) {
        if (result == TellResult.FULL) {
            home.report(message, to, DeadLetter.Reason.REFUSED, null);
        } else if (result == TellResult.ENDED) {
            home.report(message, to, DeadLetter.Reason.ENDED, null);
        }
    }

    private void with(WireInput from, Consumer<ActorRef<?>> word) {
        ActorRef<?> actor = home.exports().actor(from.readVarLong(false));
        if (actor != null) {
            word.accept(actor);
        }
    }

    // ---------------------------------------------------------------- asks of the other node

    private void ask(WireInput from) {
        long number = from.readVarLong(false);
        of.sizes().taken(number);
        long id = from.readVarLong(true);
        long limitNs = from.readLong();
        boolean isOfWaitingActor = from.readBoolean();
        boolean isLent = from.readBoolean();
        if (limitNs < 0) {
            throw new KryoException("an ask has limit=" + limitNs + " ns");
        }
        AskReply<Object> reply = new AskReply<>(of, id);
        Object message;
        try {
            message = message(from, addresses.ofQuestion(reply));
        } catch (RefusedTypeException refused) {
            giveBack(used(isLent, number));
            refused(number, refused);
            noReply(id, "its node cannot read the question: " + refused.getMessage(), refused);
            return;
        }
        Room room = used(isLent, number);
        ActorRef<?> actor = home.exports().actor(number);
        if (actor == null) {
            giveBack(room);
            home.report(message, gone(number), DeadLetter.Reason.ENDED, null);
            noReply(id, "it has ended", null);
        } else {
            if (isOfWaitingActor) {
                of.circles().arrives(id);
            }
            try {
                ask(actor, room, message, reply, Duration.ofNanos(limitNs));
                of.sizes().delivered(number);
            } catch (RuntimeException broken) { // of a router, for one
                of.circles().answered(id);
                noReply(id, Lines.of(broken), broken);
            }
            if (isOfWaitingActor) {
                of.circles().arrived(id, actor);
            }
        }
    }

    @SuppressWarnings({"unchecked", "FutureReturnValueIgnored"}) // as in deliver; the code below
    private void ask(
            ActorRef<?> actor,
            @Nullable Room room,
            Object message,
            AskReply<Object> reply,
            Duration limit) {
        Function<Recipient<Object>, Object> bound =
                to -> {
                    reply.bind(to);
                    return message;
                };
        CompletionStage<Object> stage =
                room == null
                        ? ((ActorRef<Object>) actor).askLater(bound, limit)
                        : room.askLater(bound, limit);
        stage.whenComplete(
                (answer, failure) -> {
                    of.circles().answered(reply.id());
                    if (failure == null) {
                        replied(reply.id(), (AskReply.Encoded) answer);
                    } else if (!(failure instanceof AskTimeoutException)) { // the asker has its own
                        noReply(reply.id(), why(failure), failure.getCause());
                    }
                });
    }

    private static String cut(String text) {
        return text.length() > MAX_SHOWN_TEXT ? text.substring(0, MAX_SHOWN_TEXT) : text;
    }

    private static String why(Throwable failure) {
        return failure instanceof AskException ? Lines.of(failure.getMessage()) : Lines.of(failure);
    }

    private void replied(long id, AskReply.Encoded answer) {
        Session.Sent sent =
                home.frames()
                        .with(
                                frame ->
                                        of.session()
                                                .sendAtOnce(
                                                        frame.begin(FrameType.REPLY)
                                                                .number(id)
                                                                .bytes(answer.bytes),
                                                        answer.reply,
                                                        of.peer()));
        if (sent == Session.Sent.OVER) {
            home.report(answer.reply, of.peer(), DeadLetter.Reason.UNREACHABLE, null);
        }
    }

    private void noReply(long id, String why, @Nullable Throwable cause) {
        of.sendAtOnce(
                frame -> {
                    frame.begin(FrameType.NO_REPLY).number(id);
                    Text.write(frame.out(), cut(why));
                    frame.flag(cause != null);
                    if (cause != null) {
                        Failures.write(frame.out(), cause);
                    }
                    return frame;
                });
    }

    // ---------------------------------------------------------------- entities

    private void tellEntity(WireInput from) {
        LateNames.Known name = names.read(from);
        ActorRef<?> actor = here(name);
        if (actor == null) {
            skip(from);
            bounce(name.name());
            return;
        }
        try {
            deliver(actor, message(from));
        } catch (RefusedTypeException refused) {
            home.report("a message of " + of.peer(), actor, DeadLetter.Reason.UNREADABLE, refused);
        }
    }

    private static void skip(WireInput from) {
        from.setPosition(from.limit());
    }

    private @Nullable ActorRef<?> here(LateNames.Known of) {
        if (isBouncing(of.name())) {
            return null;
        }
        ActorRef<?> known = of.here();
        ActorRef<?> here = home.entities().here(of.name(), known);
        if (here != null && known == null) {
            of.here(here);
        }
        return here;
    }

    private boolean isBouncing(EntityName name) {
        BitSet shards = bouncing.isEmpty() ? null : bouncing.get(name.kind());
        return shards != null && shards.get(name.shard());
    }

    private void bounces(EntityName name) {
        bouncing.computeIfAbsent(name.kind(), _ -> new BitSet()).set(name.shard());
    }

    /** Before this frame is acknowledged, so the other node still has it. */
    private void bounce(EntityName name) {
        bounces(name);
        long number = of.session().taking();
        of.sendAtOnce(frame -> frame.begin(FrameType.BOUNCED).number(number));
    }

    private void letter(WireInput from) {
        EntityName name = names.read(from).name();
        if (isBouncing(name) || !home.entities().letter(name, from)) {
            skip(from);
            bounce(name);
        }
    }

    private void askEntity(WireInput from) {
        LateNames.Known name = names.read(from);
        long id = from.readVarLong(true);
        long limitNs = from.readLong();
        if (limitNs < 0) {
            throw new KryoException("an ask has limit=" + limitNs + " ns");
        }
        ActorRef<?> actor = here(name);
        if (actor == null) {
            skip(from);
            bounces(name.name());
            of.sendAtOnce(frame -> frame.begin(FrameType.ASK_BOUNCED).number(id));
            return;
        }
        AskReply<Object> reply = new AskReply<>(of, id);
        try {
            Object message = message(from, addresses.ofQuestion(reply));
            ask(actor, null, message, reply, Duration.ofNanos(limitNs));
        } catch (RefusedTypeException refused) {
            home.report("a message of " + of.peer(), actor, DeadLetter.Reason.UNREADABLE, refused);
            noReply(id, "its node cannot read the question: " + refused.getMessage(), refused);
        } catch (KryoException damaged) {
            throw damaged;
        } catch (RuntimeException broken) {
            noReply(id, Lines.of(broken), broken);
        }
    }

    private void bounced(long number) {
        Session.Lost sent = of.session().takeBack(number);
        if (sent == null) {
            throw new KryoException("frame " + number + " bounces, and none was sent");
        }
        home.entities().bounced(of, sent);
    }

    private void askBounced(long id) {
        if (of.asks().close(id) instanceof RoutedAsk<?> ask) { // otherwise it is over
            home.entities().bounced(of, ask);
        }
    }

    /** From now on nothing of that shard comes that was told before those that came back. */
    private void fence(WireInput from) {
        long id = from.readVarLong(true);
        int shard = from.readVarInt(true);
        String kind = Text.readSome(from);
        BitSet shards = bouncing.get(kind);
        if (shards != null && shard < Shards.COUNT) {
            shards.clear(shard);
            if (shards.isEmpty()) {
                bouncing.remove(kind);
            }
        }
        fenced(id);
    }

    private void fenced(long id) {
        of.sendAtOnce(frame -> frame.begin(FrameType.FENCED).number(id));
    }

    private void retired(long id) {
        of.entities().retires();
        home.entities().retired(of, () -> fenced(id));
    }

    // ---------------------------------------------------------------- answers to this node's asks

    @SuppressWarnings("unchecked") // the asked actor had the address of a Recipient<R>
    private void reply(WireInput from) {
        long id = from.readVarLong(true);
        RemoteAsk<?> ask = of.asks().close(id);
        Object reply;
        try {
            reply = message(from);
        } catch (RefusedTypeException refused) {
            if (ask != null) {
                ask.fails(ask.failed("its reply cannot be read here", refused));
            }
            return;
        }
        if (ask == null) {
            home.report(reply, "an ask of " + home.self(), DeadLetter.Reason.LATE_REPLY, null);
        } else {
            ((RemoteAsk<Object>) ask).tell(reply);
        }
    }

    private void noReply(WireInput from) {
        RemoteAsk<?> ask = of.asks().close(from.readVarLong(true));
        String why = Text.readSome(from);
        Throwable cause = from.readBoolean() ? Failures.read(from) : null;
        if (ask != null) {
            ask.fails(ask.failed(why, cause));
        }
    }

    // ---------------------------------------------------------------- adapters and the like

    @SuppressWarnings("unchecked") // as in deliver
    private void tellTo(WireInput from) {
        long id = from.readVarLong(true);
        Object message;
        try {
            message = message(from);
        } catch (RefusedTypeException refused) {
            home.report(
                    "a message of " + of.peer(),
                    "an address of " + home.self(),
                    DeadLetter.Reason.UNREADABLE,
                    refused);
            return;
        }
        Recipient<Object> to = (Recipient<Object>) addresses.others().recipient(id);
        if (to == null) {
            home.report(
                    message, "an address of " + home.self(), DeadLetter.Reason.LATE_REPLY, null);
        } else {
            delivered(to.tryTell(message), message, to);
        }
    }

    private void failTo(WireInput from) {
        Recipient<?> to = addresses.others().recipient(from.readVarLong(true));
        Throwable failure = Failures.read(from);
        if (to != null) {
            to.fail(failure);
        }
    }

    // ---------------------------------------------------------------- monitors of the other node

    /** One for all monitors that the other node has of an actor here. */
    private final class ServedWatch implements DownListener {
        private final ActorRef<?> actor;
        private final long number;
        private final boolean ofEach;

        /** Told behind the last incarnation. */
        private final DownListener end = this::over;

        ServedWatch(ActorRef<?> actor, long number, boolean ofEach) {
            this.actor = actor;
            this.number = number;
            this.ofEach = ofEach;
        }

        /** On the actor's cord, behind what the actor has told before. */
        @Override
        public void down(Down down) {
            if (!ofEach) {
                watches.remove(key(number, false), this);
            }
            sendDown(number, ofEach ? Watches.EACH : Watches.LAST, down.reason());
        }

        void begin() {
            actor.target().watch(this, ofEach);
            if (ofEach) {
                actor.target().watch(end, false);
            }
        }

        private void over(Down down) {
            watches.remove(key(number, true), this);
            sendDown(number, Watches.NO_MORE, down.reason());
        }

        void end() {
            actor.target().unwatch(this);
            if (ofEach) {
                actor.target().unwatch(end);
            }
        }
    }

    private static long key(long number, boolean ofEach) {
        return 2 * number + (ofEach ? 1 : 0);
    }

    private void watch(long number, boolean ofEach) {
        ActorRef<?> actor = home.exports().actor(number);
        if (actor == null) {
            noActor(number, ofEach);
            return;
        }
        ServedWatch watch = new ServedWatch(actor, number, ofEach);
        ServedWatch before = watches.put(key(number, ofEach), watch);
        if (before != null) {
            before.end();
        }
        try {
            watch.begin();
        } catch (RuntimeException none) {
            // A router has no end.
            watches.remove(key(number, ofEach));
            noActor(number, ofEach);
        }
    }

    private void noActor(long number, boolean ofEach) {
        sendDown(number, ofEach ? Watches.EACH : Watches.LAST, new ExitReason.NoActor());
        if (ofEach) {
            sendDown(number, Watches.NO_MORE, new ExitReason.NoActor());
        }
    }

    private void unwatch(long number, boolean ofEach) {
        ServedWatch watch = watches.remove(key(number, ofEach));
        if (watch != null) {
            watch.end();
        }
    }

    private void sendDown(long number, int what, ExitReason reason) {
        of.sendAtOnce(
                frame -> {
                    frame.begin(FrameType.DOWN).signed(number).number(what);
                    Reasons.write(frame.out(), reason);
                    return frame;
                });
    }

    private void down(WireInput from) {
        long number = from.readVarLong(false);
        int what = from.readVarInt(true);
        ExitReason reason = Reasons.read(from);
        if (what == Watches.EACH) {
            of.watches().down(number, what, reason); // it stays in its groups
        } else {
            of.afterGroups(() -> of.watches().down(number, what, reason));
        }
    }

    // ---------------------------------------------------------------- questions of the other node

    private void find(WireInput from) {
        long id = from.readVarLong(true);
        ActorRef<?> found = home.system().find(Text.readSome(from));
        of.sendAtOnce(
                frame -> {
                    frame.begin(FrameType.FOUND).number(id).flag(found != null);
                    if (found != null) {
                        addresses.write(frame.out(), found);
                    }
                    return frame;
                });
    }

    /** In a fiber of its own, because the actor's cord is asked. */
    private void look(long id, long number) {
        ActorRef<?> actor = home.exports().actor(number);
        if (actor == null) {
            of.sendAtOnce(frame -> frame.begin(FrameType.SEEN).number(id).flag(false));
        } else {
            home.cord().spin("looks at a mailbox", () -> look(id, actor));
        }
    }

    private void look(long id, ActorRef<?> actor) {
        try {
            seen(id, actor.mailbox());
        } catch (RuntimeException none) {
            // A router has none; or a message cannot be shown.
            LOG.debug("{}: the mailbox of {} cannot be shown", of, actor, none);
            of.sendAtOnce(frame -> frame.begin(FrameType.SEEN).number(id).flag(false));
        }
    }

    private void seen(long id, MailboxSnapshot seen) {
        of.sendAtOnce(
                frame -> {
                    frame.begin(FrameType.SEEN).number(id).flag(true);
                    frame.number(seen.queued()).number(seen.capacity());
                    frame.number(seen.oldest().size());
                    for (Object each : seen.oldest()) {
                        String text = Lines.of(each);
                        Text.write(frame.out(), cut(text));
                    }
                    return frame;
                });
    }

    void beat() {
        lending.beat();
    }

    int loans() {
        return lending.size();
    }

    List<String> refusedTypes() {
        return refusedTypes;
    }

    int watches() {
        return watches.size();
    }

    /** The session has ended. */
    void over() {
        for (ServedWatch each : watches.values()) {
            each.end();
        }
        watches.clear();
        addresses.others().over();
        lending.over();
    }
}
