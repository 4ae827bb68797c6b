package dev.panamark.ptx;

import dev.panamark.ptx.compile.Compiler;
import dev.panamark.ptx.interpret.Interpreter;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.runtime.Executor;
import org.jspecify.annotations.Nullable;

/** What can execute one kernel; made when it is first asked for. */
final class Engines {
    private final KernelCode code;
    private final Interpreter interpreter;
    private @Nullable Executor compiled;
    private @Nullable Executor countingCompiled;

    Engines(KernelCode code) {
        this.code = code;
        this.interpreter = new Interpreter(code);
    }

    Interpreter interpreter() {
        return interpreter;
    }

    KernelCode code() {
        return code;
    }

    synchronized Executor of(LaunchOptions.Engine engine, boolean counting) {
        if (engine == LaunchOptions.Engine.INTERPRETER) {
            return interpreter;
        }
        Executor known = counting ? countingCompiled : compiled;
        if (known == null) {
            known = Compiler.compile(code, counting);
            if (counting) {
                countingCompiled = known;
            } else {
                compiled = known;
            }
        }
        return known;
    }
}
