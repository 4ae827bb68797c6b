package dev.panamark.driver.cuda;

import dev.panamark.raw.cuda.CUuuid_st;
import dev.panamark.raw.cuda.PFN_cuDeviceGetAttribute;
import dev.panamark.raw.cuda.PFN_cuDeviceGetName;
import dev.panamark.raw.cuda.PFN_cuDeviceGetPCIBusId;
import dev.panamark.raw.cuda.PFN_cuDeviceGetUuid_v2;
import dev.panamark.raw.cuda.PFN_cuDevicePrimaryCtxReset_v2;
import dev.panamark.raw.cuda.PFN_cuDevicePrimaryCtxRetain;
import dev.panamark.raw.cuda.PFN_cuDeviceTotalMem_v2;
import dev.panamark.raw.cuda.cuda_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.UUID;

/** A device of the driver's. */
public final class CudaDevice {
    private static final int NAME_BYTES = 256;

    /** {@code 00000000:c1:00.0} and its end. */
    private static final int BUS_ID_BYTES = 32;

    private final CudaCalls calls;
    private final int ordinal;
    private final int handle;

    CudaDevice(CudaCalls calls, int ordinal, int handle) {
        this.calls = calls;
        this.ordinal = ordinal;
        this.handle = handle;
    }

    /** Its place among the devices that the process may use. */
    public int ordinal() {
        return ordinal;
    }

    /** What the maker calls it ({@code cuDeviceGetName}). */
    public String name() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(NAME_BYTES);
            calls.check(
                    CudaFunction.DEVICE_GET_NAME,
                    PFN_cuDeviceGetName.invoke(
                            calls.address(CudaFunction.DEVICE_GET_NAME), name, NAME_BYTES - 1, handle));
            return name.getString(0);
        }
    }

    /** Identifies it on every machine; under MIG its instance ({@code cuDeviceGetUuid}). */
    public UUID uuid() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment uuid = CUuuid_st.allocate(arena);
            calls.check(
                    CudaFunction.DEVICE_GET_UUID,
                    PFN_cuDeviceGetUuid_v2.invoke(calls.address(CudaFunction.DEVICE_GET_UUID), uuid, handle));
            ValueLayout.OfLong half = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
            return new UUID(uuid.get(half, 0), uuid.get(half, half.byteSize()));
        }
    }

    /** A property ({@code cuDeviceGetAttribute}). */
    public int attribute(DeviceAttribute attribute) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment value = arena.allocate(cuda_h.C_INT);
            int status = PFN_cuDeviceGetAttribute.invoke(
                    calls.address(CudaFunction.DEVICE_GET_ATTRIBUTE), value, attribute.code(), handle);
            if (status != cuda_h.CUDA_SUCCESS()) {
                throw calls.failure(CudaFunction.DEVICE_GET_ATTRIBUTE, status, attribute + " was asked for");
            }
            return value.get(cuda_h.C_INT, 0);
        }
    }

    /** Bytes of its memory ({@code cuDeviceTotalMem}). */
    public long totalMemory() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(cuda_h.C_LONG);
            calls.check(
                    CudaFunction.DEVICE_TOTAL_MEM,
                    PFN_cuDeviceTotalMem_v2.invoke(calls.address(CudaFunction.DEVICE_TOTAL_MEM), bytes, handle));
            return bytes.get(cuda_h.C_LONG, 0);
        }
    }

    /** Where it sits, {@code 0000:c1:00.0} ({@code cuDeviceGetPCIBusId}). */
    public String pciBusId() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment id = arena.allocate(BUS_ID_BYTES);
            calls.check(
                    CudaFunction.DEVICE_GET_PCI_BUS_ID,
                    PFN_cuDeviceGetPCIBusId.invoke(
                            calls.address(CudaFunction.DEVICE_GET_PCI_BUS_ID), id, BUS_ID_BYTES - 1, handle));
            return id.getString(0);
        }
    }

    /**
     * Takes part in the device's primary context, which every user within the process shares
     * ({@code cuDevicePrimaryCtxRetain}). It is not yet current on any thread.
     */
    public CudaContext retainPrimaryContext() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment context = arena.allocate(cuda_h.C_POINTER);
            calls.check(
                    CudaFunction.DEVICE_PRIMARY_CTX_RETAIN,
                    PFN_cuDevicePrimaryCtxRetain.invoke(
                            calls.address(CudaFunction.DEVICE_PRIMARY_CTX_RETAIN), context, handle));
            return new CudaContext(calls, this, context.get(cuda_h.C_POINTER, 0));
        }
    }

    /**
     * Destroys everything in the primary context, whoever uses it, on this process's side only
     * ({@code cuDevicePrimaryCtxReset}).
     */
    public void resetPrimaryContext() {
        calls.check(
                CudaFunction.DEVICE_PRIMARY_CTX_RESET,
                PFN_cuDevicePrimaryCtxReset_v2.invoke(calls.address(CudaFunction.DEVICE_PRIMARY_CTX_RESET), handle));
    }

    /** Its {@code CUdevice}, for other libraries of NVIDIA's. */
    public int handle() {
        return handle;
    }

    @Override
    public String toString() {
        return "CUDA device " + ordinal;
    }
}
