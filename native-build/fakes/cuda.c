/* The functions of the CUDA driver API, as libcuda.so.1 exports them. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "types.h"

/*
 * A driver exports what its release has. FAKE_CUDA is that release; a function of a later one stays inside the library,
 * where a lookup does not find it.
 */
#if FAKE_CUDA >= 11010
#define SINCE_11_1 EXPORT
#else
#define SINCE_11_1 HIDDEN
#endif
#if FAKE_CUDA >= 11040
#define SINCE_11_4 EXPORT
#else
#define SINCE_11_4 HIDDEN
#endif
#if FAKE_CUDA >= 11060
#define SINCE_11_6 EXPORT
#else
#define SINCE_11_6 HIDDEN
#endif
#if FAKE_CUDA >= 11070
#define SINCE_11_7 EXPORT
#else
#define SINCE_11_7 HIDDEN
#endif
#if FAKE_CUDA >= 12000
#define SINCE_12_0 EXPORT
#else
#define SINCE_12_0 HIDDEN
#endif
#if FAKE_CUDA >= 12040
#define SINCE_12_4 EXPORT
#else
#define SINCE_12_4 HIDDEN
#endif
#if FAKE_CUDA >= 12080
#define SINCE_12_8 EXPORT
#else
#define SINCE_12_8 HIDDEN
#endif

/* -------- the driver and its devices -------- */

EXPORT CUresult cuInit(unsigned int flags) {
  ENTER(NEEDS_NOTHING);
  REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE);
  REQUIRE(!fake.unreadable, CUDA_ERROR_UNKNOWN);
  fake_read_visible("CUDA_VISIBLE_DEVICES");
  REQUIRE(fake.visible_count > 0, CUDA_ERROR_NO_DEVICE);
  fake.initialized = 1;
  return leave(0);
}

EXPORT CUresult cuDriverGetVersion(int *version) {
  ENTER(NEEDS_NOTHING);
  REQUIRE(version, CUDA_ERROR_INVALID_VALUE);
  *version = fake.version;
  return leave(0);
}

EXPORT CUresult cuGetErrorName(CUresult error, const char **text) {
  *text = fake_error_name((int)error);
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = fake_error_text((int)error);
  return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

EXPORT CUresult cuDeviceGetCount(int *count) {
  ENTER(NEEDS_INIT);
  REQUIRE(count, CUDA_ERROR_INVALID_VALUE);
  *count = fake.visible_count;
  return leave(0);
}

EXPORT CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  ENTER(NEEDS_INIT);
  REQUIRE(device, CUDA_ERROR_INVALID_VALUE);
  REQUIRE(fake_device(ordinal), CUDA_ERROR_INVALID_DEVICE);
  *device = ordinal;
  return leave(0);
}

EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  ENTER(NEEDS_INIT);
  struct device *d = fake_device(device);
  REQUIRE(d, CUDA_ERROR_INVALID_DEVICE);
  REQUIRE(name && length > 0, CUDA_ERROR_INVALID_VALUE);
  snprintf(name, (size_t)length, "%s", d->name);
  return leave(0);
}

static int uuid_of(CUuuid *uuid, CUdevice device) {
  struct device *d = fake_device(device);
  if (!d) return CUDA_ERROR_INVALID_DEVICE;
  if (!uuid) return CUDA_ERROR_INVALID_VALUE;
  memcpy(uuid->bytes, d->uuid, 16);
  return 0;
}

EXPORT CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  ENTER(NEEDS_INIT);
  return leave(uuid_of(uuid, device));
}

SINCE_11_4 CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device) {
  ENTER(NEEDS_INIT);
  return leave(uuid_of(uuid, device));
}

EXPORT CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  ENTER(NEEDS_INIT);
  struct device *d = fake_device(device);
  REQUIRE(d, CUDA_ERROR_INVALID_DEVICE);
  REQUIRE(value && (int)attribute > 0 && (int)attribute < ATTRIBUTES, CUDA_ERROR_INVALID_VALUE);
  *value = d->attribute[attribute];
  return leave(0);
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  ENTER(NEEDS_INIT);
  struct device *d = fake_device(device);
  REQUIRE(d, CUDA_ERROR_INVALID_DEVICE);
  REQUIRE(bytes, CUDA_ERROR_INVALID_VALUE);
  *bytes = d->memory;
  return leave(0);
}

