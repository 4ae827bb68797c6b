package dev.panamark.ptx.analyze;

import dev.panamark.ptx.PtxException;
import dev.panamark.ptx.ir.HostVariable;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.parse.Parser;
import dev.panamark.ptx.parse.Syntax;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** From a text to what can be executed. */
public final class Analyzer {
    private Analyzer() {}

    /**
     * What was understood.
     *
     * @param variables of global memory, in the order of their numbers
     */
    public record Analysis(String version, String target, List<Kernel> kernels, List<HostVariable> variables) {}

    /**
     * A kernel and what its declaration says.
     *
     * @param limits such as {@code maxntid}, as written
     */
    public record Kernel(KernelCode code, ParameterLayout parameters, Map<String, List<Long>> limits) {
        /** 32-bit registers for the values of a thread that matter at the same time, in the order of the text. */
        public int registerPressure() {
            return RegisterPressure.of(code);
        }
    }

    /**
     * Understands all kernels of a text.
     *
     * @param source what messages call the text
     * @throws PtxException for what is not PTX and what is not supported, with line and column
     */
    public static Analysis analyze(String source, String text) {
        try {
            return understand(source, Parser.parse(source, text));
        } catch (StackOverflowError e) {
            throw new PtxException(source, 0, 0, "the text is nested too deeply");
        }
    }

    private static Analysis understand(String source, Syntax.Text text) {
        ModuleNames module = new ModuleNames(source, text);
        List<Kernel> kernels = new ArrayList<>();
        for (Syntax.Function function : text.functions()) {
            if (!function.entry() || function.body() == null) {
                continue;
            }
            checkCluster(source, function);
            ParameterLayout parameters = ParameterLayout.of(source, function);
            kernels.add(new Kernel(KernelLowering.lower(module, function, parameters), parameters, function.limits()));
        }
        return new Analysis(text.version(), text.target(), List.copyOf(kernels), VariableImages.of(source, module));
    }

    private static void checkCluster(String source, Syntax.Function function) {
        for (long blocks : function.limits().getOrDefault("reqnctapercluster", List.of())) {
            if (blocks != 1) {
                throw new PtxException(
                        source,
                        function.at().line(),
                        function.at().column(),
                        function.name() + " needs clusters of more than one block, which are not supported");
            }
        }
    }
}
