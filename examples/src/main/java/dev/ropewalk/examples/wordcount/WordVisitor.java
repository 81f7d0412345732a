package dev.ropewalk.examples.wordcount;

/** Is shown the words of a table one by one. */
@FunctionalInterface
interface WordVisitor {
    /** The word is {@code buffer[0..length)}, valid during the call only. */
    void word(byte[] buffer, int length, long count);
}
