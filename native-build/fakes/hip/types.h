/*
 * The types of the HIP API that the fake uses: its own, so that it builds where there is no ROCm, or those of the header
 * (PANAMARK_WITH_HIP_H), with which the compiler compares the fake's prototypes, layouts and values.
 */
#ifndef PANAMARK_FAKE_HIP_TYPES_H
#define PANAMARK_FAKE_HIP_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "../status.h"

#ifndef FAKE_HIP
#define FAKE_HIP 60300000 /* the release whose functions are exported, as HIP_VERSION */
#endif

#ifdef PANAMARK_WITH_HIP_H
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <hip/hip_deprecated.h>
#undef hipGetDeviceProperties
#else
typedef int hipError_t;
typedef int hipDevice_t;
typedef int hipDeviceAttribute_t;
typedef int hipFunction_attribute;
typedef int hipStreamCaptureMode;
typedef void *hipDeviceptr_t;
typedef struct ihipStream_t *hipStream_t;
typedef struct ihipModule_t *hipModule_t;
typedef struct ihipModuleSymbol_t *hipFunction_t;
typedef struct ihipEvent_t *hipEvent_t;
typedef struct ihipGraph *hipGraph_t;
typedef struct hipGraphExec *hipGraphExec_t;
typedef struct hipUUID_t { char bytes[16]; } hipUUID;
/* Only the fields that the fake fills. */
typedef struct hipDeviceProp_tR0600 {
  char name[256], rest1[32];
  size_t totalGlobalMem;
  char rest2[12];
  int warpSize;
  char rest3[76];
  int multiProcessorCount;
  char rest4[768];
  char gcnArchName[256];
  char rest5[56];
} hipDeviceProp_tR0600;
typedef struct hipDeviceProp_tR0000 {
  char name[256];
  size_t totalGlobalMem;
  char rest1[12];
  int warpSize;
  char rest2[56];
  int multiProcessorCount;
  char rest3[56];
  char gcnArchName[256];
  char rest4[140];
} hipDeviceProp_tR0000;
#define HIP_LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define HIP_LAUNCH_PARAM_BUFFER_SIZE ((void *)2)
#define HIP_LAUNCH_PARAM_END ((void *)3)
#endif

_Static_assert(sizeof(hipDeviceProp_tR0600) == 1472 && offsetof(hipDeviceProp_tR0600, totalGlobalMem) == 288 &&
                   offsetof(hipDeviceProp_tR0600, warpSize) == 308 &&
                   offsetof(hipDeviceProp_tR0600, multiProcessorCount) == 388 &&
                   offsetof(hipDeviceProp_tR0600, gcnArchName) == 1160,
               "hipDeviceProp_tR0600");
_Static_assert(sizeof(hipDeviceProp_tR0000) == 792 && offsetof(hipDeviceProp_tR0000, totalGlobalMem) == 256 &&
                   offsetof(hipDeviceProp_tR0000, warpSize) == 276 &&
                   offsetof(hipDeviceProp_tR0000, multiProcessorCount) == 336 &&
                   offsetof(hipDeviceProp_tR0000, gcnArchName) == 396,
               "hipDeviceProp_tR0000");

/* Values of HIP's headers: here they are made, there they are compared. */
#define PANAMARK_VALUES(X) \
  X(hipSuccess, 0) \
  X(hipErrorInvalidValue, 1) \
  X(hipErrorOutOfMemory, 2) \
  X(hipErrorNotInitialized, 3) \
  X(hipErrorInvalidConfiguration, 9) \
  X(hipErrorNoDevice, 100) \
  X(hipErrorInvalidDevice, 101) \
  X(hipErrorInvalidImage, 200) \
  X(hipErrorInvalidContext, 201) \
  X(hipErrorNoBinaryForGpu, 209) \
  X(hipErrorInvalidHandle, 400) \
  X(hipErrorNotFound, 500) \
  X(hipErrorNotReady, 600) \
  X(hipErrorLaunchFailure, 719) \
  X(hipErrorCooperativeLaunchTooLarge, 720) \
  X(hipErrorStreamCaptureUnsupported, 900) \
  X(hipErrorStreamCaptureInvalidated, 901) \
  X(hipErrorUnknown, 999) \
  X(hipDeviceAttributeEccEnabled, 0) \
  X(hipDeviceAttributeClockRate, 5) \
  X(hipDeviceAttributeCooperativeLaunch, 10) \
  X(hipDeviceAttributeL2CacheSize, 19) \
  X(hipDeviceAttributeComputeCapabilityMajor, 23) \
  X(hipDeviceAttributeMaxBlockDimX, 26) \
  X(hipDeviceAttributeMaxGridDimX, 29) \
  X(hipDeviceAttributeMaxThreadsPerBlock, 56) \
  X(hipDeviceAttributeMaxThreadsPerMultiProcessor, 57) \
  X(hipDeviceAttributeMemoryBusWidth, 59) \
  X(hipDeviceAttributeMemoryClockRate, 60) \
  X(hipDeviceAttributeComputeCapabilityMinor, 61) \
  X(hipDeviceAttributeMultiprocessorCount, 63) \
  X(hipDeviceAttributePciBusId, 67) \
  X(hipDeviceAttributeMaxRegistersPerBlock, 71) \
  X(hipDeviceAttributeMaxSharedMemoryPerBlock, 74) \
  X(hipDeviceAttributeWarpSize, 87) \
  X(hipDeviceAttributeAmdSpecificBegin, 10000) \
  X(hipDeviceAttributeMaxSharedMemoryPerMultiprocessor, 10002) \
  X(hipDeviceAttributeCanUseStreamWaitValue, 10013) \
  X(hipDeviceAttributeWallClockRate, 10017) \
  X(HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0) \
  X(HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1) \
  X(HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 2) \
  X(HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3) \
  X(HIP_FUNC_ATTRIBUTE_NUM_REGS, 4) \
  X(HIP_FUNC_ATTRIBUTE_BINARY_VERSION, 6) \
  X(HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8)

#define PANAMARK_FLAGS(X) X(hipEventDisableTiming, 2) X(hipStreamWaitValueGte, 0) X(hipStreamWaitValueAnd, 2)

#ifdef PANAMARK_WITH_HIP_H
#define PANAMARK_COMPARE(name, value) _Static_assert((int)name == value, #name);
PANAMARK_VALUES(PANAMARK_COMPARE)
PANAMARK_FLAGS(PANAMARK_COMPARE)
#else
#define PANAMARK_DEFINE(name, value) name = value,
enum { PANAMARK_VALUES(PANAMARK_DEFINE) PANAMARK_FLAGS(PANAMARK_DEFINE) };
#endif

_Static_assert((int)S_INVALID_VALUE == hipErrorInvalidValue && (int)S_OUT_OF_MEMORY == hipErrorOutOfMemory &&
                   (int)S_NOT_INITIALIZED == hipErrorNotInitialized && (int)S_INVALID_CONTEXT == hipErrorInvalidContext &&
                   (int)S_INVALID_HANDLE == hipErrorInvalidHandle && (int)S_NOT_FOUND == hipErrorNotFound &&
                   (int)S_NOT_READY == hipErrorNotReady &&
                   (int)S_CAPTURE_UNSUPPORTED == hipErrorStreamCaptureUnsupported &&
                   (int)S_CAPTURE_INVALIDATED == hipErrorStreamCaptureInvalidated && (int)S_UNKNOWN == hipErrorUnknown,
               "what the fakes share");

#endif
