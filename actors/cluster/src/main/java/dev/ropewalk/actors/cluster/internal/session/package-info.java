/**
 * The things that two nodes have between them: {@code Greeting} makes peers of them, {@code
 * Session} carries frames until its one end, {@code Outbox} holds what is on its way. Knows no
 * actors. Called by {@code internal.ref} and {@code internal.node}.
 */
@NullMarked
package dev.ropewalk.actors.cluster.internal.session;

import org.jspecify.annotations.NullMarked;
