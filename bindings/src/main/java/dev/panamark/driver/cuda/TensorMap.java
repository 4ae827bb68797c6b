package dev.panamark.driver.cuda;

import dev.panamark.raw.cuda.CUtensorMap_st;
import dev.panamark.raw.cuda.PFN_cuTensorMapEncodeTiled;
import dev.panamark.raw.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.List;

/**
 * How the units that copy tensors (TMA) see a tensor in memory. Encoded by the driver, then given to a kernel as a
 * parameter.
 *
 * @param type of the elements
 * @param address of the first element, on the device; a multiple of 16
 * @param extents elements in each dimension, the innermost first; 1 to 5 of them
 * @param strides bytes from one element to the next in each dimension but the innermost, each a multiple of 16
 * @param box elements of a copy in each dimension, at most 256 each
 * @param steps elements from one that is copied to the next, in each dimension; 1 copies all
 * @param swizzle how the copy lies in shared memory
 * @param promotion how much of L2 one access brings along
 * @param nanOutside whether elements outside read as NaN, where otherwise they are zero
 */
public record TensorMap(
        Type type,
        long address,
        List<Long> extents,
        List<Long> strides,
        List<Integer> box,
        List<Integer> steps,
        Swizzle swizzle,
        Promotion promotion,
        boolean nanOutside) {
    /** Bytes of an encoded map. */
    public static final long BYTES = CUtensorMap_st.sizeof();

    /** What an encoded map must be aligned to, also among a kernel's parameters: {@code alignas} of its type in CUDA 13.0. */
    public static final long ALIGNMENT = 128;

    /** Types of elements. */
    public enum Type {
        UINT8(cuda_h.CU_TENSOR_MAP_DATA_TYPE_UINT8()),
        UINT16(cuda_h.CU_TENSOR_MAP_DATA_TYPE_UINT16()),
        UINT32(cuda_h.CU_TENSOR_MAP_DATA_TYPE_UINT32()),
        INT32(cuda_h.CU_TENSOR_MAP_DATA_TYPE_INT32()),
        UINT64(cuda_h.CU_TENSOR_MAP_DATA_TYPE_UINT64()),
        INT64(cuda_h.CU_TENSOR_MAP_DATA_TYPE_INT64()),
        FLOAT16(cuda_h.CU_TENSOR_MAP_DATA_TYPE_FLOAT16()),
        FLOAT32(cuda_h.CU_TENSOR_MAP_DATA_TYPE_FLOAT32()),
        FLOAT64(cuda_h.CU_TENSOR_MAP_DATA_TYPE_FLOAT64()),
        BFLOAT16(cuda_h.CU_TENSOR_MAP_DATA_TYPE_BFLOAT16());

        private final int code;

        Type(int code) {
            this.code = code;
        }
    }

    /** Patterns in shared memory; the box's innermost bytes are at most the pattern's. */
    public enum Swizzle {
        NONE(cuda_h.CU_TENSOR_MAP_SWIZZLE_NONE()),
        B32(cuda_h.CU_TENSOR_MAP_SWIZZLE_32B()),
        B64(cuda_h.CU_TENSOR_MAP_SWIZZLE_64B()),
        B128(cuda_h.CU_TENSOR_MAP_SWIZZLE_128B());

        private final int code;

        Swizzle(int code) {
            this.code = code;
        }
    }

    /** Granularities of L2. */
    public enum Promotion {
        NONE(cuda_h.CU_TENSOR_MAP_L2_PROMOTION_NONE()),
        B128(cuda_h.CU_TENSOR_MAP_L2_PROMOTION_L2_128B());

        private final int code;

        Promotion(int code) {
            this.code = code;
        }
    }

    /** Copies the lists; refuses those that do not belong together. */
    public TensorMap {
        extents = List.copyOf(extents);
        strides = List.copyOf(strides);
        box = List.copyOf(box);
        steps = List.copyOf(steps);
        int rank = extents.size();
        if (rank < 1 || rank > 5 || strides.size() != rank - 1 || box.size() != rank || steps.size() != rank) {
            throw new IllegalArgumentException(
                    "a tensor map has 1 to 5 extents, as many box sizes and steps, and one stride less;" + " not "
                            + rank + ", " + box.size() + ", " + steps.size() + " and " + strides.size());
        }
    }

    /**
     * Has the driver encode it ({@code cuTensorMapEncodeTiled}, CUDA 12.0).
     *
     * @return {@link #BYTES} bytes, aligned to {@link #ALIGNMENT}
     * @throws IllegalStateException where the context is closed
     */
    public MemorySegment encode(CudaContext context, SegmentAllocator allocator) {
        context.requireOpen();
        CudaCalls calls = context.calls();
        MemorySegment encoded = allocator.allocate(BYTES, ALIGNMENT);
        try (Arena arena = Arena.ofConfined()) {
            int status = PFN_cuTensorMapEncodeTiled.invoke(
                    calls.address(CudaFunction.TENSOR_MAP_ENCODE_TILED),
                    encoded,
                    type.code,
                    extents.size(),
                    MemorySegment.ofAddress(address),
                    longs(arena, extents),
                    longs(arena, strides),
                    ints(arena, box),
                    ints(arena, steps),
                    cuda_h.CU_TENSOR_MAP_INTERLEAVE_NONE(),
                    swizzle.code,
                    promotion.code,
                    nanOutside
                            ? cuda_h.CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA()
                            : cuda_h.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE());
            if (status != cuda_h.CUDA_SUCCESS()) {
                throw calls.failure(CudaFunction.TENSOR_MAP_ENCODE_TILED, status, toString());
            }
        }
        return encoded;
    }

    private static MemorySegment longs(Arena arena, List<Long> values) {
        return arena.allocateFrom(
                cuda_h.C_LONG_LONG, values.stream().mapToLong(Long::longValue).toArray());
    }

    private static MemorySegment ints(Arena arena, List<Integer> values) {
        return arena.allocateFrom(
                cuda_h.C_INT, values.stream().mapToInt(Integer::intValue).toArray());
    }
}
