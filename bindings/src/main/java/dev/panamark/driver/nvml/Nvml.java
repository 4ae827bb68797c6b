package dev.panamark.driver.nvml;

import dev.panamark.ffi.Availability;
import dev.panamark.ffi.LibrarySearch;
import dev.panamark.ffi.LibrarySearch.Candidate;
import dev.panamark.ffi.OwnedHandle;
import dev.panamark.ffi.SharedLibrary;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetCount_v2;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetHandleByIndex_v2;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetHandleByPciBusId_v2;
import dev.panamark.raw.nvml.PFN_nvmlDeviceGetHandleByUUID;
import dev.panamark.raw.nvml.PFN_nvmlInit_v2;
import dev.panamark.raw.nvml.PFN_nvmlShutdown;
import dev.panamark.raw.nvml.PFN_nvmlSystemGetDriverVersion;
import dev.panamark.raw.nvml.PFN_nvmlSystemGetNVMLVersion;
import dev.panamark.raw.nvml.nvml_h;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/**
 * NVML, initialized until it is closed. NVML counts initializations, so each who needs it finds his own and closes it; the
 * library itself stays loaded for as long as the process runs.
 */
public final class Nvml implements AutoCloseable {
    /** The environment variable that names another library. */
    public static final String VARIABLE = "PANAMARK_NVML";

    private static final LibrarySearch USUAL = new LibrarySearch(
            List.of(
                    Candidate.of("libnvidia-ml.so.1"),
                    Candidate.of("/usr/lib/wsl/lib/libnvidia-ml.so.1"),
                    Candidate.of("/usr/local/nvidia/lib64/libnvidia-ml.so.1"),
                    Candidate.of("/run/opengl-driver/lib/libnvidia-ml.so.1")),
            "Install NVIDIA's driver (https://www.nvidia.com/drivers), start containers with access to GPUs and to "
                    + "utilities (docker run --gpus all; NVIDIA_DRIVER_CAPABILITIES=compute,utility), or set "
                    + VARIABLE
                    + " to its libnvidia-ml.so.1");

    private final NvmlCalls calls;
    private final OwnedHandle handle;

    private Nvml(NvmlCalls calls) {
        this.calls = calls;
        this.handle = OwnedHandle.root("NVML", this::shutdown);
    }

    /**
     * Loads the library and initializes it ({@code nvmlInit_v2}): the one that {@link #VARIABLE} names, otherwise
     * {@code libnvidia-ml.so.1} where the loader finds it, WSL, Kubernetes and NixOS have it.
     *
     * @return why not, and what to do, where there is none or it fails
     */
    public static Availability<Nvml> find(Map<String, String> env) {
        return switch (USUAL.chosenBy(VARIABLE, env).open()) {
            case Availability.Available<SharedLibrary>(SharedLibrary library) -> initialized(library);
            case Availability.Unavailable<SharedLibrary> none -> none.as();
        };
    }

    private static Availability<Nvml> initialized(SharedLibrary library) {
        NvmlCalls calls = new NvmlCalls(library);
        if (!(calls.availability(NvmlFunction.INIT) instanceof Availability.Available<NvmlFunction>)) {
            return Availability.missing(
                    library.file() + " has no nvmlInit_v2, so it is no NVML",
                    "Set " + VARIABLE + " to the driver's libnvidia-ml.so.1, or unset it to search the usual places");
        }
        int status = PFN_nvmlInit_v2.invoke(calls.address(NvmlFunction.INIT));
        return status == nvml_h.NVML_SUCCESS()
                ? Availability.of(new Nvml(calls))
                : Availability.missing(
                        library.file() + ": "
                                + calls.failure(NvmlFunction.INIT, status, "").getMessage(),
                        NvmlRemedy.of(status));
    }

    private void shutdown() {
        calls.check(NvmlFunction.SHUTDOWN, PFN_nvmlShutdown.invoke(calls.address(NvmlFunction.SHUTDOWN)));
    }

    /** Where the library lies. */
    public String file() {
        return calls.file();
    }

    /** Whether the library has a function; otherwise why not. */
    public Availability<NvmlFunction> has(NvmlFunction function) {
        return calls.availability(function);
    }

