/**
 * How channels work: their state, their buffer, their calls. Not exported; called by the packages
 * of this module alone.
 */
@NullMarked
package dev.ropewalk.channels.internal;

import org.jspecify.annotations.NullMarked;
