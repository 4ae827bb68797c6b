package dev.panamark.driver.nvrtc;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What of the C library's headers a kernel uses, which nvcc takes from the host and NVRTC does not have. Types and values are
 * those of x86-64 and AArch64 Linux, as nvcc has them there.
 */
final class StandardHeaders {
    private static final String STDINT = """
            #pragma once
            typedef signed char int8_t;
            typedef short int16_t;
            typedef int int32_t;
            typedef long int64_t;
            typedef unsigned char uint8_t;
            typedef unsigned short uint16_t;
            typedef unsigned int uint32_t;
            typedef unsigned long uint64_t;
            typedef long intptr_t;
            typedef unsigned long uintptr_t;
            typedef long intmax_t;
            typedef unsigned long uintmax_t;
            #define INT8_MIN (-128)
            #define INT8_MAX 127
            #define UINT8_MAX 255
            #define INT16_MIN (-32767 - 1)
            #define INT16_MAX 32767
            #define UINT16_MAX 65535
            #define INT32_MIN (-2147483647 - 1)
            #define INT32_MAX 2147483647
            #define UINT32_MAX 4294967295U
            #define INT64_MIN (-9223372036854775807L - 1)
            #define INT64_MAX 9223372036854775807L
            #define UINT64_MAX 18446744073709551615UL
            #define SIZE_MAX 18446744073709551615UL
            #define INT64_C(x) x##L
            #define UINT64_C(x) x##UL
            """;

    private static final String STDDEF = """
            #pragma once
            typedef decltype(sizeof(0)) size_t;
            typedef long ptrdiff_t;
            #ifndef NULL
            #define NULL 0
            #endif
            #ifndef offsetof
            #define offsetof(type, member) __builtin_offsetof(type, member)
            #endif
            """;

    private static final String LIMITS = """
            #pragma once
            #define CHAR_BIT 8
            #define SCHAR_MIN (-128)
            #define SCHAR_MAX 127
            #define UCHAR_MAX 255
            #define SHRT_MIN (-32767 - 1)
            #define SHRT_MAX 32767
            #define USHRT_MAX 65535
            #define INT_MIN (-2147483647 - 1)
            #define INT_MAX 2147483647
            #define UINT_MAX 4294967295U
            #define LONG_MIN (-9223372036854775807L - 1L)
            #define LONG_MAX 9223372036854775807L
            #define ULONG_MAX 18446744073709551615UL
            #define LLONG_MIN (-9223372036854775807LL - 1LL)
            #define LLONG_MAX 9223372036854775807LL
            #define ULLONG_MAX 18446744073709551615ULL
            """;

    private static final String FLOAT = """
            #pragma once
            #define FLT_MAX 3.40282346638528859811704183484516925e+38F
            #define FLT_MIN 1.17549435082228750796873653722224568e-38F
            #define FLT_EPSILON 1.19209289550781250000000000000000000e-7F
            #define FLT_DIG 6
            #define FLT_MANT_DIG 24
            #define DBL_MAX 1.79769313486231570814527423731704357e+308
            #define DBL_MIN 2.22507385850720138309023271733240406e-308
            #define DBL_EPSILON 2.22044604925031308084726333618164062e-16
            #define DBL_DIG 15
            #define DBL_MANT_DIG 53
            """;

    /** Functions are built in; the values are those of IEEE 754. */
    private static final String MATH = """
            #pragma once
            #ifndef INFINITY
            #define INFINITY __int_as_float(0x7f800000)
            #endif
            #ifndef NAN
            #define NAN __int_as_float(0x7fc00000)
            #endif
            #ifndef HUGE_VALF
            #define HUGE_VALF INFINITY
            #endif
            #ifndef HUGE_VAL
            #define HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)
            #endif
            #ifndef M_PI
            #define M_E 2.7182818284590452354
            #define M_LOG2E 1.4426950408889634074
            #define M_LOG10E 0.43429448190325182765
            #define M_LN2 0.69314718055994530942
            #define M_LN10 2.30258509299404568402
            #define M_PI 3.14159265358979323846
            #define M_PI_2 1.57079632679489661923
            #define M_PI_4 0.78539816339744830962
            #define M_1_PI 0.31830988618379067154
            #define M_2_PI 0.63661977236758134308
            #define M_2_SQRTPI 1.12837916709551257390
            #define M_SQRT2 1.41421356237309504880
            #define M_SQRT1_2 0.70710678118654752440
            #endif
            """;

    private static final Map<String, String> TEXTS =
            Map.of("stdint.h", STDINT, "stddef.h", STDDEF, "limits.h", LIMITS, "float.h", FLOAT, "math.h", MATH);

    /** What nvcc reads before every source, of which kernels use these. */
    static final String FIRST = "#include <limits.h>\n#include <math.h>\n";

    private StandardHeaders() {}

    /** Those that none of the folders has, by name. */
    static Map<String, String> but(Collection<Path> folders) {
        Map<String, String> headers = new LinkedHashMap<>();
        TEXTS.keySet().stream()
                .sorted()
                .filter(name -> folders.stream().noneMatch(folder -> Files.isRegularFile(folder.resolve(name))))
                .forEach(name -> headers.put(name, TEXTS.getOrDefault(name, "")));
        return headers;
    }
}
