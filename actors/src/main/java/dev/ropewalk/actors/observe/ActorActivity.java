package dev.ropewalk.actors.observe;

import org.jspecify.annotations.Nullable;

/**
 * The work of an actor at a moment, told without any code of the program; made by {@link
 * ActorInspector#activity}.
 *
 * @param glance what a snapshot has of it
 * @param state the name of its state; null if it is no state machine
 * @param handles the class of the message in hand, without its package; null if there is none
 * @param fiber the number of the fiber in which it runs, as in {@link
 *     dev.ropewalk.fibers.observe.FiberDump#id}; 0 if there is none
 */
public record ActorActivity(
        ActorGlance glance, @Nullable String state, @Nullable String handles, long fiber) {}
