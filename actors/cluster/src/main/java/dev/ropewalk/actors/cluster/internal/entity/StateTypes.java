package dev.ropewalk.actors.cluster.internal.entity;

import dev.ropewalk.actors.cluster.internal.wire.TypeTable;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The types that the states of a kind have, or had.
 *
 * @param type of what is written
 * @param upgrades makes a state of one that an older program wrote, by its class
 * @param names of those classes that have another one in the store
 * @param dropped components that older programs had, by the class of their record
 */
public record StateTypes<S>(
        Class<S> type,
        Map<Class<?>, Function<Object, S>> upgrades,
        Map<Class<?>, String> names,
        Map<Class<?>, Set<String>> dropped) {
    public StateTypes {
        upgrades = Map.copyOf(upgrades);
        names = Map.copyOf(names);
        dropped = Map.copyOf(dropped);
    }

    /** Of a record, by its name in the store. */
    boolean mayDrop(String record, String component) {
        return dropped.entrySet().stream()
                .anyMatch(
                        each ->
                                nameOf(each.getKey()).equals(record)
                                        && each.getValue().contains(component));
    }

    private String nameOf(Class<?> each) {
        return names.getOrDefault(each, each.getName());
    }

    /**
     * All of them.
     *
     * @throws IllegalArgumentException if one cannot be stored, or a component is to be dropped of
     *     a type that is none of them
     */
    TypeTable table() {
        Set<Class<?>> all = new LinkedHashSet<>(upgrades.keySet());
        all.add(type);
        all.addAll(names.keySet());
        TypeTable table = TypeTable.of(all, names, Map.of());
        for (Class<?> each : dropped.keySet()) {
            if (!table.has(nameOf(each))) {
                throw new IllegalArgumentException(
                        dropped.get(each)
                                + " of "
                                + each.getName()
                                + " are to be dropped, and no state of "
                                + type.getName()
                                + " has that type");
            }
        }
        return table;
    }

    boolean isKnown(Object read) {
        return upgrades.containsKey(read.getClass()) || type.isInstance(read);
    }

    /** The value that was read, as this program has it; null if the program's upgrade says so. */
    @Nullable S upgraded(Object read) {
        Function<Object, S> upgrade = upgrades.get(read.getClass());
        return upgrade == null ? type.cast(read) : upgrade.apply(read);
    }
}
