package dev.ropewalk.examples.kv;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.MessageToByteEncoder;

import java.util.List;

/**
 * Makes bytes of the replies of a turn, all in one buffer. Netty's encoder makes four buffers and a
 * promise for each value, which took more of a turn than the commands.
 */
final class ReplyEncoder extends MessageToByteEncoder<List<Reply>> {
    private static final byte[] LINE_END = {'\r', '\n'};
    private static final byte[] NO_VALUE = Reply.bytes("$-1\r\n");
    private static final byte[] NO_VALUE_3 = Reply.bytes("_\r\n");

    /** Replies of RESP3, from the {@link Reply.Speak} on that says so. */
    private boolean isResp3;

    @Override
    protected void encode(ChannelHandlerContext context, List<Reply> replies, ByteBuf out) {
        for (int i = 0; i < replies.size(); i++) {
            encode(replies.get(i), out);
        }
    }

    private void encode(Reply reply, ByteBuf out) {
        switch (reply) {
            case Reply.Line line -> text('+', line.text(), out);
            case Reply.Failure failure -> text('-', oneLine(failure.text()), out);
            case Reply.Whole number -> number(':', number.value(), out);
            case Reply.Bytes bytes -> {
                byte[] value = bytes.value();
                if (value == null) {
                    out.writeBytes(isResp3 ? NO_VALUE_3 : NO_VALUE);
                } else {
                    number('$', value.length, out);
                    out.writeBytes(value).writeBytes(LINE_END);
                }
            }
            case Reply.Many many -> all('*', many.parts().size(), many.parts(), out);
            case Reply.Push push ->
                    all(isResp3 ? '>' : '*', push.parts().size(), push.parts(), out);
            case Reply.Pairs pairs -> {
                int count = pairs.parts().size();
                all(isResp3 ? '%' : '*', isResp3 ? count / 2 : count, pairs.parts(), out);
            }
            case Reply.Speak speak -> {
                isResp3 = speak.version() == 3;
                encode(speak.reply(), out);
            }
        }
    }

    private void all(char kind, int count, List<? extends Reply> parts, ByteBuf out) {
        number(kind, count, out);
        parts.forEach(each -> encode(each, out));
    }

    private static void text(char kind, String text, ByteBuf out) {
        out.writeByte(kind).writeBytes(Reply.bytes(text)).writeBytes(LINE_END);
    }

    private static void number(char kind, long value, ByteBuf out) {
        out.writeByte(kind);
        if (value >= 0 && value < 10) {
            out.writeByte((int) ('0' + value));
        } else {
            ByteBufUtil.writeAscii(out, Long.toString(value));
        }
        out.writeBytes(LINE_END);
    }

    private static String oneLine(String text) {
        return text.replace('\r', ' ').replace('\n', ' ');
    }
}
