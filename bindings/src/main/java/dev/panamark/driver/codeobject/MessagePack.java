package dev.panamark.driver.codeobject;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads a MessagePack document (the format's specification, "Formats") of what metadata notes consist of: {@link String},
 * {@link Long}, {@link Boolean}, {@link List} and {@link Map}. A size is believed only as far as there are bytes for it.
 */
final class MessagePack {
    /** More is no metadata's: they have five levels. */
    private static final int MOST_LEVELS = 16;

    private final ByteBuffer bytes;

    private MessagePack(ByteBuffer bytes) {
        this.bytes = bytes;
    }

    /** The document that the bytes begin with. */
    static Object read(ByteBuffer bytes) {
        try {
            return new MessagePack(bytes).value(0);
        } catch (BufferUnderflowException e) {
            throw new CodeObjectException(
                    "the metadata note ends at byte " + bytes.limit() + ", within a value of its document", e);
        }
    }

    private Object value(int level) {
        if (level > MOST_LEVELS) {
            throw refusal("has more than " + MOST_LEVELS + " levels", bytes.position());
        }
        int at = bytes.position();
        int code = bytes.get() & 0xff;
        if (code <= 0x7f) {
            return (long) code;
        }
        if (code >= 0xe0) {
            return (long) (byte) code;
        }
        if (code <= 0x8f) {
            return map(code & 0xf, level);
        }
        if (code <= 0x9f) {
            return list(code & 0xf, level);
        }
        if (code <= 0xbf) {
            return text(code & 0x1f);
        }
        return switch (code) {
            case 0xc2 -> false;
            case 0xc3 -> true;
            case 0xcc -> (long) (bytes.get() & 0xff);
            case 0xcd -> (long) (bytes.getShort() & 0xffff);
            case 0xce -> bytes.getInt() & 0xffffffffL;
            case 0xcf, 0xd3 -> bytes.getLong();
            case 0xd0 -> (long) bytes.get();
            case 0xd1 -> (long) bytes.getShort();
            case 0xd2 -> (long) bytes.getInt();
            case 0xd9 -> text(bytes.get() & 0xff);
            case 0xda -> text(bytes.getShort() & 0xffff);
            case 0xdb -> text(bytes.getInt());
            case 0xdc -> list(bytes.getShort() & 0xffff, level);
            case 0xdd -> list(bytes.getInt(), level);
            case 0xde -> map(bytes.getShort() & 0xffff, level);
            case 0xdf -> map(bytes.getInt(), level);
            default -> throw refusal("has a value of type 0x" + Integer.toHexString(code), at);
        };
    }

    private String text(int length) {
        requireRoom(length, 1);
        byte[] text = new byte[length];
        bytes.get(text);
        return new String(text, StandardCharsets.UTF_8);
    }

    private List<Object> list(int count, int level) {
        requireRoom(count, 1);
        List<Object> all = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            all.add(value(level + 1));
        }
        return all;
    }

    private Map<String, Object> map(int count, int level) {
        requireRoom(count, 2);
        Map<String, Object> all = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            int at = bytes.position();
            if (!(value(level + 1) instanceof String key)) {
                throw refusal("has a key that is no text", at);
            }
            all.put(key, value(level + 1));
        }
        return all;
    }

    /** Each element takes a byte at least; a negative count is one beyond 2^31. */
    private void requireRoom(int count, int least) {
        if (count < 0 || count > bytes.remaining() / least) {
            throw new BufferUnderflowException();
        }
    }

    private static CodeObjectException refusal(String what, int at) {
        return new CodeObjectException("the metadata note's document " + what + " at byte " + at
                + "; expected maps, lists, text, whole numbers and truth values");
    }
}
