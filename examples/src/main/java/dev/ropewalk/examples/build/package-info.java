/**
 * A small build tool: tasks that need each other run as a graph, each as commands of a shell, as
 * many at once as asked for, and leave no process behind.
 */
@NullMarked
package dev.ropewalk.examples.build;

import org.jspecify.annotations.NullMarked;
