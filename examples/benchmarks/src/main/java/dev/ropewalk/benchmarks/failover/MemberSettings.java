package dev.ropewalk.benchmarks.failover;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The words on the command line of a process of a cluster.
 *
 * @param place from 0
 * @param stableAfter of Pekko's split brain resolver; its default if empty
 * @param folder in which Ratis keeps its files
 * @param ports a free one for each place, of the loopback address
 */
record MemberSettings(int place, String stableAfter, Path folder, List<Integer> ports) {
    static final String HOST = "127.0.0.1";

    MemberSettings {
        ports = List.copyOf(ports);
    }

    static String name(int place) {
        return "n" + (place + 1);
    }

    String name() {
        return name(place);
    }

    List<String> toWords() {
        List<String> words = new ArrayList<>();
        words.add(String.valueOf(place));
        words.add(stableAfter);
        words.add(folder.toString());
        ports.forEach(each -> words.add(String.valueOf(each)));
        return words;
    }

    static MemberSettings ofWords(List<String> words) {
        return new MemberSettings(
                Integer.parseInt(words.get(0)),
                words.get(1),
                Path.of(words.get(2)),
                words.stream().skip(3).map(Integer::valueOf).toList());
    }
}
