package dev.ropewalk.actors.top;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** All that the observer saw at one moment, with all of its rows. */
final class Look {
    private static final int VERSION = 1;

    private final JsonObject all;
    private final List<JsonObject> rows;

    private Look(JsonObject all, List<JsonObject> rows) {
        this.all = all;
        this.rows = rows;
    }

    /** Looks that follow each other, of which each has the rows that have changed. */
    static final class Sequence {
        private Map<String, JsonObject> known = new HashMap<>();

        /** The next one. */
        Look next(String json) throws Stopped {
            try {
                JsonObject all = parsed(json).getAsJsonObject();
                int version = all.get("version").getAsInt();
                if (version != VERSION) {
                    throw Stopped.notThere(
                            "the observer has version="
                                    + version
                                    + " != "
                                    + VERSION
                                    + "; take the ropewalk-top of the process");
                }
                return merged(all);
            } catch (IOException
                    | JsonParseException
                    | IllegalStateException
                    | UnsupportedOperationException
                    | ClassCastException
                    | NumberFormatException
                    | NullPointerException bad) {
                throw notUnderstood(bad);
            }
        }

        private static JsonElement parsed(String json) throws IOException {
            JsonReader reader = new JsonReader(new StringReader(json));
            reader.setStrictness(Strictness.STRICT);
            JsonElement parsed = JsonParser.parseReader(reader);
            if (reader.peek() != JsonToken.END_DOCUMENT) {
                throw new IOException("there is more behind the document");
            }
            return parsed;
        }

        private Look merged(JsonObject all) {
            for (JsonElement each : all.getAsJsonArray("rows")) {
                JsonObject row = each.getAsJsonObject();
                known.put(row.get("id").getAsString(), row);
            }
            Map<String, JsonObject> kept = new HashMap<>();
            List<JsonObject> rows = new ArrayList<>();
            for (JsonElement each : all.getAsJsonArray("order")) {
                String id = each.getAsString();
                JsonObject row = known.get(id);
                if (row != null) {
                    kept.put(id, row);
                    rows.add(row);
                }
            }
            known = kept;
            return new Look(all, rows);
        }
    }

    static Stopped notUnderstood(Exception bad) {
        String why = bad instanceof NullPointerException ? "a field is missing" : bad.toString();
        return Stopped.notThere("the answer is none of an observer of version 1: " + why);
    }

    /** The same with so many rows at most, in the order that is wanted. */
    Look sorted(Options.Sort sort, int count) throws Stopped {
        List<JsonObject> sorted = new ArrayList<>(rows);
        try {
            switch (sort) {
                case RATE -> sorted.sort(descending(row -> number(row, "rate")));
                // Its order is that of its snapshot; the numbers in the rows are newer.
                case QUEUED -> sorted.sort(descending(row -> number(row, "queued")));
                case RESTARTS, TREE -> {}
            }
        } catch (RuntimeException bad) {
            throw notUnderstood(bad);
        }
        return new Look(all, List.copyOf(sorted.subList(0, Math.min(count, sorted.size()))));
    }

    static Comparator<JsonObject> descending(ToDoubleFunction<JsonObject> by) {
        return Comparator.comparingDouble(by).reversed();
    }

    JsonObject all() {
        return all;
    }

    List<JsonObject> rows() {
        return rows;
    }

    /** As one line, which is the observer's own document with all rows. */
    String json() {
        JsonObject copy = all.deepCopy();
        JsonArray whole = new JsonArray();
        JsonArray order = new JsonArray();
        for (JsonObject each : rows) {
            whole.add(each);
            order.add(each.get("id"));
        }
        copy.add("order", order);
        copy.add("rows", whole);
        return Plain.escaped(copy.toString());
    }

    // ---------------------------------------------------------------- fields

    /** -1 if it is not known. */
    static double number(JsonObject of, String name) {
        JsonElement value = of.get(name);
        return value == null || value.isJsonNull() ? -1 : value.getAsDouble();
    }

    static @Nullable String text(JsonObject of, String name) {
        JsonElement value = of.get(name);
        return value == null || value.isJsonNull() ? null : value.getAsString();
    }

    static List<JsonObject> list(JsonObject of, String name) {
        List<JsonObject> all = new ArrayList<>();
        of.getAsJsonArray(name).forEach(each -> all.add(each.getAsJsonObject()));
        return all;
    }

    static List<String> texts(JsonObject of, String name) {
        List<String> all = new ArrayList<>();
        of.getAsJsonArray(name).forEach(each -> all.add(each.getAsString()));
        return all;
    }
}
