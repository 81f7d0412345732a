package dev.ropewalk.channels.http;

import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;

/** Netty's, told which responses are heads alone. */
final class ResponseEncoder extends HttpResponseEncoder {
    /** The answer to a HEAD: it tells of a body that does not follow. */
    static final class Head extends DefaultHttpResponse {
        Head(HttpResponseStatus status, io.netty.handler.codec.http.HttpHeaders headers) {
            super(HttpVersion.HTTP_1_1, status, headers);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpResponse response) {
        return response instanceof Head || super.isContentAlwaysEmpty(response);
    }
}
