package dev.ropewalk.channels;

import dev.ropewalk.fibers.Cord;
import dev.ropewalk.fibers.CordClosedException;
import dev.ropewalk.fibers.CordMessage;
import dev.ropewalk.fibers.internal.log.Log;
import dev.ropewalk.fibers.internal.log.Logs;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A way for messages through several cords: each hop is a function that runs on its cord, and is
 * given what the hop before returned.
 *
 * {@snippet file="dev/ropewalk/channels/RouteTest.java" region="route"}
 *
 * <p>{@link #send} works from any thread and never waits. The messages of one sender arrive at
 * every hop in the order in which they were sent, also while a cord closes. A message that fails in
 * a hop, or finds its cord ended, goes to the {@linkplain #withUndelivered hook}, and by default to
 * the log: each message that was sent either runs through the last hop or is told there, once.
 *
 * <p>A hop runs as a {@link CordMessage}, between two fibers: it must be short, a switchpoint in it
 * is an error, while schedule, tell and trySend are allowed. Where work has to wait, a hop spins a
 * fiber or tells it to an actor. Hops on the same cord that follow each other run at once, one
 * after the other.
 *
 * <p>A route is immutable, and many threads may send through it at once.
 *
 * @param <A> the type of the messages that it takes
 */
public final class Route<A> {
    /*
     * One object per message, its Journey, is the CordMessage of all its hops: it posts itself to
     * the cord of the next hop as its last step, because from then on it belongs to that cord. The
     * inbox hands over what the cord before wrote into it.
     *
     * Order: the inbox is first in, first out for one sender; the messages of one sender that reach
     * a hop all come from the one cord of the hop before, in the order in which they ran there.
     * When a cord has ended, nothing after the first refused message is accepted, and the refused
     * ones are told one at a time (Inbox).
     */
    private static final Log LOG = Logs.logger(Route.class);

    /** The hops of the route whose hook this thread runs; they are the same with another hook. */
    private static final ThreadLocal<@Nullable List<Hop>> TELLING = new ThreadLocal<>();

    private final List<Hop> hops;
    private final Consumer<? super Undelivered<A>> hook;

    private record Hop(Cord cord, Function<Object, @Nullable Object> code) {}

    private Route(List<Hop> hops, Consumer<? super Undelivered<A>> hook) {
        this.hops = hops;
        this.hook = hook;
    }

    // ---------------------------------------------------------------- making one

    /**
     * Begins a route.
     *
     * @param <A> the type of the messages that it takes
     * @param <B> the type of the first hop's result
     * @param cord where the first hop runs
     * @param code the first hop; its result goes to the next hop, and null is a failure
     * @return the beginning of the route
     */
    public static <A, B> Leg<A, B> from(Cord cord, Function<? super A, ? extends B> code) {
        return new Leg<>(List.of(hop(cord, code)));
    }

    /**
     * Makes a route of one hop: messages to a cord that are not lost when it ends.
     *
     * @param <A> the type of the messages that it takes
     * @param cord where the hop runs
     * @param code the hop
     * @return the route
     */
    public static <A> Route<A> to(Cord cord, Consumer<? super A> code) {
        return new Route<>(List.of(last(cord, code)), Route::log);
    }

    /**
     * A route that is being made; immutable, so several can begin with the same hops.
     *
     * @param <A> the type of the messages that the route takes
     * @param <B> the type of its last hop's result so far
     */
    public static final class Leg<A, B> {
        private final List<Hop> hops;

        private Leg(List<Hop> hops) {
            this.hops = hops;
        }

        /**
         * Adds a hop.
         *
         * @param <C> the type of its result
         * @param cord where it runs
         * @param code is given what the hop before returned; null from it is a failure
         * @return the longer beginning
         */
        public <C> Leg<A, C> then(Cord cord, Function<? super B, ? extends C> code) {
            return new Leg<>(with(hop(cord, code)));
        }

        /**
         * Adds the last hop.
         *
         * @param cord where it runs
         * @param code is given what the hop before returned
         * @return the route
         */
        public Route<A> to(Cord cord, Consumer<? super B> code) {
            return new Route<>(with(last(cord, code)), Route::log);
        }

        private List<Hop> with(Hop next) {
            List<Hop> longer = new ArrayList<>(hops);
            longer.add(next);
            return List.copyOf(longer);
        }
    }

    @SuppressWarnings("unchecked") // the types of the hops fit together by the methods of Leg
    private static Hop hop(Cord cord, Function<?, ?> code) {
        Objects.requireNonNull(code, "code");
        return new Hop(
                Objects.requireNonNull(cord, "cord"), (Function<Object, @Nullable Object>) code);
    }

    @SuppressWarnings("unchecked") // as above
    private static Hop last(Cord cord, Consumer<?> last) {
        Consumer<Object> taker = (Consumer<Object>) Objects.requireNonNull(last, "code");
        Function<Object, @Nullable Object> code =
                message -> {
                    taker.accept(message);
                    return null;
                };
        return new Hop(Objects.requireNonNull(cord, "cord"), code);
    }

    /**
     * Makes a route through the same hops with another hook for messages that do not arrive. It is
     * called on the cord where the message failed, as no fiber, or on the thread that finds that
     * the cord has ended; it must be short and must not wait. Its exceptions are logged with the
     * message. A hook that sends the message through this route again must not do so after a {@link
     * CordClosedException}, because that would come back for ever; where that is certain, {@code
     * send} throws there.
     *
     * @param hook is given each message that did not arrive, once
     * @return the route
     */
    public Route<A> withUndelivered(Consumer<? super Undelivered<A>> hook) {
        return new Route<>(hops, Objects.requireNonNull(hook, "hook"));
    }

    // ---------------------------------------------------------------- sending

    /**
     * Sends a message through the route, from any thread. Never waits: the {@linkplain
     * #withUndelivered hook} is told of a message that does not arrive, even if the first cord has
     * ended already.
     *
     * @param message goes to the first hop; as it goes from cord to cord, only the hop that it is
     *     at may change it
     * @throws IllegalStateException if this route's own hook sends while it is told that a cord has
     *     ended, and the first one has
     */
    public void send(A message) {
        Objects.requireNonNull(message, "message");
        Cord first = hops.getFirst().cord();
        if (!first.isAlive() && TELLING.get() == hops) {
            throw new IllegalStateException(
                    "the undelivered hook of "
                            + this
                            + " sends through it again, but "
                            + first
                            + " has ended and every message would come back; keep it, or send it"
                            + " elsewhere");
        }
        first.post(new Journey<>(this, message));
    }

    private static final class Journey<A> extends CordMessage {
        private final Route<A> route;
        private final A sent;
        private Object message;

        /** Index of the hop that it goes to, or is at. */
        private int at;

        Journey(Route<A> route, A sent) {
            this.route = route;
            this.sent = sent;
            this.message = sent;
        }

        @Override
        public void onCord() {
            Cord here = cord();
            do {
                Object result = handle();
                if (result == null) {
                    return;
                }
                message = result;
                at++;
            } while (cord() == here);
            cord().post(this);
        }

        private Cord cord() {
            return route.hops.get(at).cord();
        }

        /** The input of the next hop; null if the journey is over. */
        private @Nullable Object handle() {
            try {
                Object result = route.hops.get(at).code().apply(message);
                if (result == null && at < route.hops.size() - 1) {
                    throw new NullPointerException(
                            "hop "
                                    + (at + 1)
                                    + " of "
                                    + route
                                    + " returned null; return what the next hop is given, or end"
                                    + " the route there with to(...)");
                }
                return result;
            } catch (Throwable failed) {
                tell(failed);
                return null;
            }
        }

        @Override
        public void onClosed() {
            tell(
                    new CordClosedException(
                            cord() + " has ended and cannot run hop " + (at + 1) + " of " + route));
        }

        private void tell(Throwable cause) {
            Undelivered<A> end = new Undelivered<>(sent, message, at + 1, cord(), cause);
            List<Hop> outer = TELLING.get();
            TELLING.set(route.hops);
            try {
                route.hook.accept(end);
            } catch (Throwable broken) {
                Logs.tellBroken(
                        LOG, broken, "the undelivered hook of {} failed for {}", route, end);
            } finally {
                TELLING.set(outer);
            }
        }

        @Override
        public String toString() {
            return "a message at hop " + (at + 1) + " of " + route;
        }
    }

    private static void log(Undelivered<?> end) {
        LOG.error("a message was not delivered: {}", end, end.cause());
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("route");
        for (Hop hop : hops) {
            text.append(text.length() == 5 ? " " : " -> ").append(hop.cord().name());
        }
        return text.toString();
    }
}
