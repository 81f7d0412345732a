package dev.ropewalk.examples.bank.nodes;

import dev.ropewalk.examples.bank.nodes.Account.Money;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The things that the processes have said. For any thread; its lock is held for no wait. */
final class Book {
    private final int accounts;
    private final Map<Integer, Long> acknowledged = new HashMap<>();
    private final long[] byPlace = new long[NodeSettings.NODES];
    private final Map<Integer, Money> money = new HashMap<>();
    private final List<String> wrong = new ArrayList<>();
    private long transfers;
    private final Set<Integer> begun = new HashSet<>();
    private long failedAsks;
    private String lastFailure = "";
    private long longestMs;

    Book(int accounts) {
        this.accounts = accounts;
    }

    /** A line of {@link Words} that says something of accounts. */
    synchronized void read(int place, String line) {
        String[] parts = line.split(" ");
        switch (parts[0]) {
            case Words.BEGINS -> begins(Integer.parseInt(parts[1]), number(parts[2]));
            case Words.PAID -> paid(place, parts);
            case Words.FAILED -> {
                failedAsks++;
                lastFailure = NodeSettings.name(place) + ": " + line;
            }
            case Words.WRONG -> wrong.add(NodeSettings.name(place) + ": " + line);
            case Words.MONEY ->
                    money.put(
                            Integer.parseInt(parts[1]),
                            new Money(number(parts[2]), number(parts[3]), number(parts[4])));
            default -> {}
        }
    }

    /** One more may have been paid, whose answer died with a process. */
    private void begins(int account, long number) {
        compare(account, number);
        acknowledged.put(account, number);
        begun.add(account);
    }

    private void compare(int account, long made) {
        long said = acknowledged.getOrDefault(account, 0L);
        if (made < said || made > said + 1) {
            wrong.add(
                    Account.key(account)
                            + " has made "
                            + made
                            + " transfers, and acknowledged "
                            + said);
        }
    }

    private void paid(int place, String[] parts) {
        int account = Integer.parseInt(parts[1]);
        long number = number(parts[2]);
        long before = acknowledged.getOrDefault(account, 0L);
        if (number <= before) {
            wrong.add(
                    Account.key(account)
                            + " has acknowledged transfer "
                            + before
                            + ", and then "
                            + number
                            + " as a new one");
        }
        acknowledged.put(account, number);
        byPlace[place]++;
        transfers++;
        longestMs = Math.max(longestMs, number(parts[3]));
    }

    private static long number(String word) {
        return Long.parseLong(word);
    }

    synchronized long[] byPlace() {
        return byPlace.clone();
    }

    synchronized long transfers() {
        return transfers;
    }

    synchronized long failedAsks() {
        return failedAsks;
    }

    /** The line that said so, of the last one. */
    synchronized String lastFailure() {
        return lastFailure;
    }

    /** The customers of all accounts have been answered once. */
    synchronized boolean haveAllBegun() {
        return begun.size() == accounts;
    }

    synchronized long longestMs() {
        return longestMs;
    }

    /** What must not happen, and has. */
    synchronized List<String> wrong() {
        return List.copyOf(wrong);
    }

    synchronized void wrong(String what) {
        wrong.add(what);
    }

    /** Before the accounts are counted. */
    synchronized void forgetMoney() {
        money.clear();
    }

    /** All accounts have said what they have, and none of it is on its way. */
    synchronized boolean isSettled() {
        return money.size() == accounts
                && money.values().stream().mapToLong(Money::transfers).sum()
                        == money.values().stream().mapToLong(Money::arrivals).sum();
    }

    synchronized long sum() {
        return money.values().stream().mapToLong(Money::cents).sum();
    }

    /** Compares the accounts with what was acknowledged. */
    synchronized void judge() {
        long expected = accounts * Account.FIRST_CENTS;
        if (!isSettled() || sum() != expected) {
            wrong.add(
                    "the sum of "
                            + money.size()
                            + " accounts is "
                            + sum()
                            + ", and must be "
                            + expected
                            + " of "
                            + accounts
                            + (isSettled() ? "" : "; some of it is still on its way"));
        }
        for (int i = 0; i < accounts; i++) {
            Money there = money.get(i);
            if (there != null) {
                compare(i, there.transfers());
            }
        }
    }
}
