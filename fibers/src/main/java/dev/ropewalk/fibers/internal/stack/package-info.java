/**
 * The stacks that fibers run on (rule F11), and the only code that knows how stacks are switched:
 * continuations of the JDK, and virtual threads whose scheduler is the cord. A stack knows its cord
 * as a {@link dev.ropewalk.fibers.internal.stack.StackOwner} only. Add a kind of stack here.
 *
 * <p>Called by the cord that owns them, on its thread. Only this package names jdk.internal.vm.
 */
@NullMarked
package dev.ropewalk.fibers.internal.stack;

import org.jspecify.annotations.NullMarked;
