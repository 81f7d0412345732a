/**
 * The parts that observe actors and need to know nothing of how actors work: taps on their
 * messages, events of the flight recorder, reports of crashes, and dumps as text. Called by {@code
 * dev.ropewalk.actors.internal} and by the public package of the same topic. Not exported.
 *
 * <p>References are non-null unless marked {@code @Nullable}; messages are never null.
 */
@NullMarked
package dev.ropewalk.actors.internal.observe;

import org.jspecify.annotations.NullMarked;
