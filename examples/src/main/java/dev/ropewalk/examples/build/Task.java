package dev.ropewalk.examples.build;

import java.util.List;

/**
 * A part of a build.
 *
 * @param line of its name in the file, from 1 on
 * @param needs the tasks that must be built before, each once
 * @param commands run in order, each by a shell of its own
 */
record Task(String name, int line, List<String> needs, List<String> commands) {}
