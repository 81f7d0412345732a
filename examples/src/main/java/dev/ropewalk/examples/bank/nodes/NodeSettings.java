package dev.ropewalk.examples.bank.nodes;

import dev.ropewalk.actors.cluster.jdbc.JdbcOptions;
import dev.ropewalk.actors.cluster.jdbc.JdbcStore;
import dev.ropewalk.actors.cluster.ratis.RatisOptions;
import dev.ropewalk.actors.cluster.ratis.RatisStore;
import dev.ropewalk.actors.cluster.store.Store;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The words on the command line of a process of the bank.
 *
 * @param place from 0
 * @param version of its program
 * @param cluster of one run alone
 * @param store of {@link NodesOptions#store}
 * @param folder in which Ratis keeps its files
 * @param observer the port of a page that shows the process; {@link NodesOptions#NO_OBSERVER}
 * @param servers the addresses of Ratis, in the order of their places
 */
record NodeSettings(
        int place,
        String version,
        String cluster,
        int accounts,
        long seed,
        String store,
        Path folder,
        int observer,
        List<String> servers) {
    /** How many processes the bank has. */
    static final int NODES = 3;

    static String name(int place) {
        return "n" + (place + 1);
    }

    String name() {
        return name(place);
    }

    List<String> toWords() {
        List<String> words = new ArrayList<>();
        words.add(String.valueOf(place));
        words.add(version);
        words.add(cluster);
        words.add(String.valueOf(accounts));
        words.add(String.valueOf(seed));
        words.add(store);
        words.add(folder.toString());
        words.add(String.valueOf(observer));
        words.addAll(servers);
        return words;
    }

    static NodeSettings ofWords(List<String> words) {
        return new NodeSettings(
                Integer.parseInt(words.get(0)),
                words.get(1),
                words.get(2),
                Integer.parseInt(words.get(3)),
                Long.parseLong(words.get(4)),
                words.get(5),
                Path.of(words.get(6)),
                Integer.parseInt(words.get(7)),
                words.subList(8, words.size()));
    }

    Store openStore() {
        if (!store.equals(NodesOptions.RATIS)) {
            return JdbcStore.open(JdbcOptions.postgresql(store));
        }
        SortedMap<String, String> group = new TreeMap<>();
        for (int i = 0; i < servers.size(); i++) {
            group.put(name(i), servers.get(i));
        }
        return RatisStore.open(RatisOptions.of(name(), group, folder.resolve(name())));
    }
}
