package dev.ropewalk.channels.pipeline;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A file that another process changes at a given moment: beside a look at its attributes. */
final class HookedPath {
    /** What the other process does. */
    @FunctionalInterface
    interface Change {
        void run() throws IOException;
    }

    private static final Change NONE = () -> {};

    private final Path real;
    private final Path path;
    private Change before = NONE;
    private Change after = NONE;

    HookedPath(Path real) {
        this.real = real;
        FileSystem system = new HookedSystem(new HookedProvider());
        this.path =
                (Path)
                        Proxy.newProxyInstance(
                                HookedPath.class.getClassLoader(),
                                new Class<?>[] {Path.class},
                                (proxy, method, arguments) ->
                                        method.getName().equals("getFileSystem")
                                                ? system
                                                : ofReal(method, arguments));
    }

    private Object ofReal(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getTargetException();
        }
    }

    Path path() {
        return path;
    }

    /** Once. */
    void beforeAttributes(Change change) {
        before = change;
    }

    /** Once. */
    void afterAttributes(Change change) {
        after = change;
    }

    private final class HookedProvider extends FileSystemProvider {
        private final FileSystemProvider provider = real.getFileSystem().provider();

        @Override
        public <A extends BasicFileAttributes> A readAttributes(
                Path file, Class<A> type, LinkOption... options) throws IOException {
            Change first = before;
            before = NONE;
            first.run();
            A attributes = provider.readAttributes(real, type, options);
            Change second = after;
            after = NONE;
            second.run();
            return attributes;
        }

        @Override
        public FileChannel newFileChannel(
                Path file, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
                throws IOException {
            return provider.newFileChannel(real, options, attributes);
        }

        @Override
        public String getScheme() {
            return "hooked";
        }

        @Override
        public FileSystem newFileSystem(URI uri, Map<String, ?> settings) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileSystem getFileSystem(URI uri) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Path getPath(URI uri) {
            throw new UnsupportedOperationException();
        }

        @Override
        public SeekableByteChannel newByteChannel(
                Path file, Set<? extends OpenOption> options, FileAttribute<?>... attributes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public DirectoryStream<Path> newDirectoryStream(
                Path directory, DirectoryStream.Filter<? super Path> filter) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void createDirectory(Path directory, FileAttribute<?>... attributes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void delete(Path file) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void copy(Path from, Path to, CopyOption... options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void move(Path from, Path to, CopyOption... options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isSameFile(Path one, Path other) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isHidden(Path file) {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileStore getFileStore(Path file) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void checkAccess(Path file, AccessMode... modes) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <V extends FileAttributeView> V getFileAttributeView(
                Path file, Class<V> type, LinkOption... options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Map<String, Object> readAttributes(Path file, String names, LinkOption... options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void setAttribute(Path file, String name, Object value, LinkOption... options) {
            throw new UnsupportedOperationException();
        }
    }

    /** Has a provider, and nothing else. */
    private static final class HookedSystem extends FileSystem {
        private final FileSystemProvider provider;

        HookedSystem(FileSystemProvider provider) {
            this.provider = provider;
        }

        @Override
        public FileSystemProvider provider() {
            return provider;
        }

        @Override
        public void close() {
            // Nothing is open.
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public boolean isReadOnly() {
            return false;
        }

        @Override
        public String getSeparator() {
            return "/";
        }

        @Override
        public Iterable<Path> getRootDirectories() {
            return List.of();
        }

        @Override
        public Iterable<FileStore> getFileStores() {
            return List.of();
        }

        @Override
        public Set<String> supportedFileAttributeViews() {
            return Set.of("basic");
        }

        @Override
        public Path getPath(String first, String... more) {
            throw new UnsupportedOperationException();
        }

        @Override
        public PathMatcher getPathMatcher(String pattern) {
            throw new UnsupportedOperationException();
        }

        @Override
        public UserPrincipalLookupService getUserPrincipalLookupService() {
            throw new UnsupportedOperationException();
        }

        @Override
        public WatchService newWatchService() {
            throw new UnsupportedOperationException();
        }
    }
}
