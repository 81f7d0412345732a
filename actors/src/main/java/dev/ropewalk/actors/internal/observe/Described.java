package dev.ropewalk.actors.internal.observe;

import dev.ropewalk.actors.observe.TreeDump;

import java.util.List;

/**
 * An actor or supervisor, described on its cord, without those below it.
 *
 * @param dump what it is, without children
 * @param below its children, in the order of their start
 */
public record Described(TreeDump dump, List<? extends Observed> below) {}
