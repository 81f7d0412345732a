/**
 * Counts the words of text files: files are read in chunks, chunks are split on several cords, and
 * counters are actors, each with the words of its shard.
 *
 * <p>A word is a longest run of bytes that are ASCII letters or not ASCII at all (0x80 and above);
 * ASCII capitals count as small letters, and a file boundary ends a word. So the words are the same
 * in every locale, and malformed UTF-8 is counted as it stands.
 */
@NullMarked
package dev.ropewalk.examples.wordcount;

import org.jspecify.annotations.NullMarked;
