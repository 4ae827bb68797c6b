package dev.panamark.report.offender;

import dev.panamark.device.cpu.HostRoots;
import dev.panamark.raw.cuda.cuda_h;
import java.lang.foreign.MemorySegment;
import picocli.CommandLine;

/** Breaks the package rules, so that a test can see that they are found broken. */
@SuppressWarnings("restricted")
final class Offender {
    private Offender() {}

    static MemorySegment memoryOutOfANumber() {
        return MemorySegment.ofAddress(16).reinterpret(HostRoots.system().hashCode());
    }

    static int status() {
        return cuda_h.CUDA_ERROR_NO_DEVICE();
    }

    static boolean colours() {
        return CommandLine.Help.Ansi.AUTO.enabled();
    }
}
