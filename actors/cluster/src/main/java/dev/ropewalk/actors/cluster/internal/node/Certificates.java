package dev.ropewalk.actors.cluster.internal.node;

import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;

import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** Whether a certificate, which TLS has found to be trusted, is for a node. */
public final class Certificates {
    /** Of the alternative names of a subject: one of DNS. */
    private static final int DNS = 2;

    private Certificates() {}

    /**
     * Whether the other side has shown a certificate with that name: among its DNS names, or, if it
     * has none, as its common name.
     */
    public static boolean isFor(SSLSession session, String name) {
        try {
            Certificate[] chain = session.getPeerCertificates();
            return chain.length > 0
                    && chain[0] instanceof X509Certificate certificate
                    && isFor(certificate, name);
        } catch (SSLPeerUnverifiedException none) {
            return false;
        }
    }

    private static boolean isFor(X509Certificate certificate, String name) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            if (names != null) {
                boolean hasDns = false;
                for (List<?> each : names) {
                    if (each.get(0) instanceof Integer sort && sort == DNS) {
                        hasDns = true;
                        if (name.equals(each.get(1))) {
                            return true;
                        }
                    }
                }
                if (hasDns) {
                    return false;
                }
            }
            return name.equals(commonName(certificate));
        } catch (CertificateParsingException | InvalidNameException unreadable) {
            return false;
        }
    }

    private static Object commonName(X509Certificate certificate) throws InvalidNameException {
        LdapName subject = new LdapName(certificate.getSubjectX500Principal().getName());
        for (Rdn each : subject.getRdns()) {
            if (each.getType().equalsIgnoreCase("CN")) {
                return each.getValue();
            }
        }
        return "";
    }
}
