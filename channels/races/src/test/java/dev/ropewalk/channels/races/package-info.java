/**
 * Races between plain threads and fibers of several cords, for jcstress: each class is one race
 * with all outcomes that the rules allow; any other one fails.
 *
 * <p>Serves C1 to C5 and F8. {@link dev.ropewalk.channels.races.RacesTest} runs them.
 */
@NullMarked
package dev.ropewalk.channels.races;

import org.jspecify.annotations.NullMarked;
