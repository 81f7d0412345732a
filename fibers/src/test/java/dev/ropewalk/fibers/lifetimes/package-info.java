/** Parents and children, adoption, scopes, and the order in which they end (rule F7). */
@NullMarked
package dev.ropewalk.fibers.lifetimes;

import org.jspecify.annotations.NullMarked;
