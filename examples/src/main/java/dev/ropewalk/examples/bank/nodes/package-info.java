/**
 * The bank on three processes: its accounts are durable entities of a cluster, and the processes
 * are killed and stopped meanwhile. {@link dev.ropewalk.examples.bank.nodes.NodesMain} begins it;
 * nothing else is for other packages.
 */
@NullMarked
package dev.ropewalk.examples.bank.nodes;

import org.jspecify.annotations.NullMarked;
