package dev.panamark.fake;

import dev.panamark.driver.hip.HipFunction;
import dev.panamark.driver.hipcc.HipCompiler;
import dev.panamark.driver.hiprtc.Hiprtc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Failures of the HIP runtime; names and values of statuses are those of HIP's header. */
class HipFaultTableTest extends FaultTable {
    /** Which device is the thread's is asked where something is given back. */
    private static final Set<HipFunction> CLOSING =
            Set.of(HipFunction.FREE, HipFunction.MODULE_UNLOAD, HipFunction.GET_DEVICE);

    /** Looking for one takes longer than all else here; what is launched is compiled already. */
    private static final Map<String, String> NO_COMPILER =
            Map.of(HipCompiler.VARIABLE, "/no/hipcc", Hiprtc.VARIABLE, "/no/libhiprtc.so");

    private Path host = Path.of("");

    HipFaultTableTest() throws Throwable {
        super(
                new FakeRows(FakeHip.load(), NO_COMPILER),
                "device mi300x\nduration * 1000000000\nduration panamark_empty 1000\n",
                Arrays.stream(HipFunction.values())
                        .map(f -> new Function(f.symbol(), f.symbol(), CLOSING.contains(f)))
                        .toList(),
                Map.of(
                        1,
                        "hipErrorInvalidValue",
                        2,
                        "hipErrorOutOfMemory",
                        700,
                        "hipErrorIllegalAddress",
                        999,
                        "hipErrorUnknown"));
    }

    @Override
    List<Path> kernelFiles(Path temporary) throws Exception {
        Path source = ScaledKernels.writeHip(temporary);
        HipCompiler compiler = FakeHip.requireCompiler();
        Files.copy(
                compiler.compile(source, List.of(), "gfx942", FakeRows.CACHE).file(), temporary.resolve("scaled.co"));
        host = FakeHip.host(source, "doubled", "halved", "tripled");
        return ScaledKernels.writeHipKernels(temporary, "scaled.co");
    }

    @Override
    String script() {
        return super.script() + "host " + host + "\n";
    }
}
