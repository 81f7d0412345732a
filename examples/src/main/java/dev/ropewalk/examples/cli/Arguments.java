package dev.ropewalk.examples.cli;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The words of a command line, read one after the other. A value stands behind an equals sign or in
 * the next word; two dashes end the options.
 */
public final class Arguments {
    /** Takes an option. */
    public interface OptionReader {
        /**
         * Reads the value, if it has one, by the methods of {@link Arguments}.
         *
         * @param name the option, with its dashes
         */
        void read(String name) throws BadOption;
    }

    /** Not what Double.parseDouble takes: that knows NaN, hexadecimal and trailing letters. */
    private static final Pattern DECIMAL = Pattern.compile("\\d*\\.?\\d+([eE][-+]?\\d{1,3})?");

    private final Iterator<String> words;

    /** The word that is being read. */
    private String word = "";

    /** Reads these words. */
    public Arguments(List<String> words) {
        this.words = List.copyOf(words).iterator();
    }

    /** Reads all words, and returns those that are no options. */
    public List<String> readAll(OptionReader options) throws BadOption {
        List<String> others = new ArrayList<>();
        while (words.hasNext()) {
            word = words.next();
            if (word.equals("--")) {
                words.forEachRemaining(others::add);
            } else if (word.startsWith("-") && word.length() > 1) {
                options.read(name());
            } else {
                others.add(word);
            }
        }
        return others;
    }

    /** The value of the option. */
    public String value(String example) throws BadOption {
        String name = name();
        int equals = word.indexOf('=');
        String value =
                equals >= 0 ? word.substring(equals + 1) : words.hasNext() ? words.next() : "";
        if (value.isEmpty()) {
            throw new BadOption(name + " has no value; write for instance " + name + " " + example);
        }
        return value;
    }

    /** True: the option is there, and has no value. */
    public boolean flag() throws BadOption {
        if (word.indexOf('=') >= 0) {
            throw new BadOption(word + " takes no value; write " + name() + " alone");
        }
        return true;
    }

    /** The value of the option, as a number within these bounds. */
    public int number(String example, int min, int max) throws BadOption {
        String value = value(example);
        long number;
        try {
            number = Long.parseLong(value);
        } catch (NumberFormatException e) {
            number = Long.MIN_VALUE;
        }
        if (number < min || number > max) {
            throw new BadOption(
                    name()
                            + " "
                            + value
                            + " is not a whole number from "
                            + min
                            + " to "
                            + max
                            + "; write for instance "
                            + name()
                            + " "
                            + Math.max(min, 4));
        }
        return (int) number;
    }

    /** The value of the option, as a number from 0 to the max, with or without a point. */
    public double rate(String example, double max) throws BadOption {
        String value = value(example);
        double rate = DECIMAL.matcher(value).matches() ? Double.parseDouble(value) : Double.NaN;
        // Written so that NaN is refused, too.
        if (!(rate >= 0 && rate <= max)) {
            throw new BadOption(
                    name()
                            + " "
                            + value
                            + " is not a rate from 0 to "
                            + max
                            + "; write for instance "
                            + name()
                            + " "
                            + example);
        }
        return rate;
    }

    /** The value of the option, as any number of 64 bits. */
    public long wholeNumber(String example) throws BadOption {
        String value = value(example);
        try {
            return Long.parseLong(value);
        } catch (NumberFormatException e) {
            throw new BadOption(
                    name()
                            + " "
                            + value
                            + " is not a whole number of at most 64 bits; write for instance "
                            + name()
                            + " "
                            + example);
        }
    }

    /** The complaint about a word that begins with a dash and is no option. */
    public BadOption unknown() {
        return new BadOption(
                word
                        + " is not an option; --help lists them; for a file of that name write"
                        + " -- "
                        + word);
    }

    private String name() {
        int equals = word.indexOf('=');
        return equals < 0 ? word : word.substring(0, equals);
    }
}
