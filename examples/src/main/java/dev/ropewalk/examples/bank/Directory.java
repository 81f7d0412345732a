package dev.ropewalk.examples.bank;

import dev.ropewalk.actors.ActorRef;

import java.util.List;

/** The addresses in the bank. They stay valid when their actors are started again. */
record Directory(
        ActorRef<JournalMessage> journal,
        ActorRef<ReaderMessage> reader,
        ActorRef<CheckerMessage> checker,
        List<ActorRef<AccountMessage>> accounts) {
    Directory {
        accounts = List.copyOf(accounts);
    }
}
