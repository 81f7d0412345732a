package dev.ropewalk.channels.http;

import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;

/**
 * Netty's, but strict: a request that has both a length and chunks is refused, because two programs
 * in a row that read it in two ways take a part of its body for another request.
 */
final class RequestDecoder extends HttpRequestDecoder {
    RequestDecoder(HttpOptions options) {
        super(Wire.decoding(options));
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage request) {
        request.setDecoderResult(
                DecoderResult.failure(
                        new IllegalArgumentException("Content-Length and Transfer-Encoding")));
    }
}
