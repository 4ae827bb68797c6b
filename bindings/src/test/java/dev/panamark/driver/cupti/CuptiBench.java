package dev.panamark.driver.cupti;

import static org.junit.jupiter.api.Assertions.fail;

import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.driver.cuda.CudaLaunch;
import dev.panamark.driver.cuda.CudaStream;
import dev.panamark.driver.cuda.FakeDriver;
import dev.panamark.driver.cuda.LaunchShape;
import dev.panamark.driver.launch.KernelArguments;
import dev.panamark.ffi.Availability;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** The fake's CUPTI, and two kernels in a context of its first device. */
final class CuptiBench implements AutoCloseable {
    static final List<String> METRICS = List.of(
            "sm__cycles_elapsed.max", "dram__bytes_read.sum", "lts__t_sector_hit_rate.pct", "l1tex__conflicts.sum");

    /** Of the two kernels, first and second, two metrics have values of their own. */
    static final String SCRIPT = """
            device h100-sxm
            metric sm__cycles_elapsed.max 5000
            metric sm__cycles_elapsed.avg 4900
            metric dram__bytes_read.sum 1024
            metric dram__bytes_read.sum 96 second
            metric lts__t_sector_hit_rate.pct 87.5
            metric l1tex__conflicts.sum 12 first
            metric sm__throughput.avg.pct_of_peak_sustained_elapsed 50
            passes 2
            """;

    private static final String PTX = """
            .version 7.0
            .target sm_80
            .address_size 64
            .visible .entry first() { ret; }
            .visible .entry second() { ret; }
            """;

    private final FakeDriver fake;
    private final Cupti cupti;
    private final CudaContext context;
    private final CudaStream stream;
    private final CudaLaunch first;
    private final CudaLaunch second;

    CuptiBench(String statements) {
        fake = FakeDriver.current();
        context = fake.start(SCRIPT + statements).device(0).retainPrimaryContext();
        context.makeCurrent();
        cupti = find(fake);
        stream = context.createStream();
        var module = context.load(PTX.getBytes(StandardCharsets.US_ASCII));
        LaunchShape shape = LaunchShape.of(new LaunchShape.Size(4, 1, 1), new LaunchShape.Size(64, 1, 1), 0);
        first = CudaLaunch.prepare(module.kernel("first"), stream, shape, new KernelArguments(0));
        second = CudaLaunch.prepare(module.kernel("second"), stream, shape, new KernelArguments(0));
    }

    /** The CUPTI beside a fake driver, which is the same library. */
    static Cupti find(FakeDriver fake) {
        String file = fake.file().resolveSibling("libcupti.so.13").toString();
        return switch (Cupti.find(Map.of(Cupti.VARIABLE, file))) {
            case Availability.Available<Cupti>(Cupti found) -> found;
            case Availability.Unavailable<Cupti> none -> fail(none.text());
        };
    }

    FakeDriver fake() {
        return fake;
    }

    Cupti cupti() {
        return cupti;
    }

    CudaContext context() {
        return context;
    }

    /** One launch of each kernel, done. */
    void both() {
        first.launch();
        second.launch();
        stream.synchronize();
    }

    void onlyFirst() {
        first.launch();
        stream.synchronize();
    }

    @Override
    public void close() {
        context.close();
    }
}
