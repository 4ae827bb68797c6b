/*
 * The types of the CUDA driver API that the fake uses: its own, so that it builds where there is no toolkit, or those
 * of cuda.h, with which the compiler compares every prototype (PANAMARK_WITH_CUDA_H; a test does so where it can).
 */
#ifndef PANAMARK_FAKE_TYPES_H
#define PANAMARK_FAKE_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "status.h"

#ifdef PANAMARK_WITH_CUDA_H
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#else
typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct { char bytes[16]; } CUuuid;
typedef int CUdevice_attribute;
typedef int CUfunction_attribute;
typedef int CUjit_option;
typedef int CUstreamCaptureMode;
typedef int CUtensorMapDataType, CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
    CUtensorMapFloatOOBfill;
typedef struct { cuuint64_t opaque[16]; } CUtensorMap;
typedef struct {
  int id;
  char pad[4];
  union {
    char pad[64];
    int cooperative;
    struct { unsigned int x, y, z; } clusterDim;
  } value;
} CUlaunchAttribute;
typedef struct {
  unsigned int gridDimX, gridDimY, gridDimZ;
  unsigned int blockDimX, blockDimY, blockDimZ;
  unsigned int sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned int numAttrs;
} CUlaunchConfig;
#endif

#ifndef FAKE_CUDA
#define FAKE_CUDA 13000 /* the release whose functions are exported */
#endif

/* Values of cuda.h: here they are made, there they are compared. */
#define PANAMARK_VALUES(X) \
  X(CUDA_SUCCESS, 0) \
  X(CUDA_ERROR_INVALID_VALUE, 1) \
  X(CUDA_ERROR_OUT_OF_MEMORY, 2) \
  X(CUDA_ERROR_NOT_INITIALIZED, 3) \
  X(CUDA_ERROR_NO_DEVICE, 100) \
  X(CUDA_ERROR_INVALID_DEVICE, 101) \
  X(CUDA_ERROR_INVALID_IMAGE, 200) \
  X(CUDA_ERROR_INVALID_CONTEXT, 201) \
  X(CUDA_ERROR_INVALID_PTX, 218) \
  X(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222) \
  X(CUDA_ERROR_INVALID_HANDLE, 400) \
  X(CUDA_ERROR_NOT_FOUND, 500) \
  X(CUDA_ERROR_NOT_READY, 600) \
  X(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, 720) \
  X(CUDA_ERROR_NOT_SUPPORTED, 801) \
  X(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, 900) \
  X(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, 901) \
  X(CUDA_ERROR_INVALID_CLUSTER_SIZE, 912) \
  X(CUDA_ERROR_UNKNOWN, 999) \
  X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1) \
  X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 2) \
  X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 3) \
  X(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 4) \
  X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 5) \
  X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 6) \
  X(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 7) \
  X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8) \
  X(CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10) \
  X(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 12) \
  X(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13) \
  X(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16) \
  X(CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 32) \
  X(CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 33) \
  X(CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID, 34) \
  X(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 36) \
  X(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 37) \
  X(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38) \
  X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39) \
  X(CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID, 50) \
  X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75) \
  X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76) \
  X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81) \
  X(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 82) \
  X(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 95) \
  X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97) \
  X(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 106) \
  X(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 111) \
  X(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 120) \
  X(CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, 127) \
  X(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0) \
  X(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1) \
  X(CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 2) \
  X(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3) \
  X(CU_FUNC_ATTRIBUTE_NUM_REGS, 4) \
  X(CU_FUNC_ATTRIBUTE_PTX_VERSION, 5) \
  X(CU_FUNC_ATTRIBUTE_BINARY_VERSION, 6) \
  X(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8) \
  X(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 9) \
  X(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 14) \
  X(CU_JIT_INFO_LOG_BUFFER, 3) \
  X(CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, 4) \
  X(CU_JIT_ERROR_LOG_BUFFER, 5) \
  X(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, 6) \
  X(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 2) \
  X(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 4) \
  X(CU_STREAM_WAIT_VALUE_GEQ, 0) \
  X(CU_STREAM_WAIT_VALUE_EQ, 1) \
  X(CU_STREAM_WAIT_VALUE_AND, 2) \
  X(CU_EVENT_DISABLE_TIMING, 2)

#ifdef PANAMARK_WITH_CUDA_H
#define PANAMARK_COMPARE(name, value) _Static_assert((int)name == value, #name);
PANAMARK_VALUES(PANAMARK_COMPARE)
#else
#define PANAMARK_DEFINE(name, value) name = value,
enum { PANAMARK_VALUES(PANAMARK_DEFINE) };
#endif

_Static_assert((int)S_INVALID_VALUE == CUDA_ERROR_INVALID_VALUE && (int)S_OUT_OF_MEMORY == CUDA_ERROR_OUT_OF_MEMORY &&
                   (int)S_NOT_INITIALIZED == CUDA_ERROR_NOT_INITIALIZED &&
                   (int)S_INVALID_CONTEXT == CUDA_ERROR_INVALID_CONTEXT &&
                   (int)S_INVALID_HANDLE == CUDA_ERROR_INVALID_HANDLE && (int)S_NOT_FOUND == CUDA_ERROR_NOT_FOUND &&
                   (int)S_NOT_READY == CUDA_ERROR_NOT_READY &&
                   (int)S_CAPTURE_UNSUPPORTED == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
                   (int)S_CAPTURE_INVALIDATED == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED &&
                   (int)S_UNKNOWN == CUDA_ERROR_UNKNOWN && CU_STREAM_WAIT_VALUE_GEQ == 0 &&
                   CU_STREAM_WAIT_VALUE_EQ == 1 && CU_STREAM_WAIT_VALUE_AND == 2,
               "what the fakes share");
_Static_assert(sizeof(CUuuid) == 16, "CUuuid");
_Static_assert(sizeof(CUtensorMap) == 128, "CUtensorMap");
_Static_assert(sizeof(CUlaunchAttribute) == 72 && offsetof(CUlaunchAttribute, value) == 8, "CUlaunchAttribute");
_Static_assert(offsetof(CUlaunchAttribute, value.clusterDim.z) == 16, "CUlaunchAttribute");
_Static_assert(sizeof(CUlaunchConfig) == 56 && offsetof(CUlaunchConfig, sharedMemBytes) == 24 &&
                   offsetof(CUlaunchConfig, hStream) == 32 && offsetof(CUlaunchConfig, attrs) == 40 &&
                   offsetof(CUlaunchConfig, numAttrs) == 48,
               "CUlaunchConfig");

#endif
