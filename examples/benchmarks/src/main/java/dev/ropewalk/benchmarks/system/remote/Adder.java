package dev.ropewalk.benchmarks.system.remote;

import dev.ropewalk.actors.Actor;
import dev.ropewalk.actors.ActorRef;
import dev.ropewalk.actors.Behavior;
import dev.ropewalk.benchmarks.system.remote.Words.Note;
import dev.ropewalk.benchmarks.system.remote.Words.Question;
import dev.ropewalk.benchmarks.system.remote.Words.Total;
import dev.ropewalk.benchmarks.system.remote.Words.Word;

import java.time.Duration;

/** An actor that adds up notes, and answers questions. Confined to the actor. */
final class Adder {
    static final Duration LIMIT = Duration.ofSeconds(30);

    private long sum;

    private Adder() {}

    static Actor<Word> actor() {
        return Actor.handler(
                () -> {
                    Adder adder = new Adder();
                    return word -> {
                        adder.on(word);
                        return Behavior.same();
                    };
                });
    }

    private void on(Word word) {
        switch (word) {
            case Note(long added, byte[] _) -> sum += added;
            case Question(long asked, byte[] _, var replyTo) -> replyTo.tell(Note.of(asked));
            case Total(var replyTo) -> {
                replyTo.tell(Note.of(sum));
                sum = 0;
            }
        }
    }

    /** Tells the numbers up to n, and asks for their sum. */
    static long tell(long n, ActorRef<Word> adder) {
        for (long value = 1; value <= n; value++) {
            adder.tell(Note.of(value));
        }
        return sum(adder);
    }

    /** Of what it was told before; it begins anew. */
    static long sum(ActorRef<Word> adder) {
        return adder.<Note>ask(Total::new, LIMIT).value();
    }
}
