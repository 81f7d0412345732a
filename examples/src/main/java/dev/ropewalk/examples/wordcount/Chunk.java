package dev.ropewalk.examples.wordcount;

/**
 * A part of a file that ends where a word may end: {@code bytes[0..length)}, owned by who has it.
 */
@SuppressWarnings("ArrayRecordComponent") // handed on, never compared
record Chunk(byte[] bytes, int length) {}
