package dev.ropewalk.actors.routing;

import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Down;
import dev.ropewalk.actors.internal.routing.Refusals;
import dev.ropewalk.actors.internal.routing.RouterTarget;
import dev.ropewalk.actors.spi.DownListener;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells events to the actors that subscribed to their type, or to a key. For any thread.
 *
 * {@snippet file="dev/ropewalk/actors/routing/RoutingSnippetsTest.java" region="bus"}
 *
 * <p>A publish is a tell to each subscriber, on the publisher's thread: so events from one
 * publisher to one subscriber arrive in order, and a slow subscriber is a matter of its mailbox. A
 * subscriber whose mailbox suspends its senders holds the publisher up. If it would fail them, or
 * drops new messages, or is a router without members, the event is a dead letter, and the others
 * get it all the same. If the key function of a router throws, the exception propagates to a
 * publisher that is no actor, when all have been told. An actor that ends is no subscriber any
 * more.
 *
 * @param <E> the type of the events
 */
public final class EventBus<E> {
    /** Guards the subscriptions; not held while anything is told. */
    private final Object lock = new Object();

    private final Set<Entry<E>> byType = new LinkedHashSet<>();
    private final Map<Object, Set<Entry<E>>> byKey = new LinkedHashMap<>();

    /** The subscribers of each class; another map after each change of the subscriptions. */
    private volatile Map<Object, List<ActorRef<E>>> ofType = new ConcurrentHashMap<>();

    private volatile Map<Object, List<ActorRef<E>>> ofKey = new ConcurrentHashMap<>();

    private EventBus() {}

    /**
     * {@return a bus without subscribers}
     *
     * @param <E> the type of the events
     */
    public static <E> EventBus<E> make() {
        return new EventBus<>();
    }

    // ---------------------------------------------------------------- subscribing

    /**
     * Has the actor told each event of the type from now on; several subscriptions that fit one
     * event bring it once.
     *
     * @param <T> the type
     * @param type of the events, or a type that they extend
     * @param actor an actor or a router
     * @return the subscription
     */
    @SuppressWarnings("unchecked") // it is told instances of the type only
    public <T extends E> EventSubscription subscribe(Class<T> type, ActorRef<? super T> actor) {
        return begin(new Entry<>(this, Objects.requireNonNull(type, "type"), (ActorRef<E>) actor));
    }

    /**
     * Has the actor told each event that is published to the key from now on.
     *
     * @param key as in a map
     * @param actor an actor or a router
     * @return the subscription
     */
    @SuppressWarnings("unchecked") // it takes all events
    public EventSubscription subscribeKey(Object key, ActorRef<? super E> actor) {
        if (key instanceof Class<?>) {
            throw new IllegalArgumentException(
                    "key=" + key + " is a type; subscribe(type, actor) has its events told");
        }
        return begin(new Entry<>(this, Objects.requireNonNull(key, "key"), (ActorRef<E>) actor));
    }

    private EventSubscription begin(Entry<E> entry) {
        Objects.requireNonNull(entry.actor, "actor");
        synchronized (lock) {
            setOf(entry.topic).add(entry);
            changed(entry.topic);
        }
        if (!(entry.actor.target() instanceof RouterTarget)) {
            entry.actor.target().watch(entry, false);
        }
        return entry;
    }

    private void end(Entry<E> entry) {
        synchronized (lock) {
            Set<Entry<E>> all = setOf(entry.topic);
            if (all.remove(entry)) {
                changed(entry.topic);
            }
            if (all.isEmpty() && all != byType) {
                byKey.remove(entry.topic);
            }
        }
    }

    private Set<Entry<E>> setOf(Object topic) {
        return topic instanceof Class<?>
                ? byType
                : byKey.computeIfAbsent(topic, _ -> new LinkedHashSet<>());
    }

    private void changed(Object topic) {
        if (topic instanceof Class<?>) {
            ofType = new ConcurrentHashMap<>();
        } else {
            ofKey = new ConcurrentHashMap<>();
        }
    }

    // ---------------------------------------------------------------- publishing

    /**
     * Tells the event to those that subscribed to its type. May wait for those whose mailboxes
     * suspend their senders.
     *
     * @param event the event
     * @return how many subscribers it had
     */
    public int publish(E event) {
        Map<Object, List<ActorRef<E>>> known = ofType;
        Class<?> type = Objects.requireNonNull(event, "event").getClass();
        List<ActorRef<E>> actors = known.get(type);
        return tell(actors == null ? add(known, type, typed(type)) : actors, event);
    }

    /**
     * Tells the event to those that subscribed to the key, and not to those of its type. May wait
     * for those whose mailboxes suspend their senders.
     *
     * @param key the key
     * @param event the event
     * @return how many subscribers it had
     * @throws IllegalArgumentException if the key is a type, which no subscription has for a key
     */
    public int publish(Object key, E event) {
        Objects.requireNonNull(event, "event");
        if (key instanceof Class<?>) {
            throw new IllegalArgumentException(
                    "key=" + key + " is a type; publish(event) tells those of the event's type");
        }
        Map<Object, List<ActorRef<E>>> known = ofKey;
        List<ActorRef<E>> actors = known.get(Objects.requireNonNull(key, "key"));
        return tell(actors == null ? keyed(known, key) : actors, event);
    }

    /** A key without subscribers leaves nothing behind. */
    private List<ActorRef<E>> keyed(Map<Object, List<ActorRef<E>>> known, Object key) {
        List<ActorRef<E>> found;
        synchronized (lock) {
            found = distinct(byKey.getOrDefault(key, Set.of()));
        }
        return found.isEmpty() ? found : add(known, key, found);
    }

    private List<ActorRef<E>> typed(Class<?> type) {
        synchronized (lock) {
            Set<Entry<E>> fitting = new LinkedHashSet<>(byType);
            fitting.removeIf(each -> !((Class<?>) each.topic).isAssignableFrom(type));
            return distinct(fitting);
        }
    }

    private List<ActorRef<E>> add(
            Map<Object, List<ActorRef<E>>> known, Object topic, List<ActorRef<E>> found) {
        known.put(topic, found);
        return found;
    }

    private static <E> List<ActorRef<E>> distinct(Set<Entry<E>> entries) {
        return entries.stream().map(each -> each.actor).distinct().toList();
    }

    private static <E> int tell(List<ActorRef<E>> actors, E event) {
        Throwable broken = null;
        for (int i = 0; i < actors.size(); i++) {
            try {
                actors.get(i).tell(event);
            } catch (RuntimeException | Error refused) {
                broken = Refusals.add(broken, refused, actors.get(i), event, null);
            }
        }
        Refusals.throwIfAny(broken);
        return actors.size();
    }

    /** {@return how many subscriptions there are} A snapshot. */
    public int subscriptions() {
        synchronized (lock) {
            return byType.size() + byKey.values().stream().mapToInt(Set::size).sum();
        }
    }

    @Override
    public String toString() {
        return "event bus with " + subscriptions() + " subscriptions";
    }

    /** One subscription, to a class or a key. */
    private static final class Entry<E> implements EventSubscription, DownListener {
        private final EventBus<E> bus;
        private final Object topic;
        private final ActorRef<E> actor;

        Entry(EventBus<E> bus, Object topic, ActorRef<E> actor) {
            this.bus = bus;
            this.topic = topic;
            this.actor = actor;
        }

        @Override
        public void down(Down down) {
            bus.end(this);
        }

        @Override
        public void close() {
            bus.end(this);
            actor.target().unwatch(this);
        }

        @Override
        public String toString() {
            return actor + " subscribed to " + topic;
        }
    }
}
