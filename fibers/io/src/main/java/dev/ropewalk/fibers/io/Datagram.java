package dev.ropewalk.fibers.io;

import dev.ropewalk.fibers.io.internal.Utf8;

import io.netty.buffer.Unpooled;

import java.net.InetSocketAddress;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;

/**
 * The unit that a {@link UdpSocket} sends and receives: bytes that arrive together or not at all,
 * and the address of the other side. Immutable.
 */
public final class Datagram {
    private final byte[] bytes;
    private final InetSocketAddress address;

    private Datagram(byte[] bytes, InetSocketAddress address) {
        this.bytes = bytes;
        this.address = address;
    }

    /** The array belongs to it from now on. */
    static Datagram owning(byte[] bytes, InetSocketAddress address) {
        return new Datagram(bytes, address);
    }

    /**
     * {@return a datagram of bytes}
     *
     * @param bytes what is sent; copied
     * @param address where to
     * @throws IllegalArgumentException if the address is the name of a host that was not looked up
     */
    public static Datagram of(byte[] bytes, InetSocketAddress address) {
        return new Datagram(bytes.clone(), resolved(address));
    }

    /**
     * {@return a datagram of text, as UTF-8}
     *
     * @param text what is sent
     * @param address where to
     * @throws CodecException if it has one half of a character alone, which is nothing in UTF-8
     * @throws IllegalArgumentException as {@link #of(byte[], InetSocketAddress)}
     */
    public static Datagram of(String text, InetSocketAddress address) {
        InetSocketAddress to = resolved(address);
        return new Datagram(CodecException.encoded(text, Addresses.text(to)), to);
    }

    static InetSocketAddress resolved(InetSocketAddress address) {
        if (Objects.requireNonNull(address, "address").isUnresolved()) {
            throw new IllegalArgumentException(
                    "the host of "
                            + address
                            + " was not looked up; Blocking.call(() -> InetAddress.getByName(host))"
                            + " does that");
        }
        return address;
    }

    /**
     * {@return a datagram to the sender of this one}
     *
     * @param answer what is sent; copied
     */
    public Datagram answer(byte[] answer) {
        return of(answer, address);
    }

    /**
     * {@return a datagram of text, as UTF-8, to the sender of this one}
     *
     * @param answer what is sent
     * @throws CodecException as {@link #of(String, InetSocketAddress)}
     */
    public Datagram answer(String answer) {
        return of(answer, address);
    }

    /** {@return its bytes, a copy} */
    public byte[] bytes() {
        return bytes.clone();
    }

    /**
     * {@return its bytes as UTF-8}
     *
     * @throws CodecException if they are no UTF-8; {@link #bytes} has them
     */
    public String text() {
        String text = new String(bytes, StandardCharsets.UTF_8);
        String fault = Utf8.fault(Unpooled.wrappedBuffer(bytes), 0, bytes.length, text);
        if (fault != null) {
            throw new CodecException(
                    "no text: " + this + ": " + fault + "; bytes() has them",
                    new MalformedInputException(1));
        }
        return text;
    }

    /** {@return how many bytes it has} */
    public int length() {
        return bytes.length;
    }

    /** {@return the other side: where it came from, or where it is to go} */
    public InetSocketAddress address() {
        return address;
    }

    /** Not to be changed. */
    byte[] content() {
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Datagram that
                && Arrays.equals(bytes, that.bytes)
                && address.equals(that.address);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(bytes) + address.hashCode();
    }

    @Override
    public String toString() {
        return "datagram of " + bytes.length + " bytes, other side " + Addresses.text(address);
    }
}
