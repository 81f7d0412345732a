package dev.ropewalk.actors.cluster;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The value of a component of a message whose sender does not know the component, because its
 * program is older.
 *
 * {@snippet file="dev/ropewalk/actors/cluster/ClusterSnippetsTest.java" region="default"}
 *
 * <p>Without it such a component is zero, an empty text, an empty {@code List}, {@code Set}, {@code
 * Map} or {@code Optional}, and otherwise null. It has no effect on anything else: a message that
 * is made here has the values that it is made with, and a null that was sent arrives as null.
 *
 * <p>The text is read once, when the node starts, as {@code valueOf} or {@code parse} of the type
 * reads it: primitives and their boxes, {@code String}, enums by the names of their constants,
 * {@code BigInteger}, {@code BigDecimal}, {@code UUID}, and of {@code java.time} {@code Duration},
 * {@code Period}, {@code Instant}, the local and the offset ones, {@code ZonedDateTime} and {@code
 * ZoneOffset}. A text that is none of its type, and a component of another type, fail the start of
 * the node.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
public @interface Default {
    /** {@return the text of the value} */
    String value();
}
