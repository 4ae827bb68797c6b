package dev.panamark.driver.rocmsmi;

import dev.panamark.ffi.Availability;
import dev.panamark.ffi.LibrarySearch;
import dev.panamark.ffi.LibrarySearch.Candidate;
import dev.panamark.ffi.OwnedHandle;
import dev.panamark.ffi.SharedLibrary;
import dev.panamark.raw.rocmsmi.PFN_rsmi_dev_pci_id_get;
import dev.panamark.raw.rocmsmi.PFN_rsmi_init;
import dev.panamark.raw.rocmsmi.PFN_rsmi_num_monitor_devices;
import dev.panamark.raw.rocmsmi.PFN_rsmi_shut_down;
import dev.panamark.raw.rocmsmi.PFN_rsmi_version_get;
import dev.panamark.raw.rocmsmi.rocmsmi_h;
import dev.panamark.raw.rocmsmi.rsmi_version_t;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * ROCm SMI, initialized until it is closed. It counts initializations, so each who needs it finds his own and closes it; the
 * library itself stays loaded for as long as the process runs.
 */
public final class RocmSmi implements AutoCloseable {
    /** The environment variable that names another library. */
    public static final String VARIABLE = "PANAMARK_ROCM_SMI";

    /** Versions of the library's interface, newest first; that of Debian and of builds from source is 1. */
    private static final List<String> NAMES = List.of(
            "librocm_smi64.so.8",
            "librocm_smi64.so.7",
            "librocm_smi64.so.6",
            "librocm_smi64.so.5",
            "librocm_smi64.so.1");

    private static final LibrarySearch USUAL = new LibrarySearch(
            NAMES.stream()
                    .flatMap(name -> Stream.of(name, "/opt/rocm/lib/" + name))
                    .map(Candidate::of)
                    .toList(),
            "Install ROCm SMI (Debian: apt-get install librocm-smi64-1; AMD's packages: rocm-smi-lib), or set "
                    + VARIABLE + " to its librocm_smi64.so");

    private final RocmSmiCalls calls;
    private final KernelFiles files;
    private final OwnedHandle handle;

    private RocmSmi(RocmSmiCalls calls, KernelFiles files) {
        this.calls = calls;
        this.files = files;
        this.handle = OwnedHandle.root("ROCm SMI", this::shutDown);
    }

    /**
     * Loads the library and initializes it ({@code rsmi_init}): the one that {@link #VARIABLE} names, otherwise
     * {@code librocm_smi64.so} of the newest version that the loader finds or that lies below {@code /opt/rocm}. A machine
     * without what the library needs of the kernel is told so without a call.
     *
     * @return why not, and what to do, where there is none or it fails
     */
    public static Availability<RocmSmi> find(Map<String, String> env) {
        return find(env, KernelFiles.system());
    }

    static Availability<RocmSmi> find(Map<String, String> env, KernelFiles files) {
        return switch (USUAL.chosenBy(VARIABLE, env).open()) {
            case Availability.Available<SharedLibrary>(SharedLibrary library) -> initialized(library, files);
            case Availability.Unavailable<SharedLibrary> none -> none.as();
        };
    }

    private static Availability<RocmSmi> initialized(SharedLibrary library, KernelFiles files) {
        RocmSmiCalls calls = new RocmSmiCalls(library);
        if (!calls.has(RocmSmiFunction.INIT)) {
            return Availability.missing(
                    library.file() + " has no rsmi_init, so it is no ROCm SMI",
                    "Set " + VARIABLE + " to a librocm_smi64.so, or unset it to search the usual places");
        }
        Optional<String> refusal = files.againstInit();
        if (refusal.isPresent()) {
            return Availability.missing(refusal.get(), RocmSmiRemedy.of(rocmsmi_h.RSMI_STATUS_INIT_ERROR()));
        }
        int status = PFN_rsmi_init.invoke(calls.address(RocmSmiFunction.INIT), 0);
        return status == rocmsmi_h.RSMI_STATUS_SUCCESS()
                ? Availability.of(new RocmSmi(calls, files))
                : Availability.missing(
                        library.file() + ": "
                                + calls.failure(RocmSmiFunction.INIT, status, "")
                                        .getMessage(),
                        RocmSmiRemedy.of(status));
    }

    private void shutDown() {
        calls.check(RocmSmiFunction.SHUT_DOWN, PFN_rsmi_shut_down.invoke(calls.address(RocmSmiFunction.SHUT_DOWN)), "");
    }

    /** Where the library lies. */
    public String file() {
        return calls.file();
    }

    /**
     * The version that the library tells of itself ({@code rsmi_version_get}), {@code 7.3.0}. Builds of distributions tell
     * {@code 1.0.0} whatever they are, so what it can do is told by its functions instead.
     */
    public String version() {
        handle.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment version = rsmi_version_t.allocate(arena);
            calls.check(
                    RocmSmiFunction.VERSION_GET,
                    PFN_rsmi_version_get.invoke(calls.address(RocmSmiFunction.VERSION_GET), version),
                    "");
            return rsmi_version_t.major(version) + "." + rsmi_version_t.minor(version) + "."
                    + rsmi_version_t.patch(version);
        }
    }

    /** How many GPUs there are ({@code rsmi_num_monitor_devices}), each partition of one counted. */
    public int deviceCount() {
        handle.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(rocmsmi_h.C_INT);
            calls.check(
                    RocmSmiFunction.NUM_MONITOR_DEVICES,
                    PFN_rsmi_num_monitor_devices.invoke(calls.address(RocmSmiFunction.NUM_MONITOR_DEVICES), count),
                    "");
            return count.get(rocmsmi_h.C_INT, 0);
        }
    }

    /**
     * A GPU and its place on the bus ({@code rsmi_dev_pci_id_get}).
     *
     * @param index from 0 to {@link #deviceCount()} - 1, in the order of the PCI bus, as rocm-smi numbers them
     */
    public RocmSmiDevice device(int index) {
        handle.requireOpen();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment id = arena.allocate(rocmsmi_h.C_LONG);
            calls.check(
                    RocmSmiFunction.DEV_PCI_ID_GET,
                    PFN_rsmi_dev_pci_id_get.invoke(calls.address(RocmSmiFunction.DEV_PCI_ID_GET), index, id),
                    "device " + index + " was asked for");
            return new RocmSmiDevice(calls, handle, files, index, address(id.get(rocmsmi_h.C_LONG, 0)));
        }
    }

    /** Domain in the upper 32 bits, then partition (4 bits), and in the lower 16 bus, device and function (rocm_smi.h). */
    static String address(long id) {
        return String.format(Locale.ROOT, "%04x:%02x:%02x.%d", id >>> 32, (id >> 8) & 0xff, (id >> 3) & 0x1f, id & 7);
    }

    /** Gives its initialization back, once ({@code rsmi_shut_down}). */
    @Override
    public void close() {
        handle.close();
    }
}
