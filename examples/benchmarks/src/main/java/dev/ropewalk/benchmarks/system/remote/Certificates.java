package dev.ropewalk.benchmarks.system.remote;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** An authority, and certificates that it signs, as files that go with the process. */
final class Certificates {
    private final X509Bundle authority;

    /** Files in PEM. */
    record Pem(Path trust, Path chain, Path key) {}

    Certificates() {
        try {
            authority =
                    new CertificateBuilder()
                            .ecp256()
                            .subject("CN=benchmarks")
                            .setIsCertificateAuthority(true)
                            .buildSelfSigned();
        } catch (Exception broken) {
            throw new IllegalStateException("no certificate can be made", broken);
        }
    }

    /** {@return those of a node of that name, which is on this machine} */
    Pem of(String name) {
        X509Bundle signed;
        try {
            signed =
                    new CertificateBuilder()
                            .ecp256()
                            .subject("CN=" + name)
                            .addSanDnsName(name)
                            .addSanDnsName("localhost")
                            .addSanIpAddress("127.0.0.1")
                            .buildIssuedBy(authority);
        } catch (Exception broken) {
            throw new IllegalStateException("no certificate can be made for " + name, broken);
        }
        try {
            return new Pem(
                    write(authority.getCertificatePEM()),
                    write(signed.getCertificatePathPEM()),
                    write(signed.getPrivateKeyPEM()));
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    private static Path write(String text) throws IOException {
        Path file = Files.createTempFile("benchmarks", ".pem");
        file.toFile().deleteOnExit();
        return Files.writeString(file, text);
    }
}
