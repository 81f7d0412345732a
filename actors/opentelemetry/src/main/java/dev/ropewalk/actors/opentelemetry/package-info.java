/**
 * The context of OpenTelemetry goes where the work goes: over switches of fibers, from a tell, an
 * ask, an adapter or a timer to the handler, into blocking pools, over HTTP and to other nodes; and
 * each message that is handled, and each request, may have a span. Nothing of Ropewalk calls this
 * package: a program without it pays nothing for it.
 *
 * <p>{@link dev.ropewalk.actors.opentelemetry.Traces} is for cords and systems, {@link
 * dev.ropewalk.actors.opentelemetry.HttpTraces} for HTTP, {@link
 * dev.ropewalk.actors.opentelemetry.NodeTraces} for nodes; a program without HTTP or nodes needs
 * not their artifacts.
 *
 * <p>Incubating: may change in any version, because metrics are to come.
 *
 * <p>References are non-null unless marked {@code @Nullable}.
 */
@Incubating
@NullMarked
package dev.ropewalk.actors.opentelemetry;

import dev.ropewalk.fibers.Incubating;

import org.jspecify.annotations.NullMarked;
