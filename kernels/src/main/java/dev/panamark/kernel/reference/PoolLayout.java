package dev.panamark.kernel.reference;

import dev.panamark.kernel.Buffer;
import dev.panamark.kernel.Shape;
import dev.panamark.kernel.format.DataType;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * How keys and values lie in a pool of pages. {@code nhd} and {@code hnd}, as FlashInfer: {@code kv} [num_pages, 2, page,
 * kv_heads, head_dim] and [num_pages, 2, kv_heads, page, head_dim]. {@code vllm}, that library's legacy layout: {@code k}
 * [num_pages, kv_heads, head_dim/x, page, x], x elements in 16 bytes, and {@code v} [num_pages, kv_heads, head_dim, page].
 */
enum PoolLayout {
    NHD,
    HND,
    VLLM;

    /** Complains about a convention {@code layout} that is none. */
    static void check(Faults faults) {
        faults.word("layout", Arrays.stream(values()).map(PoolLayout::word).toArray(String[]::new));
    }

    /** What the convention says; NHD where it says nothing. */
    static PoolLayout of(Subject subject) {
        return Arrays.stream(values())
                .filter(l -> l.word().equals(subject.word("layout", "nhd")))
                .findFirst()
                .orElse(NHD);
    }

    private String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Name of the buffer that holds keys (part 0) or values (part 1). */
    String pool(int part) {
        return this == VLLM ? (part == 0 ? "k" : "v") : "kv";
    }

    /** Tokens of a page. */
    long pageTokens(Shape keys) {
        return keys.dim(this == NHD ? 2 : 3);
    }

    /** The position of an element in its pool. */
    long position(Shape pool, int part, long page, long slot, long head, long d) {
        return switch (this) {
            case NHD -> pool.offset(page, part, slot, head, d);
            case HND -> pool.offset(page, part, head, slot, d);
            case VLLM -> {
                if (part == 1) {
                    yield pool.offset(page, head, d, slot);
                }
                long x = pool.dim(4);
                yield pool.offset(page, head, d / x, slot, d % x);
            }
        };
    }

    /** Complains about pools that are not of this layout, or do not fit what is gathered from or written to them. */
    void checkShapes(Faults faults, boolean written, Buffer like, long heads, long dim) {
        if (this != VLLM) {
            String meaning = this == NHD
                    ? "[num_pages, 2, page, kv_heads, head_dim]"
                    : "[num_pages, 2, kv_heads, page, head_dim]";
            pool(faults, written, "kv", meaning, 5).ifPresent(kv -> {
                faults.type(kv, like.type());
                long pages = kv.shape().dim(0);
                long page = pageTokens(kv.shape());
                faults.shape(
                        kv,
                        meaning,
                        this == NHD ? List.of(pages, 2L, page, heads, dim) : List.of(pages, 2L, heads, page, dim));
            });
            return;
        }
        String keys = "[num_pages, kv_heads, head_dim/x, page, x]";
        String values = "[num_pages, kv_heads, head_dim, page]";
        Optional<Buffer> k = pool(faults, written, "k", keys, 5);
        Optional<Buffer> v = pool(faults, written, "v", values, 4);
        if (k.isPresent() && v.isPresent()) {
            DataType type = like.type();
            faults.type(k.get(), type);
            faults.type(v.get(), type);
            long pages = k.get().shape().dim(0);
            long page = pageTokens(k.get().shape());
            long x = 16 / type.bytes();
            faults.shape(k.get(), keys, List.of(pages, heads, Math.ceilDiv(dim, x), page, x));
            faults.shape(v.get(), values, List.of(pages, heads, dim, page));
        }
    }

    private static Optional<Buffer> pool(Faults faults, boolean written, String role, String meaning, int rank) {
        Optional<Buffer> found = written ? faults.output(role, meaning) : faults.input(role, meaning);
        return found.filter(b -> faults.rank(b, meaning, rank));
    }
}