EXPORT CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device) {
  ENTER(NEEDS_INIT);
  struct device *d = fake_device(device);
  REQUIRE(d, CUDA_ERROR_INVALID_DEVICE);
  REQUIRE(id && length > 12, CUDA_ERROR_INVALID_VALUE);
  snprintf(id, (size_t)length, "%s", d->bus);
  return leave(0);
}

/* -------- contexts -------- */

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  ENTER(NEEDS_INIT);
  struct device *d = fake_device(device);
  REQUIRE(d, CUDA_ERROR_INVALID_DEVICE);
  REQUIRE(context, CUDA_ERROR_INVALID_VALUE);
  REQUIRE(!d->broken, d->broken);
  int index = fake.visible[device];
  if (!d->context) {
    d->context = fake_make(K_CONTEXT, index);
    d->stream = fake_make(K_STREAM, index);
    REQUIRE(d->context && d->stream, CUDA_ERROR_OUT_OF_MEMORY);
  }
  d->retained++;
  *context = fake_handle(d->context);
  return leave(0);
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  ENTER(NEEDS_INIT);
  struct device *d = fake_device(device);
  REQUIRE(d, CUDA_ERROR_INVALID_DEVICE);
  REQUIRE(d->retained > 0, CUDA_ERROR_INVALID_CONTEXT);
  return leave(--d->retained ? 0 : fake_clear_device(fake.visible[device]));
}

EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  ENTER(NEEDS_INIT);
  REQUIRE(fake_device(device), CUDA_ERROR_INVALID_DEVICE);
  return leave(fake_clear_device(fake.visible[device]));
}

EXPORT CUresult cuCtxSetCurrent(CUcontext context) {
  ENTER(NEEDS_INIT);
  struct object *c = fake_find(context, K_CONTEXT);
  REQUIRE(!context || c, CUDA_ERROR_INVALID_CONTEXT);
  fake_make_current(c ? c->device : -1);
  return leave(0);
}

EXPORT CUresult cuCtxGetCurrent(CUcontext *context) {
  ENTER(NEEDS_INIT);
  REQUIRE(context, CUDA_ERROR_INVALID_VALUE);
  int device = fake_current();
  *context = device < 0 ? NULL : fake_handle(fake.devices[device].context);
  return leave(0);
}

EXPORT CUresult cuCtxSynchronize(void) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_synchronize_device());
}

/* -------- modules -------- */

static void tell(const char *text, unsigned int count, const CUjit_option *options, void **values, int buffer, int size) {
  char *to = NULL;
  size_t room = 0;
  for (unsigned int i = 0; i < count; i++) {
    if ((int)options[i] == buffer) to = values[i];
    if ((int)options[i] == size) room = (size_t)(uintptr_t)values[i];
  }
  if (to && room) snprintf(to, room, "%s", text);
}

EXPORT CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count, CUjit_option *options,
                                   void **values) {
  ENTER(NEEDS_CONTEXT);
  char log[1024] = "";
  int status = fake_load((void **)module, image, log, sizeof log);
  if (status) tell(log, count, options, values, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  else tell(log, count, options, values, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
  return leave(status);
}

EXPORT CUresult cuModuleUnload(CUmodule module) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_unload(module));
}

EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(function && name, CUDA_ERROR_INVALID_VALUE);
  struct object *f;
  int status = fake_function(&f, module, name);
  REQUIRE(!status, status);
  f->dynamic_shared = fake.devices[f->device].attribute[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK] - f->kernel->shared;
  f->carveout = -1;
  *function = fake_handle(f);
  return leave(0);
}

EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
  ENTER(NEEDS_CONTEXT);
  struct object *m = fake_find(module, K_MODULE);
  REQUIRE(m, CUDA_ERROR_INVALID_HANDLE);
  const struct global *g = fake_global(m, name);
  REQUIRE(g, CUDA_ERROR_NOT_FOUND);
  if (address) *address = g->address;
  if (bytes) *bytes = g->bytes;
  return leave(0);
}

