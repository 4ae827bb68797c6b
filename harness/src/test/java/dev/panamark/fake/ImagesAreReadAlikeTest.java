package dev.panamark.fake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.panamark.driver.cuda.CudaContext;
import dev.panamark.driver.cuda.CudaKernel;
import dev.panamark.driver.cuda.CudaModule;
import dev.panamark.driver.cuda.FunctionAttribute;
import dev.panamark.ptx.KernelInfo;
import dev.panamark.ptx.PtxModule;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The fake driver reads of a text what the emulator's parser does, for texts that compilers wrote. */
class ImagesAreReadAlikeTest {
    private static final List<Path> FOLDERS = List.of(
            Path.of("../kernels/src/main/resources/panamark-kernels/prebuilt"),
            Path.of("../emulator/src/test/resources/ptx"));

    private final FakeCuda fake;

    ImagesAreReadAlikeTest() throws Exception {
        fake = FakeCuda.load();
    }

    /** All but those that are kept because they are broken. */
    static List<Path> texts() throws IOException {
        List<Path> found = new ArrayList<>();
        for (Path folder : FOLDERS) {
            try (Stream<Path> files = Files.walk(folder)) {
                files.filter(f -> f.toString().endsWith(".ptx") && !f.toString().contains("/kept/"))
                        .sorted()
                        .forEach(found::add);
            }
        }
        return found;
    }

    @ParameterizedTest
    @MethodSource("texts")
    void kernelsHaveTheSameParametersAndMemory(Path file) throws Throwable {
        byte[] text = Files.readAllBytes(file);
        List<KernelInfo> kernels = PtxModule.load(file.toString(), new String(text, StandardCharsets.ISO_8859_1))
                .kernels();
        assertTrue(!kernels.isEmpty(), "a text without kernels");
        // Of compute capability 12.0, which runs every target that there is.
        try (CudaContext context =
                fake.start("device h100-sxm\nattribute 75 12\n").device(0).retainPrimaryContext()) {
            context.makeCurrent();
            CudaModule module = context.load(text);
            for (KernelInfo kernel : kernels) {
                CudaKernel loaded = module.kernel(kernel.name());
                List<KernelInfo.Parameter> parameters = kernel.parameters();
                long end = 0;
                for (int i = 0; i < parameters.size(); i++) {
                    CudaKernel.Parameter parameter = loaded.parameter(i).orElseThrow();
                    assertEquals(parameters.get(i).offset(), parameter.offset(), kernel.name() + ", parameter " + i);
                    assertEquals(parameters.get(i).bytes(), parameter.bytes(), kernel.name() + ", parameter " + i);
                    end = parameter.offset() + parameter.bytes();
                }
                assertTrue(loaded.parameter(parameters.size()).isEmpty(), kernel.name());
                assertEquals(kernel.parameterBytes(), end, kernel.name());
                assertEquals(
                        kernel.sharedBytes(), loaded.attribute(FunctionAttribute.SHARED_SIZE_BYTES), kernel.name());
            }
        }
    }
}
