/**
 * Addresses of actors of other nodes: {@code RemoteTarget} is where one leads to, {@code
 * Conversation} what two nodes say in a session, {@code Served} what the other one asks for, {@code
 * Exports} the actors here that others know. Called by {@code internal.node}.
 */
@NullMarked
package dev.ropewalk.actors.cluster.internal.ref;

import org.jspecify.annotations.NullMarked;