/* -------- kernels -------- */

static int attribute_of(const struct object *f, int attribute, int *value) {
  const int *d = fake.devices[f->device].attribute;
  int cc = 10 * d[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] + d[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR];
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = f->kernel->threads; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = f->kernel->shared; break;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = 0; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = f->kernel->local; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = f->kernel->regs; break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *value = f->module->ptx_arch ? f->module->ptx_arch : cc; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = cc; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = f->dynamic_shared; break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = f->carveout; break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: *value = f->non_portable; break;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
  return 0;
}

EXPORT CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
  ENTER(NEEDS_CONTEXT);
  struct object *f = fake_find(function, K_FUNCTION);
  REQUIRE(f, CUDA_ERROR_INVALID_HANDLE);
  REQUIRE(value, CUDA_ERROR_INVALID_VALUE);
  return leave(attribute_of(f, (int)attribute, value));
}

EXPORT CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  ENTER(NEEDS_CONTEXT);
  struct object *f = fake_find(function, K_FUNCTION);
  REQUIRE(f, CUDA_ERROR_INVALID_HANDLE);
  int most = fake.devices[f->device].attribute[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN];
  switch ((int)attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      REQUIRE(value >= 0 && value + f->kernel->shared <= most, CUDA_ERROR_INVALID_VALUE);
      f->dynamic_shared = value;
      return leave(0);
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      REQUIRE(value >= -1 && value <= 100, CUDA_ERROR_INVALID_VALUE);
      f->carveout = value;
      return leave(0);
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      f->non_portable = value != 0;
      return leave(0);
    default: return leave(CUDA_ERROR_INVALID_VALUE);
  }
}

SINCE_12_4 CUresult cuFuncLoad(CUfunction function) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_find(function, K_FUNCTION) ? 0 : CUDA_ERROR_INVALID_HANDLE);
}

SINCE_12_4 CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size) {
  ENTER(NEEDS_CONTEXT);
  struct object *f = fake_find(function, K_FUNCTION);
  REQUIRE(f, CUDA_ERROR_INVALID_HANDLE);
  REQUIRE(offset && index < (size_t)f->kernel->count, CUDA_ERROR_INVALID_VALUE);
  *offset = f->kernel->offset[index];
  if (size) *size = f->kernel->size[index];
  return leave(0);
}

static int blocks_of(const struct object *f, int threads, size_t dynamic) {
  const int *d = fake.devices[f->device].attribute;
  if (threads < 1 || threads > f->kernel->threads) return 0;
  int warps = (threads + 31) / 32;
  int blocks = d[CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR];
  int by_threads = d[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR] / (32 * warps);
  int warp_registers = (32 * f->kernel->regs + 255) / 256 * 256;
  int by_registers = d[CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR] / (warp_registers ? warp_registers : 256) / warps;
  size_t shared = (size_t)f->kernel->shared + dynamic + (size_t)d[CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK];
  shared = (shared + 127) / 128 * 128;
  int by_shared = (int)((size_t)d[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR] / shared);
  if (by_threads < blocks) blocks = by_threads;
  if (by_registers < blocks) blocks = by_registers;
  return by_shared < blocks ? by_shared : blocks;
}

EXPORT CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t dynamic) {
  ENTER(NEEDS_CONTEXT);
  struct object *f = fake_find(function, K_FUNCTION);
  REQUIRE(f, CUDA_ERROR_INVALID_HANDLE);
  REQUIRE(blocks && threads > 0, CUDA_ERROR_INVALID_VALUE);
  *blocks = blocks_of(f, threads, dynamic);
  return leave(0);
}

static int shape_of(const CUlaunchConfig *c, struct shape *shape) {
  *shape = (struct shape){{c->gridDimX, c->gridDimY, c->gridDimZ}, {c->blockDimX, c->blockDimY, c->blockDimZ}, {0, 0, 0},
                          c->sharedMemBytes, 0};
  for (unsigned int i = 0; i < c->numAttrs; i++) {
    const CUlaunchAttribute *a = &c->attrs[i];
    if ((int)a->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) shape->cooperative = a->value.cooperative;
    else if ((int)a->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      shape->cluster[0] = a->value.clusterDim.x;
      shape->cluster[1] = a->value.clusterDim.y;
      shape->cluster[2] = a->value.clusterDim.z;
    } else return CUDA_ERROR_NOT_SUPPORTED;
  }
  return 0;
}

