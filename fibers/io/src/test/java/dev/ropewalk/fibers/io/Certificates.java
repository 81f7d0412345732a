package dev.ropewalk.fibers.io;

import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;

/** Certificates of tests, as PEM files in a folder. */
final class Certificates {
    private final Path folder;

    Certificates(Path folder) {
        this.folder = folder;
    }

    /** The files of one identity. */
    record Files3(Path trust, Path certificates, Path key) {
        /** Of sockets of the JDK, which trust it, and do what a connection of ours would not. */
        SSLSocketFactory clientsOfTheJdk() throws SSLException {
            SslContextBuilder builder = SslContextBuilder.forClient().trustManager(trust.toFile());
            return ((JdkSslContext) builder.sslProvider(SslProvider.JDK).build())
                    .context()
                    .getSocketFactory();
        }
    }

    /** One that an authority of its own has signed, for hosts and 127.0.0.1 if there are none. */
    Files3 make(String name, String... hosts) throws Exception {
        X509Bundle authority =
                new CertificateBuilder()
                        .ecp256()
                        .subject("CN=authority of " + name)
                        .setIsCertificateAuthority(true)
                        .buildSelfSigned();
        CertificateBuilder builder = new CertificateBuilder().ecp256().subject("CN=" + name);
        for (String host : hosts) {
            builder.addSanDnsName(host);
        }
        if (hosts.length == 0) {
            builder.addSanIpAddress("127.0.0.1");
        }
        X509Bundle signed = builder.buildIssuedBy(authority);
        return new Files3(
                write(name + ".trust", authority.getCertificatePEM()),
                write(name + ".chain", signed.getCertificatePathPEM()),
                write(name + ".key", signed.getPrivateKeyPEM()));
    }

    /** Puts the files of one in the place of those of another. */
    static void replace(Files3 old, Files3 with) throws IOException {
        Files.writeString(old.trust, Files.readString(with.trust));
        Files.writeString(old.certificates, Files.readString(with.certificates));
        Files.writeString(old.key, Files.readString(with.key));
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name + ".pem"), text);
    }
}
