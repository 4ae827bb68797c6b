/*
 * A stand-in for NVRTC, for tests where there is none. It compiles nothing: its PTX has the name of the program and the
 * options as they came. Comments of the source steer it, one a line, from the line's start:
 *
 *   //fake fail FUNCTION STATUS      FUNCTION answers STATUS for this program
 *   //fake log TEXT                  a line of the log, which a failing nvrtcCompileProgram leaves
 *   //fake size BYTES                what nvrtcGetPTXSize answers instead of the truth
 *   //fake sleep MILLISECONDS        nvrtcCompileProgram takes that long
 *   //fake text TEXT                 the PTX is this line
 *
 * FAKE_MAJOR and FAKE_MINOR are its version, FAKE_VERSION_STATUS what nvrtcVersion answers; with FAKE_WITHOUT_PTX it has no
 * nvrtcGetPTX. fake_compilations counts nvrtcCompileProgram, fake_open what was created and not destroyed.
 *
 * With FAKE_HIPRTC it is a stand-in for AMD's hiprtc, which has the same functions and statuses under other names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef FAKE_HIPRTC
#define NAMES "HIPRTC"
#define nvrtcGetErrorString hiprtcGetErrorString
#define nvrtcVersion hiprtcVersion
#define nvrtcCreateProgram hiprtcCreateProgram
#define nvrtcDestroyProgram hiprtcDestroyProgram
#define nvrtcCompileProgram hiprtcCompileProgram
#define nvrtcGetProgramLogSize hiprtcGetProgramLogSize
#define nvrtcGetProgramLog hiprtcGetProgramLog
#define nvrtcGetPTXSize hiprtcGetCodeSize
#define nvrtcGetPTX hiprtcGetCode
#else
#define NAMES "NVRTC"
#endif
#define QUOTED(name) #name
#define NAME_OF(function) QUOTED(function)

#ifdef PANAMARK_WITH_NVRTC_H
#include <nvrtc.h>
#else
typedef enum {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
    NVRTC_ERROR_INVALID_INPUT = 3,
    NVRTC_ERROR_INVALID_PROGRAM = 4,
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_COMPILATION = 6,
    NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
    NVRTC_ERROR_INTERNAL_ERROR = 11
} nvrtcResult;
typedef struct _nvrtcProgram *nvrtcProgram;
#endif

#ifndef FAKE_MAJOR
#define FAKE_MAJOR 12
#define FAKE_MINOR 4
#endif
#ifndef FAKE_VERSION_STATUS
#define FAKE_VERSION_STATUS NVRTC_SUCCESS
#endif

#define STATEMENT "\n//fake "
#define ROOM (64 << 10)

struct _nvrtcProgram {
    char *source;
    char *name;
    char log[ROOM];
    char ptx[ROOM];
};

static long compilations;
static long open_programs;

long fake_compilations(void);
long fake_open(void);

long fake_compilations(void) {
    return __atomic_load_n(&compilations, __ATOMIC_SEQ_CST);
}

long fake_open(void) {
    return __atomic_load_n(&open_programs, __ATOMIC_SEQ_CST);
}

static char *copy(const char *text) {
    char *made = malloc(strlen(text) + 1);
    return made ? strcpy(made, text) : NULL;
}

/* What follows the next statement of a kind after a place; NULL where there is none. */
static const char *statement(const char *from, const char *kind) {
    size_t length = strlen(kind);
    for (const char *at = strstr(from, STATEMENT); at; at = strstr(at + 1, STATEMENT)) {
        const char *word = at + strlen(STATEMENT);
        if (strncmp(word, kind, length) == 0 && word[length] == ' ') {
            return word + length + 1;
        }
    }
    return NULL;
}

static int status(const char *source, const char *function) {
    size_t length = strlen(function);
    for (const char *at = statement(source, "fail"); at; at = statement(at, "fail")) {
        if (strncmp(at, function, length) == 0 && at[length] == ' ') {
            return atoi(at + length);
        }
    }
    return NVRTC_SUCCESS;
}

#define FAIL_WHERE_TOLD(program, function)                           \
    do {                                                             \
        if (!(program)) return NVRTC_ERROR_INVALID_PROGRAM;          \
        int told = status((program)->source, function);              \
        if (told != NVRTC_SUCCESS) return (nvrtcResult)told;         \
    } while (0)

static void append(char *to, const char *text, size_t length) {
    size_t used = strlen(to);
    if (used + length < ROOM) {
        memcpy(to + used, text, length);
        to[used + length] = 0;
    }
}