SINCE_11_7 CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config) {
  ENTER(NEEDS_CONTEXT);
  struct object *f = fake_find(function, K_FUNCTION);
  REQUIRE(f, CUDA_ERROR_INVALID_HANDLE);
  struct shape s;
  REQUIRE(clusters && config && !shape_of(config, &s) && fake_product(s.cluster), CUDA_ERROR_INVALID_VALUE);
  const int *d = fake.devices[f->device].attribute;
  REQUIRE(d[CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH], CUDA_ERROR_NOT_SUPPORTED);
  *clusters = (int)(blocks_of(f, (int)fake_product(s.block), s.shared) * (uint64_t)d[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] /
                    fake_product(s.cluster));
  return leave(0);
}

SINCE_11_7 CUresult cuOccupancyMaxPotentialClusterSize(int *blocks, CUfunction function, const CUlaunchConfig *config) {
  ENTER(NEEDS_CONTEXT);
  struct object *f = fake_find(function, K_FUNCTION);
  REQUIRE(f, CUDA_ERROR_INVALID_HANDLE);
  REQUIRE(blocks && config, CUDA_ERROR_INVALID_VALUE);
  REQUIRE(fake.devices[f->device].attribute[CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH], CUDA_ERROR_NOT_SUPPORTED);
  *blocks = f->non_portable ? 16 : 8;
  return leave(0);
}

/* -------- memory -------- */

EXPORT CUresult cuMemGetInfo_v2(size_t *available, size_t *total) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_available(available, total));
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(address && bytes, CUDA_ERROR_INVALID_VALUE);
  REQUIRE(!fake_is_capturing(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  *address = fake_allocate(fake_current(), bytes);
  return leave(*address ? 0 : CUDA_ERROR_OUT_OF_MEMORY);
}

EXPORT CUresult cuMemFree_v2(CUdeviceptr address) {
  ENTER(NEEDS_CONTEXT);
  return leave(!address || fake_free(address) ? 0 : CUDA_ERROR_INVALID_VALUE);
}

EXPORT CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags) {
  (void)flags;
  ENTER(NEEDS_CONTEXT);
  REQUIRE(pointer && bytes, CUDA_ERROR_INVALID_VALUE);
  *pointer = fake_host_allocate(bytes);
  return leave(*pointer ? 0 : CUDA_ERROR_OUT_OF_MEMORY);
}

EXPORT CUresult cuMemFreeHost(void *pointer) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_host_free(pointer) ? 0 : CUDA_ERROR_INVALID_VALUE);
}

EXPORT CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *address, void *pointer, unsigned int flags) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(address && !flags && fake_host_holds(pointer, 1), CUDA_ERROR_INVALID_VALUE);
  *address = (CUdeviceptr)(uintptr_t)pointer;
  return leave(0);
}

EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_at_once(&(struct work){.type = W_COPY, .to = to, .from = host(from), .host_from = 1, .bytes = bytes}));
}

EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_at_once(&(struct work){.type = W_COPY, .to = host(to), .host_to = 1, .from = from, .bytes = bytes}));
}

EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_at_once(&(struct work){.type = W_COPY, .to = to, .from = from, .bytes = bytes}));
}

EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_queued(stream, &(struct work){.type = W_COPY, .to = to, .from = host(from), .host_from = 1, .bytes = bytes}));
}

EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_queued(stream, &(struct work){.type = W_COPY, .to = host(to), .host_to = 1, .from = from, .bytes = bytes}));
}

EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_queued(stream, &(struct work){.type = W_COPY, .to = to, .from = from, .bytes = bytes}));
}

EXPORT CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_at_once(&(struct work){.type = W_SET8, .to = to, .value = value, .bytes = count}));
}

EXPORT CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned int value, size_t count) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_at_once(&(struct work){.type = W_SET32, .to = to, .value = value, .bytes = 4 * count}));
}

EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_queued(stream, &(struct work){.type = W_SET8, .to = to, .value = value, .bytes = count}));
}

