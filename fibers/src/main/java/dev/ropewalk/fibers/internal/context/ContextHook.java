package dev.ropewalk.fibers.internal.context;

import dev.ropewalk.fibers.SwitchHook;
import dev.ropewalk.fibers.internal.fiber.FiberImpl;

import org.jspecify.annotations.Nullable;
import org.slf4j.spi.MDCAdapter;

import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Moves one context between the thread and the values of fibers. */
public final class ContextHook<T extends @Nullable Object> extends SwitchHook<T> {
    private final String name;
    private final LocalKey<T> kept;
    private final Supplier<? extends T> get;
    private final Consumer<? super T> set;

    public ContextHook(String name, T initial, Supplier<? extends T> get, Consumer<? super T> set) {
        this.name = Objects.requireNonNull(name, "name");
        this.kept = LocalKey.inheritable(initial);
        this.get = Objects.requireNonNull(get, "get");
        this.set = Objects.requireNonNull(set, "set");
    }

    public static SwitchHook<Map<String, String>> mdc(MDCAdapter mdc) {
        return of(
                "MDC",
                Map.of(),
                () -> {
                    Map<String, String> copy = mdc.getCopyOfContextMap();
                    return copy == null ? Map.of() : copy;
                },
                map -> {
                    if (map.isEmpty()) {
                        mdc.clear();
                    } else {
                        mdc.setContextMap(map);
                    }
                });
    }

    T read() {
        return get.get();
    }

    void show(T context) {
        if (!Objects.equals(context, get.get())) {
            set.accept(context);
        }
    }

    /** The fiber has this thread's context. */
    void keep(FiberImpl<?> fiber) {
        T context = get.get();
        if (!Objects.equals(context, kept.valueIn(fiber))) {
            kept.set(fiber, context);
        }
    }

    void showThatOf(FiberImpl<?> fiber) {
        show(kept.valueIn(fiber));
    }

    @Override
    public String toString() {
        return "switch hook " + name;
    }
}