static void append_line(char *to, const char *line) {
    append(to, line, strcspn(line, "\n"));
    append(to, "\n", 1);
}

const char *nvrtcGetErrorString(nvrtcResult result) {
    switch ((int)result) {
    case 0: return NAMES "_SUCCESS";
    case 1: return NAMES "_ERROR_OUT_OF_MEMORY";
    case 2: return NAMES "_ERROR_PROGRAM_CREATION_FAILURE";
    case 3: return NAMES "_ERROR_INVALID_INPUT";
    case 4: return NAMES "_ERROR_INVALID_PROGRAM";
    case 5: return NAMES "_ERROR_INVALID_OPTION";
    case 6: return NAMES "_ERROR_COMPILATION";
    case 7: return NAMES "_ERROR_BUILTIN_OPERATION_FAILURE";
    case 11: return NAMES "_ERROR_INTERNAL_ERROR";
    default: return NULL;
    }
}

nvrtcResult nvrtcVersion(int *major, int *minor) {
    *major = FAKE_MAJOR;
    *minor = FAKE_MINOR;
    return (nvrtcResult)FAKE_VERSION_STATUS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name, int numHeaders,
                               const char *const *headers, const char *const *includeNames) {
    int told = status(src, NAME_OF(nvrtcCreateProgram));
    if (told != NVRTC_SUCCESS) {
        return (nvrtcResult)told;
    }
    for (int i = 0; i < numHeaders; i++) {
        if (!headers[i] || !includeNames[i]) {
            return NVRTC_ERROR_INVALID_INPUT;
        }
    }
    nvrtcProgram made = calloc(1, sizeof *made);
    if (!made) {
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    made->source = copy(src);
    made->name = copy(name);
    __atomic_add_fetch(&open_programs, 1, __ATOMIC_SEQ_CST);
    *prog = made;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *prog) {
    if (!*prog) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    int told = status((*prog)->source, NAME_OF(nvrtcDestroyProgram));
    free((*prog)->source);
    free((*prog)->name);
    free(*prog);
    *prog = NULL;
    __atomic_sub_fetch(&open_programs, 1, __ATOMIC_SEQ_CST);
    return (nvrtcResult)told;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int numOptions, const char *const *options) {
    if (!prog) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    __atomic_add_fetch(&compilations, 1, __ATOMIC_SEQ_CST);
    for (const char *at = statement(prog->source, "log"); at; at = statement(at, "log")) {
        append_line(prog->log, at);
    }
    const char *sleep = statement(prog->source, "sleep");
    if (sleep) {
        long milliseconds = atol(sleep);
        struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
        nanosleep(&time, NULL);
    }
    FAIL_WHERE_TOLD(prog, NAME_OF(nvrtcCompileProgram));
    const char *text = statement(prog->source, "text");
    if (text) {
        append_line(prog->ptx, text);
        return NVRTC_SUCCESS;
    }
    append_line(prog->ptx, ".version 8.4");
    append_line(prog->ptx, ".target sm_80");
    append(prog->ptx, ".file 1 \"", 9);
    append(prog->ptx, prog->name, strlen(prog->name));
    append_line(prog->ptx, "\"");
    for (int i = 0; i < numOptions; i++) {
        append(prog->ptx, "// ", 3);
        append_line(prog->ptx, options[i]);
    }
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *logSizeRet) {
    FAIL_WHERE_TOLD(prog, NAME_OF(nvrtcGetProgramLogSize));
    *logSizeRet = strlen(prog->log) + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char *log) {
    FAIL_WHERE_TOLD(prog, NAME_OF(nvrtcGetProgramLog));
    strcpy(log, prog->log);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram prog, size_t *ptxSizeRet) {
    FAIL_WHERE_TOLD(prog, NAME_OF(nvrtcGetPTXSize));
    const char *told = statement(prog->source, "size");
    *ptxSizeRet = told ? (size_t)strtoull(told, NULL, 10) : strlen(prog->ptx) + 1;
    return NVRTC_SUCCESS;
}

#ifndef FAKE_WITHOUT_PTX
nvrtcResult nvrtcGetPTX(nvrtcProgram prog, char *ptx) {
    FAIL_WHERE_TOLD(prog, NAME_OF(nvrtcGetPTX));
    strcpy(ptx, prog->ptx);
    return NVRTC_SUCCESS;
}
#endif