EXPORT CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_queued(stream, &(struct work){.type = W_SET32, .to = to, .value = value, .bytes = 4 * count}));
}

/* -------- streams -------- */

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned int flags) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(stream && flags <= 1, CUDA_ERROR_INVALID_VALUE);
  return leave(fake_stream_create((void **)stream));
}

EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_stream_destroy(stream));
}

EXPORT CUresult cuStreamQuery(CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_stream_query(stream));
}

EXPORT CUresult cuStreamSynchronize(CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_stream_synchronize(stream));
}

EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(!flags, CUDA_ERROR_INVALID_VALUE);
  return leave(fake_stream_wait(stream, event));
}

SINCE_11_7 CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_on_word(stream, W_WAIT_VALUE, address, value, flags));
}

SINCE_11_7 CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_on_word(stream, W_WRITE_VALUE, address, value, flags));
}

EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_begin_capture(stream, (int)mode));
}

EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_end_capture(stream, (void **)graph));
}

/* -------- events -------- */

EXPORT CUresult cuEventCreate(CUevent *event, unsigned int flags) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(event && flags < 8, CUDA_ERROR_INVALID_VALUE);
  return leave(fake_event_create((void **)event, !(flags & CU_EVENT_DISABLE_TIMING)));
}

EXPORT CUresult cuEventDestroy_v2(CUevent event) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_destroy(event, K_EVENT));
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_event_record(event, stream));
}

EXPORT CUresult cuEventQuery(CUevent event) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_event_query(event));
}

EXPORT CUresult cuEventSynchronize(CUevent event) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_event_synchronize(event));
}

EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_elapsed(milliseconds, start, end));
}

SINCE_12_8 CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_elapsed(milliseconds, start, end));
}

/* -------- launches -------- */

static int launch(CUfunction function, const struct shape *s, CUstream stream, void **parameters, void **extra) {
  struct object *f = fake_find(function, K_FUNCTION), *q = fake_stream(stream);
  if (!f || !q) return CUDA_ERROR_INVALID_HANDLE;
  const int *d = fake.devices[f->device].attribute;
  uint64_t threads = fake_product(s->block), blocks = fake_product(s->grid), cluster = fake_product(s->cluster);
  if (!threads || !blocks || threads > (uint64_t)f->kernel->threads) return CUDA_ERROR_INVALID_VALUE;
  for (int i = 0; i < 3; i++)
    if (s->block[i] > (uint32_t)d[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i] ||
        s->grid[i] > (uint32_t)d[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i])
      return CUDA_ERROR_INVALID_VALUE;
  if (s->shared > (uint32_t)f->dynamic_shared) return CUDA_ERROR_INVALID_VALUE;
  if (cluster) {
    if (!d[CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH]) return CUDA_ERROR_NOT_SUPPORTED;
    if (cluster > (f->non_portable ? 16u : 8u)) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    for (int i = 0; i < 3; i++)
      if (s->grid[i] % s->cluster[i]) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
  }
  if (s->cooperative && blocks > (uint64_t)blocks_of(f, (int)threads, s->shared) *
                                     (uint64_t)d[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT])
    return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  if (extra) return CUDA_ERROR_NOT_SUPPORTED;
  if (f->kernel->count && !parameters) return CUDA_ERROR_INVALID_VALUE;
  unsigned char packed[PARAMETER_BYTES];
  fake_pack(f->kernel, parameters, packed);
  return fake_launch_kernel(f, q, s, packed);
}

EXPORT CUresult cuLaunchKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
                               unsigned int by, unsigned int bz, unsigned int shared, CUstream stream, void **parameters,
                               void **extra) {
  ENTER(NEEDS_CONTEXT);
  return leave(launch(f, &(struct shape){{gx, gy, gz}, {bx, by, bz}, {0, 0, 0}, shared, 0}, stream, parameters, extra));
}

EXPORT CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
                                          unsigned int by, unsigned int bz, unsigned int shared, CUstream stream,
                                          void **parameters) {
  ENTER(NEEDS_CONTEXT);
  return leave(launch(f, &(struct shape){{gx, gy, gz}, {bx, by, bz}, {0, 0, 0}, shared, 1}, stream, parameters, NULL));
}

