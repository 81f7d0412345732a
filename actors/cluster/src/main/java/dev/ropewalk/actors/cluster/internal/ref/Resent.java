package dev.ropewalk.actors.cluster.internal.ref;

/** A word of the library that comes again by itself: one that is lost is no dead letter. */
public interface Resent {}
