/** A server that sends back each line: the smallest program on sockets, on one cord or several. */
@NullMarked
package dev.ropewalk.examples.echo;

import org.jspecify.annotations.NullMarked;
