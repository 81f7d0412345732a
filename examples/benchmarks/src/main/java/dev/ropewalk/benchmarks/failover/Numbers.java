package dev.ropewalk.benchmarks.failover;

import java.util.List;

/** The numbers behind options of the command line. */
final class Numbers {
    private Numbers() {}

    /**
     * The one behind the option at that place.
     *
     * @throws IllegalArgumentException if it is not from 1 to the greatest
     */
    static int behind(List<String> arguments, int at, int most) {
        String option = arguments.get(at);
        String given = at + 1 < arguments.size() ? arguments.get(at + 1) : "";
        int number = given.matches("[0-9]{1,9}") ? Integer.parseInt(given) : 0;
        if (number < 1 || number > most) {
            throw new IllegalArgumentException(
                    option + " needs a number from 1 to " + most + ", and not \"" + given + "\"");
        }
        return number;
    }
}
