/** Rules for every kind of cord, and for every call that waits. */
@NullMarked
package dev.ropewalk.fibers.contract;

import org.jspecify.annotations.NullMarked;
