package dev.panamark.ptx;

import dev.panamark.ptx.interpret.Interpreter;
import dev.panamark.ptx.ir.KernelCode;
import dev.panamark.ptx.runtime.Executor;

/** What can execute one kernel; made when it is first asked for. */
final class Engines {
    private final KernelCode code;

    Engines(KernelCode code) {
        this.code = code;
    }

    KernelCode code() {
        return code;
    }

    synchronized Executor of(LaunchOptions.Engine engine, boolean counting) {
        return new Interpreter(code);
    }
}
