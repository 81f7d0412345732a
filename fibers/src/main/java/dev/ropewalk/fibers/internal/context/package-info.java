/**
 * The baggage of a fiber: the values of fiber-locals, and context of other libraries that hooks
 * move at each switch (rule F10).
 *
 * <p>Called by the kernel on the fiber's cord, and by FiberLocal and SwitchHook.
 */
@NullMarked
package dev.ropewalk.fibers.internal.context;

import org.jspecify.annotations.NullMarked;
