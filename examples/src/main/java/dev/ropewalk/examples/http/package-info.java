/** A web server of a few pages, to be tried with a browser, curl or wrk. */
@NullMarked
package dev.ropewalk.examples.http;

import org.jspecify.annotations.NullMarked;
