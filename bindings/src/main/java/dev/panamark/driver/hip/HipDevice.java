package dev.panamark.driver.hip;

import dev.panamark.ffi.Availability;
import dev.panamark.raw.hip.PFN_hipDeviceGetAttribute;
import dev.panamark.raw.hip.PFN_hipDeviceGetName;
import dev.panamark.raw.hip.PFN_hipDeviceGetPCIBusId;
import dev.panamark.raw.hip.PFN_hipDeviceGetUuid;
import dev.panamark.raw.hip.PFN_hipDeviceReset;
import dev.panamark.raw.hip.PFN_hipDeviceTotalMem;
import dev.panamark.raw.hip.PFN_hipGetDevicePropertiesR0000;
import dev.panamark.raw.hip.PFN_hipGetDevicePropertiesR0600;
import dev.panamark.raw.hip.PFN_hipSetDevice;
import dev.panamark.raw.hip.hipDeviceProp_tR0000;
import dev.panamark.raw.hip.hipDeviceProp_tR0600;
import dev.panamark.raw.hip.hipUUID_t;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** A device of the runtime's. */
public final class HipDevice {
    private static final int NAME_BYTES = 256;

    /** {@code 0000:c1:00.0} and its end. */
    private static final int BUS_ID_BYTES = 32;

    private final HipCalls calls;
    private final int ordinal;
    private final int handle;

    HipDevice(HipCalls calls, int ordinal, int handle) {
        this.calls = calls;
        this.ordinal = ordinal;
        this.handle = handle;
    }

    /** Its place among the devices that the process may use. */
    public int ordinal() {
        return ordinal;
    }

    /** What the maker calls it ({@code hipDeviceGetName}); may be empty where the library does not know its name. */
    public String name() {
        return calls.text(
                HipFunction.DEVICE_GET_NAME,
                NAME_BYTES,
                (f, out) -> PFN_hipDeviceGetName.invoke(f, out, NAME_BYTES - 1, handle));
    }

    /**
     * Identifies it on every machine ({@code hipDeviceGetUuid}, HIP 5.1). The sixteen bytes are the digits that rocminfo
     * shows behind {@code GPU-}; other bytes are given in hex.
     */
    public String uuid() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment uuid = hipUUID_t.allocate(arena);
            calls.check(
                    HipFunction.DEVICE_GET_UUID,
                    PFN_hipDeviceGetUuid.invoke(calls.address(HipFunction.DEVICE_GET_UUID), uuid, handle));
            byte[] bytes = uuid.toArray(ValueLayout.JAVA_BYTE);
            String digits = new String(bytes, StandardCharsets.ISO_8859_1);
            return "GPU-"
                    + (digits.matches("[0-9a-fA-F]{16}")
                            ? digits
                            : HexFormat.of().formatHex(bytes));
        }
    }

    /** A property ({@code hipDeviceGetAttribute}). */
    public int attribute(DeviceAttribute attribute) {
        return calls.integer(
                HipFunction.DEVICE_GET_ATTRIBUTE,
                attribute::toString,
                (f, out) -> PFN_hipDeviceGetAttribute.invoke(f, out, attribute.code(), handle));
    }

    /** Bytes of its memory ({@code hipDeviceTotalMem}). */
    public long totalMemory() {
        return calls.word(
                HipFunction.DEVICE_TOTAL_MEM, () -> "", (f, out) -> PFN_hipDeviceTotalMem.invoke(f, out, handle));
    }

    /** Where it sits, {@code 0000:c1:00.0} ({@code hipDeviceGetPCIBusId}). */
    public String pciBusId() {
        return calls.text(
                HipFunction.DEVICE_GET_PCI_BUS_ID,
                BUS_ID_BYTES,
                (f, out) -> PFN_hipDeviceGetPCIBusId.invoke(f, out, BUS_ID_BYTES - 1, handle));
    }

    /**
     * The target that code must be for, {@code gfx942:sramecc+:xnack-}: the one property that only the structure of all of
     * them has ({@code hipGetDevicePropertiesR0600} of 6.0 and later, otherwise {@code hipGetDeviceProperties}, whose layout
     * is another).
     */
    public String target() {
        boolean current = calls.availability(HipFunction.GET_DEVICE_PROPERTIES_R0600) instanceof Availability.Available;
        try (Arena arena = Arena.ofConfined()) {
            if (current) {
                MemorySegment properties = hipDeviceProp_tR0600.allocate(arena);
                calls.check(
                        HipFunction.GET_DEVICE_PROPERTIES_R0600,
                        PFN_hipGetDevicePropertiesR0600.invoke(
                                calls.address(HipFunction.GET_DEVICE_PROPERTIES_R0600), properties, handle));
                return hipDeviceProp_tR0600.gcnArchName(properties).getString(0);
            }
            MemorySegment properties = hipDeviceProp_tR0000.allocate(arena);
            calls.check(
                    HipFunction.GET_DEVICE_PROPERTIES,
                    PFN_hipGetDevicePropertiesR0000.invoke(
                            calls.address(HipFunction.GET_DEVICE_PROPERTIES), properties, handle));
            return hipDeviceProp_tR0000.gcnArchName(properties).getString(0);
        }
    }

    /** The {@link #target()} without its features, {@code gfx942}. */
    public String processor() {
        return target().split(":", 2)[0];
    }

    /** A part in the use of the device. It is not yet current on any thread. */
    public HipContext open() {
        return new HipContext(calls, this);
    }

    /**
     * Destroys everything that this process made on the device, whoever uses it, and makes the device the calling thread's
     * ({@code hipSetDevice}, {@code hipDeviceReset}).
     */
    public void reset() {
        makeCurrent();
        calls.check(HipFunction.DEVICE_RESET, PFN_hipDeviceReset.invoke(calls.address(HipFunction.DEVICE_RESET)));
    }

    void makeCurrent() {
        calls.check(HipFunction.SET_DEVICE, PFN_hipSetDevice.invoke(calls.address(HipFunction.SET_DEVICE), ordinal));
    }

    @Override
    public String toString() {
        return "HIP device " + ordinal;
    }
}
