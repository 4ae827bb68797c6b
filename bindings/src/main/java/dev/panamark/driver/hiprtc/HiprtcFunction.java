package dev.panamark.driver.hiprtc;

/** Functions of the library that are used here; all are in HIP 4.2 and later. */
enum HiprtcFunction {
    VERSION("hiprtcVersion"),
    GET_ERROR_STRING("hiprtcGetErrorString"),
    CREATE_PROGRAM("hiprtcCreateProgram"),
    DESTROY_PROGRAM("hiprtcDestroyProgram"),
    COMPILE_PROGRAM("hiprtcCompileProgram"),
    GET_PROGRAM_LOG_SIZE("hiprtcGetProgramLogSize"),
    GET_PROGRAM_LOG("hiprtcGetProgramLog"),
    GET_CODE_SIZE("hiprtcGetCodeSize"),
    GET_CODE("hiprtcGetCode");

    private final String symbol;

    HiprtcFunction(String symbol) {
        this.symbol = symbol;
    }

    /** As the library exports it and the manual names it. */
    String symbol() {
        return symbol;
    }
}
