/**
 * Two processes whose actors ask each other: each sees at once when the other one is gone, and
 * finds it again when it is back.
 */
@NullMarked
package dev.ropewalk.examples.ping;

import org.jspecify.annotations.NullMarked;
