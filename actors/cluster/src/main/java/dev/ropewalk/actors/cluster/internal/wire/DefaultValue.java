package dev.ropewalk.actors.cluster.internal.wire;

import dev.ropewalk.actors.cluster.Default;

import org.jspecify.annotations.Nullable;

import java.lang.invoke.MethodType;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.Period;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;

/** The value of a component that the sender does not know. */
final class DefaultValue {
    /** How a text is read; throws if it is none of the type. */
    private static final Map<Class<?>, Function<String, Object>> READERS =
            Map.ofEntries(
                    Map.entry(Boolean.class, DefaultValue::toBoolean),
                    Map.entry(Byte.class, Byte::valueOf),
                    Map.entry(Short.class, Short::valueOf),
                    Map.entry(Character.class, DefaultValue::toCharacter),
                    Map.entry(Integer.class, Integer::valueOf),
                    Map.entry(Long.class, Long::valueOf),
                    Map.entry(Float.class, Float::valueOf),
                    Map.entry(Double.class, Double::valueOf),
                    Map.entry(String.class, text -> text),
                    Map.entry(BigInteger.class, BigInteger::new),
                    Map.entry(BigDecimal.class, BigDecimal::new),
                    Map.entry(UUID.class, UUID::fromString),
                    Map.entry(Duration.class, Duration::parse),
                    Map.entry(Period.class, Period::parse),
                    Map.entry(Instant.class, Instant::parse),
                    Map.entry(LocalDate.class, LocalDate::parse),
                    Map.entry(LocalTime.class, LocalTime::parse),
                    Map.entry(LocalDateTime.class, LocalDateTime::parse),
                    Map.entry(ZoneOffset.class, ZoneOffset::of),
                    Map.entry(OffsetDateTime.class, OffsetDateTime::parse),
                    Map.entry(ZonedDateTime.class, ZonedDateTime::parse));

    private DefaultValue() {}

    /**
     * That of its {@link Default}; otherwise zero or empty, or null.
     *
     * @throws IllegalArgumentException if the text is none of its type
     */
    static @Nullable Object of(RecordComponent component) {
        Default given = component.getAnnotation(Default.class);
        Class<?> type = component.getType();
        if (given == null) {
            return Kind.of(type).emptyOf(type);
        }
        Function<String, Object> reader = reader(type);
        if (reader == null) {
            throw new IllegalArgumentException(
                    where(component, given)
                            + " is of the type "
                            + type.getName()
                            + ", which is not written as text: leave @Default out, and let the"
                            + " constructor replace null, or declare a primitive, String, enum,"
                            + " number, UUID, or a time of java.time");
        }
        try {
            return reader.apply(given.value());
        } catch (RuntimeException wrong) {
            throw new IllegalArgumentException(
                    where(component, given) + " is no " + type.getSimpleName() + remedy(type),
                    wrong);
        }
    }

    private static String where(RecordComponent component, Default given) {
        return "@Default(\""
                + given.value()
                + "\") of "
                + component.getDeclaringRecord().getName()
                + "."
                + component.getName();
    }

    private static String remedy(Class<?> type) {
        return type.isEnum()
                ? "; name one of " + Arrays.toString(type.getEnumConstants())
                : "; write it as "
                        + MethodType.methodType(type).wrap().returnType().getSimpleName()
                        + " itself reads a text";
    }

    private static @Nullable Function<String, Object> reader(Class<?> type) {
        return type.isEnum()
                ? name -> constant(type, name)
                : READERS.get(MethodType.methodType(type).wrap().returnType());
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // it is an enum
    private static Object constant(Class<?> type, String name) {
        return Enum.valueOf((Class) type, name);
    }

    private static Object toBoolean(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither true nor false");
        };
    }

    private static Object toCharacter(String text) {
        if (text.length() != 1) {
            throw new IllegalArgumentException("length=" + text.length());
        }
        return text.charAt(0);
    }
}