SINCE_11_6 CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **parameters, void **extra) {
  ENTER(NEEDS_CONTEXT);
  struct shape s;
  REQUIRE(config, CUDA_ERROR_INVALID_VALUE);
  int status = shape_of(config, &s);
  return leave(status ? status : launch(f, &s, config->hStream, parameters, extra));
}

/* -------- graphs -------- */

SINCE_11_4 CUresult cuGraphInstantiateWithFlags(CUgraphExec *executable, CUgraph graph, unsigned long long flags) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(!flags, CUDA_ERROR_INVALID_VALUE);
  return leave(fake_instantiate((void **)executable, graph));
}

SINCE_11_1 CUresult cuGraphUpload(CUgraphExec executable, CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_graph_upload(executable, stream));
}

EXPORT CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_graph_launch(executable, stream));
}

EXPORT CUresult cuGraphExecDestroy(CUgraphExec executable) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_destroy(executable, K_EXEC));
}

EXPORT CUresult cuGraphDestroy(CUgraph graph) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_destroy(graph, K_GRAPH));
}

/* -------- tensor maps -------- */

/* The fake's own encoding: NVIDIA does not publish the driver's. */
SINCE_12_0 CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                           const cuuint64_t *extents, const cuuint64_t *strides, const cuuint32_t *box,
                                           const cuuint32_t *steps, CUtensorMapInterleave interleave,
                                           CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                           CUtensorMapFloatOOBfill fill) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(fake.devices[fake_current()].attribute[CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED], CUDA_ERROR_NOT_SUPPORTED);
  REQUIRE(map && (uintptr_t)map % 64 == 0 && (uintptr_t)address % 16 == 0 && rank >= 1 && rank <= 5 && !interleave,
          CUDA_ERROR_INVALID_VALUE);
  memset(map, 0, sizeof *map);
  map->opaque[0] = (uint64_t)(uintptr_t)address;
  map->opaque[1] = (uint64_t)type | (uint64_t)rank << 8 | (uint64_t)swizzle << 16 | (uint64_t)promotion << 24 | (uint64_t)fill << 32;
  for (cuuint32_t i = 0; i < rank; i++) {
    REQUIRE(extents[i] >= 1 && extents[i] <= 1ull << 32 && box[i] >= 1 && box[i] <= 256 && steps[i] >= 1 && steps[i] <= 8,
            CUDA_ERROR_INVALID_VALUE);
    REQUIRE(i + 1 == rank || (strides[i] % 16 == 0 && strides[i] < 1ull << 40), CUDA_ERROR_INVALID_VALUE);
    map->opaque[2 + i] = extents[i];
    map->opaque[7 + i] = i + 1 < rank ? strides[i] : 0;
    map->opaque[12 + i / 2] |= (uint64_t)(box[i] | steps[i] << 16) << 32 * (i % 2);
  }
  return leave(0);
}

/* -------- what nobody may call: functions with 32-bit sizes and addresses, and other ABIs of before -------- */

#ifndef PANAMARK_WITH_CUDA_H
#define OLD(name)               \
  EXPORT CUresult name(void) {  \
    fake_lock();                \
    fake.old_abi++;             \
    return leave(CUDA_ERROR_UNKNOWN); \
  }
OLD(cuMemAlloc)
OLD(cuMemFree)
OLD(cuMemGetInfo)
OLD(cuMemcpyHtoD)
OLD(cuMemcpyDtoH)
OLD(cuMemcpyDtoD)
OLD(cuMemcpyHtoDAsync)
OLD(cuMemcpyDtoHAsync)
OLD(cuMemcpyDtoDAsync)
OLD(cuMemsetD8)
OLD(cuMemsetD32)
OLD(cuMemHostGetDevicePointer)
OLD(cuModuleGetGlobal)
OLD(cuDeviceTotalMem)
OLD(cuDevicePrimaryCtxRelease)
OLD(cuDevicePrimaryCtxReset)
OLD(cuStreamDestroy)
OLD(cuStreamBeginCapture)
OLD(cuStreamWaitValue32)
OLD(cuStreamWriteValue32)
OLD(cuEventDestroy)
#endif
