/**
 * Scopes that are cancelled, and signals on their way: shields, wrappers, and code that swallows
 * them (rule F6).
 */
@NullMarked
package dev.ropewalk.fibers.cancellation;

import org.jspecify.annotations.NullMarked;
