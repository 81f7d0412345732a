package dev.ropewalk.examples.bank;

import java.util.Arrays;

/** The last number of each customer. */
final class LastNumbers implements Seen {
    static final LastNumbers NONE = new LastNumbers(new long[0]);

    private final long[] numbers;

    private LastNumbers(long[] numbers) {
        this.numbers = numbers;
    }

    @Override
    public boolean has(int customer, long number) {
        return customer < numbers.length && number <= numbers[customer];
    }

    @Override
    public Seen with(int customer, long number) {
        long[] more = Arrays.copyOf(numbers, Math.max(numbers.length, customer + 1));
        more[customer] = number;
        return new LastNumbers(more);
    }

    @Override
    public String toString() {
        return Arrays.toString(numbers);
    }
}
