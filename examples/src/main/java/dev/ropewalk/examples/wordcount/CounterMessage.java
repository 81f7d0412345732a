package dev.ropewalk.examples.wordcount;

import dev.ropewalk.actors.Recipient;

import java.util.List;

/** What a counter is told. */
sealed interface CounterMessage {
    /**
     * Add these words, then reply with how many they are. The table is the asker's again when it
     * has the reply.
     */
    record Add(WordTable words, Recipient<Long> replyTo) implements CounterMessage {}

    /** Reply with the totals and the most frequent words. */
    record Report(int top, Recipient<Totals> replyTo) implements CounterMessage {}

    /**
     * What a counter has counted.
     *
     * @param words words, repeats included
     * @param distinct different words
     * @param top the most frequent ones, in order
     */
    record Totals(long words, long distinct, List<WordCount> top) {
        public Totals {
            top = List.copyOf(top);
        }
    }
}
