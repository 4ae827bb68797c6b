package dev.panamark.driver.nvrtc;

/** Functions of the library that are used here; all are in CUDA 8 and later. */
enum NvrtcFunction {
    VERSION("nvrtcVersion"),
    GET_ERROR_STRING("nvrtcGetErrorString"),
    CREATE_PROGRAM("nvrtcCreateProgram"),
    DESTROY_PROGRAM("nvrtcDestroyProgram"),
    COMPILE_PROGRAM("nvrtcCompileProgram"),
    GET_PROGRAM_LOG_SIZE("nvrtcGetProgramLogSize"),
    GET_PROGRAM_LOG("nvrtcGetProgramLog"),
    GET_PTX_SIZE("nvrtcGetPTXSize"),
    GET_PTX("nvrtcGetPTX");

    private final String symbol;

    NvrtcFunction(String symbol) {
        this.symbol = symbol;
    }

    /** As the library exports it and the manual names it. */
    String symbol() {
        return symbol;
    }
}
