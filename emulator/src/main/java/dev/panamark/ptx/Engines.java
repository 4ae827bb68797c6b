package dev.panamark.ptx;

import dev.panamark.ptx.compile.Compiler;
import dev.panamark.ptx.interpret.Interpreter;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.runtime.Executor;
import java.util.HashMap;
import java.util.Map;

/** What can execute one kernel; made when it is first asked for. */
final class Engines {
    private final KernelCode code;
    private final Interpreter interpreter;
    private final Map<Kind, Executor> compiled = new HashMap<>();

    private record Kind(LaunchOptions.Engine engine, boolean counting, boolean checking) {}

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

    synchronized Executor of(LaunchOptions.Engine engine, boolean counting, boolean checking) {
        if (engine == LaunchOptions.Engine.INTERPRETER) {
            return interpreter;
        }
        return compiled.computeIfAbsent(
                new Kind(engine, counting, checking),
                kind -> kind.engine() == LaunchOptions.Engine.VECTORS
                        ? Compiler.compileVectors(code, counting, checking)
                        : Compiler.compile(code, counting, checking));
    }
}
