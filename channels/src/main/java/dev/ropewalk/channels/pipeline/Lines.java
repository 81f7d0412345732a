package dev.ropewalk.channels.pipeline;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Cuts bytes of UTF-8 into lines: a batch has the lines that one read of the input has completed,
 * so the lines of a slow process do not wait for others.
 */
final class Lines implements Feeds.Batches {
    private static final int READ_BYTES = 64 * 1024;
    private static final byte LF = '\n';
    private static final byte CR = '\r';

    /** No line is longer: a file without line ends must not fill the memory. */
    private static final int MAX_LINE_BYTES = 64 * 1024 * 1024;

    /** The remedy in the errors. */
    private record Remedies(String ifMalformed, String ifTooLong) {}

    private static final Remedies OF_A_FILE =
            new Remedies(
                    "give lines(file, malformed) a handler", "read such a file by Pipeline.bytes");

    private static final Remedies OF_A_PROCESS =
            new Remedies(
                    "give output(process, malformed) a handler",
                    "redirect such an output to a file, and read that by Pipeline.bytes");

    private static final Remedies OF_STDIN =
            new Remedies(
                    "give stdin(malformed) a handler",
                    "write such an input to a file, and read that by Pipeline.bytes");

    private final InputStream in;
    private final String what;
    private final Remedies remedies;
    private final @Nullable LongConsumer malformed;

    /** The end of the input is no end: more may be written. */
    private final boolean isFollowed;

    private final CharsetDecoder strict = StandardCharsets.UTF_8.newDecoder();
    private final CharsetDecoder lenient =
            StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .onUnmappableCharacter(CodingErrorAction.REPLACE);

    /** The bytes that were read and are no whole line yet, from 0 to {@code length}. */
    private byte[] bytes = new byte[READ_BYTES];

    private int length;

    /** How many there were so far. */
    private long lines;

    private Lines(
            InputStream in,
            String what,
            Remedies remedies,
            @Nullable LongConsumer malformed,
            boolean isFollowed,
            long linesBefore) {
        this.in = in;
        this.what = what;
        this.remedies = remedies;
        this.malformed = malformed;
        this.isFollowed = isFollowed;
        this.lines = linesBefore;
    }

    static Lines of(Path file, @Nullable LongConsumer malformed) throws IOException {
        return of(Files.newInputStream(file), file.toString(), malformed);
    }

    static Lines of(InputStream in, String what, @Nullable LongConsumer malformed) {
        return new Lines(in, what, OF_A_FILE, malformed, false, 0);
    }

    /**
     * Of a file that grows.
     *
     * @param linesBefore the number of the line before the first
     */
    static Lines followed(InputStream in, String what, LongConsumer malformed, long linesBefore) {
        return new Lines(in, what, OF_A_FILE, malformed, true, linesBefore);
    }

    static Lines ofProcess(InputStream in, String command, @Nullable LongConsumer malformed) {
        return new Lines(in, "the output of " + command, OF_A_PROCESS, malformed, false, 0);
    }

    static Lines ofStdin(@Nullable LongConsumer malformed) {
        return new Lines(Stdin.IN, "the standard input", OF_STDIN, malformed, false, 0);
    }

    /** {@return the number of the last line that it has given} */
    long count() {
        return lines;
    }

    @Override
    public @Nullable List<String> read() throws IOException {
        List<String> batch = new ArrayList<>();
        while (batch.isEmpty()) {
            makeRoom();
            int n = in.read(bytes, length, bytes.length - length);
            if (n < 0) {
                return isFollowed ? batch : rest();
            }
            int from = length;
            length += n;
            cut(from, batch);
        }
        return batch;
    }

    /** The text after the last line end; null if it is empty. */
    @Nullable List<String> rest() throws IOException {
        if (length == 0) {
            return null;
        }
        String last = line(0, length);
        length = 0;
        return List.of(last);
    }

    private void makeRoom() throws IOException {
        if (length < bytes.length) {
            return;
        }
        if (length >= MAX_LINE_BYTES) {
            throw new IOException(
                    "line "
                            + (lines + 1)
                            + " of "
                            + what
                            + " is longer than "
                            + MAX_LINE_BYTES
                            + " bytes; "
                            + remedies.ifTooLong());
        }
        bytes = Arrays.copyOf(bytes, 2 * bytes.length);
    }

    /** The lines that end at {@code from} or later. */
    private void cut(int from, List<String> batch) throws IOException {
        int start = 0;
        for (int i = from; i < length; i++) {
            if (bytes[i] == LF) {
                int end = i > start && bytes[i - 1] == CR ? i - 1 : i;
                batch.add(line(start, end));
                start = i + 1;
            }
        }
        System.arraycopy(bytes, start, bytes, 0, length - start);
        length -= start;
    }

    private String line(int from, int to) throws IOException {
        lines++;
        try {
            return strict.decode(ByteBuffer.wrap(bytes, from, to - from)).toString();
        } catch (CharacterCodingException e) {
            if (malformed == null) {
                throw new IOException(
                        "line "
                                + lines
                                + " of "
                                + what
                                + " is no UTF-8; to go on, "
                                + remedies.ifMalformed(),
                        e);
            }
            malformed.accept(lines);
            return lenient.decode(ByteBuffer.wrap(bytes, from, to - from)).toString();
        }
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
