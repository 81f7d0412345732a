/**
 * Support for tests of actors, without a test framework: a {@link
 * dev.ropewalk.actors.testing.Probe} is told and looks at what it was told, {@link
 * dev.ropewalk.actors.testing.BehaviorSteps} runs a behavior without an actor, {@link
 * dev.ropewalk.actors.testing.Faults} makes actors crash, wait and lose messages, and a {@link
 * dev.ropewalk.actors.testing.Trace} keeps what they did.
 *
 * <p>With {@link dev.ropewalk.fibers.testing.TestCord} and {@link
 * dev.ropewalk.fibers.testing.TestCords} the limits are of virtual time, and a run can be replayed
 * by its seed (rule F14). References are non-null unless marked {@code @Nullable}.
 */
@NullMarked
package dev.ropewalk.actors.testing;

import org.jspecify.annotations.NullMarked;
