package dev.panamark.fake;

import dev.panamark.driver.hip.HipFunction;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Failures of the HIP runtime; names and values of statuses are those of HIP's header. */
class HipFaultTableTest extends FaultTable {
    private static final Set<HipFunction> CLOSING = Set.of(HipFunction.FREE, HipFunction.MODULE_UNLOAD);

    private Path host = Path.of("");

    HipFaultTableTest() throws Throwable {
        super(
                new FakeRows(FakeHip.load(), System.getenv()),
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
        FakeHip.requireCompiler();
        List<Path> files = ScaledKernels.writeHip(temporary);
        host = FakeHip.host(temporary.resolve("scaled.hip"), "doubled", "halved", "tripled");
        return files;
    }

    @Override
    String script() {
        return super.script() + "host " + host + "\n";
    }

    /** An attribute that the runtime does not know costs its line among the device's facts; which device is current is asked
     * where something is given back. */
    @Override
    boolean isHarmless(Fault fault) {
        return fault.function().symbol().equals("hipGetDevice");
    }
}