    /** The driver's version, {@code 580.65.06} ({@code nvmlSystemGetDriverVersion}). */
    public String driverVersion() {
        handle.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            int room = nvml_h.NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE();
            MemorySegment text = arena.allocate(room);
            calls.check(
                    NvmlFunction.SYSTEM_GET_DRIVER_VERSION,
                    PFN_nvmlSystemGetDriverVersion.invoke(
                            calls.address(NvmlFunction.SYSTEM_GET_DRIVER_VERSION), text, room));
            return text.getString(0);
        }
    }

    /** The library's own version, {@code 13.580.65.06} ({@code nvmlSystemGetNVMLVersion}). */
    public String version() {
        handle.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            int room = nvml_h.NVML_SYSTEM_NVML_VERSION_BUFFER_SIZE();
            MemorySegment text = arena.allocate(room);
            calls.check(
                    NvmlFunction.SYSTEM_GET_NVML_VERSION,
                    PFN_nvmlSystemGetNVMLVersion.invoke(
                            calls.address(NvmlFunction.SYSTEM_GET_NVML_VERSION), text, room));
            return text.getString(0);
        }
    }

    /** How many GPUs there are, whatever CUDA_VISIBLE_DEVICES hides ({@code nvmlDeviceGetCount}). */
    public int deviceCount() {
        handle.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(nvml_h.C_INT);
            calls.check(
                    NvmlFunction.DEVICE_GET_COUNT,
                    PFN_nvmlDeviceGetCount_v2.invoke(calls.address(NvmlFunction.DEVICE_GET_COUNT), count));
            return count.get(nvml_h.C_INT, 0);
        }
    }

    /**
     * A GPU ({@code nvmlDeviceGetHandleByIndex}).
     *
     * @param index from 0 to {@link #deviceCount()} - 1, in the order of the PCI bus, as nvidia-smi numbers them; CUDA's
     *     ordinals are others, so devices are told by {@link NvmlDevice#uuid()}
     */
    public NvmlDevice device(int index) {
        handle.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment device = arena.allocate(nvml_h.C_POINTER);
            int status = PFN_nvmlDeviceGetHandleByIndex_v2.invoke(
                    calls.address(NvmlFunction.DEVICE_GET_HANDLE_BY_INDEX), index, device);
            return made(NvmlFunction.DEVICE_GET_HANDLE_BY_INDEX, status, "device " + index, device);
        }
    }

    /**
     * A GPU, or an instance of MIG ({@code nvmlDeviceGetHandleByUUID}).
     *
     * @param uuid {@code GPU-…} or {@code MIG-…}
     */
    public NvmlDevice deviceOfUuid(String uuid) {
        handle.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment device = arena.allocate(nvml_h.C_POINTER);
            int status = PFN_nvmlDeviceGetHandleByUUID.invoke(
                    calls.address(NvmlFunction.DEVICE_GET_HANDLE_BY_UUID), arena.allocateFrom(uuid), device);
            return made(NvmlFunction.DEVICE_GET_HANDLE_BY_UUID, status, "device " + uuid, device);
        }
    }

    /**
     * A GPU by its place ({@code nvmlDeviceGetHandleByPciBusId}).
     *
     * @param busId {@code 0000:c1:00.0}, as CUDA writes it
     */
    public NvmlDevice deviceOfPciBusId(String busId) {
        handle.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment device = arena.allocate(nvml_h.C_POINTER);
            int status = PFN_nvmlDeviceGetHandleByPciBusId_v2.invoke(
                    calls.address(NvmlFunction.DEVICE_GET_HANDLE_BY_PCI_BUS_ID), arena.allocateFrom(busId), device);
            return made(NvmlFunction.DEVICE_GET_HANDLE_BY_PCI_BUS_ID, status, "device " + busId, device);
        }
    }

    private NvmlDevice made(NvmlFunction function, int status, String asked, MemorySegment device) {
        if (status != nvml_h.NVML_SUCCESS()) {
            throw calls.failure(function, status, asked + " was asked for");
        }
        return new NvmlDevice(calls, handle, device.get(nvml_h.C_POINTER, 0));
    }

    /** Gives its initialization back, once ({@code nvmlShutdown}). */
    @Override
    public void close() {
        handle.close();
    }
}
