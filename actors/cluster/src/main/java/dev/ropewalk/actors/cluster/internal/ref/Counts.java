package dev.ropewalk.actors.cluster.internal.ref;

/**
 * The entries that one session has, which come and go with actors, asks and monitors.
 *
 * @param asks of this node that are open
 * @param watched actors of the other node that have monitors here
 * @param servedWatches monitors of the other node
 * @param servedAsks of the other node whose askers, actors, wait
 * @param addresses of adapters and asks here that the other node knows
 * @param exports the actors here that some node knows
 * @param windows into bounded mailboxes of the other node
 * @param loans of room in bounded mailboxes here
 * @param links of actors here with actors of the other node
 * @param members of the other node in groups here
 * @param sizes of the other node's mailboxes that routers here are told
 */
public record Counts(
        int asks,
        int watched,
        int servedWatches,
        int servedAsks,
        int addresses,
        int exports,
        int windows,
        int loans,
        int links,
        int members,
        int sizes) {}
