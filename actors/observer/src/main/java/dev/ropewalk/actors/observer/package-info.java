/**
 * A page that shows the cords, actors and waits of this process, for people with a browser (rule
 * A6): {@link dev.ropewalk.actors.observer.Observer}. Programs call {@code Observer} and {@code
 * ObserverOptions}; all else is internal. Nothing of Ropewalk calls this package, and nothing is
 * measured while nobody looks.
 *
 * <p>{@code Gate} decides who may ask, {@code Answers} answers those, {@code Pages} has the files
 * of the page, {@code Sampler} asks cords and systems, {@code TreeOrder} and {@code Window} are the
 * rows that a viewer sees, {@code Viewers} sends what has changed, {@code Documents} writes JSON.
 *
 * <p>Incubating: may change in any version, because metrics and more views are to come.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@Incubating
@NullMarked
package dev.ropewalk.actors.observer;

import dev.ropewalk.fibers.Incubating;

import org.jspecify.annotations.NullMarked;
