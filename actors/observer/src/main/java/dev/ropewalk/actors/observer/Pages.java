package dev.ropewalk.actors.observer;

import dev.ropewalk.channels.http.HttpBody;
import dev.ropewalk.channels.http.HttpException;
import dev.ropewalk.channels.http.HttpResponse;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;

/** The files of the page, read when the observer starts. */
final class Pages {
    private record Page(String type, HttpBody body) {}

    private final Map<String, Page> byPath = new HashMap<>();

    Pages() {
        add("/", "observer.html", "text/html; charset=utf-8");
        add("/observer.js", "observer.js", "text/javascript; charset=utf-8");
        add("/observer.css", "observer.css", "text/css; charset=utf-8");
        add("/icon.svg", "icon.svg", "image/svg+xml");
    }

    private void add(String path, String file, String type) {
        try (InputStream in = Pages.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException(file + " is not in the jar of the observer");
            }
            byPath.put(path, new Page(type, HttpBody.of(in.readAllBytes())));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    HttpResponse answer(String path) {
        Page page = byPath.get(path);
        if (page == null) {
            throw new HttpException(404, "no such page; see /");
        }
        return HttpResponse.of(page.type, page.body);
    }
}
