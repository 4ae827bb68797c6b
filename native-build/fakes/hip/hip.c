/* The functions of the HIP runtime, as libamdhip64.so exports them. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "../calls.h"
#include "types.h"

/* A library exports what its release has, FAKE_HIP; a function of a later one stays inside. */
#if FAKE_HIP >= 50300000
#define SINCE_5_3 EXPORT
#else
#define SINCE_5_3 HIDDEN
#endif
#if FAKE_HIP >= 50500000
#define SINCE_5_5 EXPORT
#else
#define SINCE_5_5 HIDDEN
#endif
#if FAKE_HIP >= 60000000
#define SINCE_6_0 EXPORT
#else
#define SINCE_6_0 HIDDEN
#endif

/* -------- the runtime and its devices -------- */

EXPORT hipError_t hipInit(unsigned int flags) {
  ENTER(NEEDS_INIT);
  return leave(flags ? hipErrorInvalidValue : 0);
}

EXPORT hipError_t hipRuntimeGetVersion(int *version) {
  ENTER(NEEDS_NOTHING);
  REQUIRE(version, hipErrorInvalidValue);
  *version = fake.version;
  return leave(0);
}

EXPORT const char *hipGetErrorName(hipError_t error) { return fake_error_name((int)error); }

EXPORT const char *hipGetErrorString(hipError_t error) { return fake_error_text((int)error); }

EXPORT hipError_t hipGetDeviceCount(int *count) {
  static struct call call = {.name = __func__};
  int status = fake_enter(&call, NEEDS_INIT);
  REQUIRE(count, hipErrorInvalidValue);
  *count = fake.visible_count;
  /* As 5.2.3 was seen to tell it. */
  return leave(status == hipErrorInvalidDevice && !fake.visible_count ? hipErrorNoDevice : status);
}

EXPORT hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
  ENTER(NEEDS_INIT);
  REQUIRE(device, hipErrorInvalidValue);
  REQUIRE(fake_device(ordinal), hipErrorInvalidDevice);
  *device = ordinal;
  return leave(0);
}

EXPORT hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device) {
  ENTER(NEEDS_INIT);
  struct device *d = fake_device(device);
  REQUIRE(d, hipErrorInvalidDevice);
  REQUIRE(name && length > 0, hipErrorInvalidValue);
  snprintf(name, (size_t)length, "%s", d->name);
  return leave(0);
}

EXPORT hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device) {
  ENTER(NEEDS_INIT);
  struct device *d = fake_device(device);
  REQUIRE(d, hipErrorInvalidDevice);
  REQUIRE(uuid, hipErrorInvalidValue);
  memcpy(uuid->bytes, d->uuid, sizeof uuid->bytes);
  return leave(0);
}

EXPORT hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute, int device) {
  ENTER(NEEDS_INIT);
  struct device *d = fake_device(device);
  REQUIRE(d, hipErrorInvalidDevice);
  int at = fake_api.attribute((int)attribute);
  REQUIRE(value && at >= 0, hipErrorInvalidValue);
  *value = d->attribute[at];
  return leave(0);
}

EXPORT hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
  ENTER(NEEDS_INIT);
  struct device *d = fake_device(device);
  REQUIRE(d, hipErrorInvalidDevice);
  REQUIRE(bytes, hipErrorInvalidValue);
  *bytes = d->memory;
  return leave(0);
}

EXPORT hipError_t hipDeviceGetPCIBusId(char *id, int length, int device) {
  ENTER(NEEDS_INIT);
  struct device *d = fake_device(device);
  REQUIRE(d, hipErrorInvalidDevice);
  REQUIRE(id && length > 12, hipErrorInvalidValue);
  snprintf(id, (size_t)length, "%s", d->bus);
  return leave(0);
}

/* What is not filled has ones in every bit: whoever reads one layout by the other sees nonsense, not zeros. */
#define FILL(properties, device)                                                                    \
  memset(properties, 0xff, sizeof *(properties));                                                   \
  snprintf((properties)->name, sizeof(properties)->name, "%s", (device)->name);                     \
  snprintf((properties)->gcnArchName, sizeof(properties)->gcnArchName, "%s", (device)->isa);        \
  (properties)->totalGlobalMem = (device)->memory;                                                  \
  (properties)->warpSize = (device)->attribute[hipDeviceAttributeWarpSize];                         \
  (properties)->multiProcessorCount = (device)->attribute[hipDeviceAttributeMultiprocessorCount]

SINCE_6_0 hipError_t hipGetDevicePropertiesR0600(hipDeviceProp_tR0600 *properties, int device) {
  ENTER(NEEDS_INIT);
  struct device *d = fake_device(device);
  REQUIRE(d, hipErrorInvalidDevice);
  REQUIRE(properties, hipErrorInvalidValue);
  FILL(properties, d);
  return leave(0);
}

/* The old layout under the plain name, in 6.x too. */
EXPORT hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000 *properties, int device);
EXPORT hipError_t hipGetDeviceProperties(hipDeviceProp_tR0000 *properties, int device) {
  ENTER(NEEDS_INIT);
  struct device *d = fake_device(device);
  REQUIRE(d, hipErrorInvalidDevice);
  REQUIRE(properties, hipErrorInvalidValue);
  FILL(properties, d);
  return leave(0);
}

EXPORT hipError_t hipSetDevice(int device) {
  ENTER(NEEDS_INIT);
  REQUIRE(fake_device(device), hipErrorInvalidDevice);
  fake_make_current(fake.visible[device]);
  return leave(0);
}

EXPORT hipError_t hipGetDevice(int *device) {
  ENTER(NEEDS_INIT);
  REQUIRE(device, hipErrorInvalidValue);
  for (int i = 0; i < fake.visible_count; i++)
    if (fake.visible[i] == fake_current()) *device = i;
  return leave(0);
}

EXPORT hipError_t hipDeviceReset(void) {
  ENTER(NEEDS_INIT);
  return leave(fake_clear_device(fake_current()));
}

EXPORT hipError_t hipDeviceSynchronize(void) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_synchronize_device());
}

/* -------- modules -------- */

EXPORT hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
  ENTER(NEEDS_CONTEXT);
  char log[1024] = ""; /* which HIP does not hand out */
  return leave(fake_load((void **)module, image, log, sizeof log));
}

EXPORT hipError_t hipModuleUnload(hipModule_t module) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_unload(module));
}

EXPORT hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t module, const char *name) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(function && name, hipErrorInvalidValue);
  struct object *f;
  int status = fake_function(&f, module, name);
  REQUIRE(!status, status);
  *function = fake_handle(f);
  return leave(0);
}

EXPORT hipError_t hipModuleGetGlobal(hipDeviceptr_t *address, size_t *bytes, hipModule_t module, const char *name) {
  ENTER(NEEDS_CONTEXT);
  struct object *m = fake_find(module, K_MODULE);
  REQUIRE(m, hipErrorInvalidHandle);
  REQUIRE(address && bytes && name, hipErrorInvalidValue);
  const struct global *g = fake_global(m, name);
  REQUIRE(g, hipErrorNotFound);
  *address = (hipDeviceptr_t)(uintptr_t)g->address;
  *bytes = g->bytes;
  return leave(0);
}

static int attribute_of(const struct object *f, int attribute, int *value) {
  const int *d = fake.devices[f->device].attribute;
  switch (attribute) {
    case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = f->kernel->threads; break;
    case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = f->kernel->shared; break;
    case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *value = 0; break;
    case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = f->kernel->local; break;
    case HIP_FUNC_ATTRIBUTE_NUM_REGS: *value = f->kernel->regs; break;
    case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = 10 * d[hipDeviceAttributeComputeCapabilityMajor] + d[hipDeviceAttributeComputeCapabilityMinor];
      break;
    case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = d[hipDeviceAttributeMaxSharedMemoryPerBlock] - f->kernel->shared;
      break;
    default: return hipErrorInvalidValue;
  }
  return 0;
}

EXPORT hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute, hipFunction_t function) {
  ENTER(NEEDS_CONTEXT);
  struct object *f = fake_find(function, K_FUNCTION);
  REQUIRE(f, hipErrorInvalidHandle);
  REQUIRE(value, hipErrorInvalidValue);
  return leave(attribute_of(f, (int)attribute, value));
}

/*
 * By the four SIMDs of a CU, each with 8 waves at most and 512 registers a lane, given out by eights (CDNA2 and later, where
 * the accumulation registers are of them), by LDS, and by 16 groups of several waves.
 */
static int blocks_of(const struct object *f, int threads, size_t dynamic) {
  const int *d = fake.devices[f->device].attribute;
  if (threads < 1 || threads > f->kernel->threads) return 0;
  int waves = (threads + 63) / 64;
  int registers = f->kernel->regs < 8 ? 8 : (f->kernel->regs + 7) / 8 * 8;
  int by_registers = 512 / registers;
  int blocks = 4 * (by_registers < 8 ? by_registers : 8) / waves;
  size_t shared = (size_t)f->kernel->shared + dynamic;
  size_t by_shared = shared ? (size_t)d[fake_api.attribute(hipDeviceAttributeMaxSharedMemoryPerMultiprocessor)] / shared : 32;
  if (waves > 1 && blocks > 16) blocks = 16;
  return by_shared < (size_t)blocks ? (int)by_shared : blocks;
}

EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, hipFunction_t function, int threads,
                                                                     size_t dynamic) {
  ENTER(NEEDS_CONTEXT);
  struct object *f = fake_find(function, K_FUNCTION);
  REQUIRE(f, hipErrorInvalidHandle);
  REQUIRE(blocks && threads > 0, hipErrorInvalidValue);
  *blocks = blocks_of(f, threads, dynamic);
  return leave(0);
}

/* -------- launches -------- */

/* Parameters in one piece: pairs of a name and a value, up to HIP_LAUNCH_PARAM_END. */
static int packed_by(void **extra, const struct kernel *kernel, unsigned char *packed) {
  const void *from = NULL;
  size_t bytes = 0;
  for (; *extra != HIP_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == HIP_LAUNCH_PARAM_BUFFER_POINTER) from = extra[1];
    else if (*extra == HIP_LAUNCH_PARAM_BUFFER_SIZE) bytes = *(const size_t *)extra[1];
    else return hipErrorInvalidValue;
  }
  if (!from || bytes < kernel->bytes) return hipErrorInvalidValue;
  memcpy(packed, from, kernel->bytes);
  return 0;
}

static int launch(hipFunction_t function, const struct shape *s, hipStream_t stream, void **parameters, void **extra) {
  struct object *f = fake_find(function, K_FUNCTION), *q = fake_stream(stream);
  if (!f || !q) return hipErrorInvalidHandle;
  const int *d = fake.devices[f->device].attribute;
  uint64_t threads = fake_product(s->block), blocks = fake_product(s->grid);
  if (!blocks || !threads) return hipErrorInvalidValue;
  /* 7.0 tells a block that is too large from other arguments. */
  int oversized = FAKE_HIP >= 70000000 ? hipErrorInvalidConfiguration : hipErrorInvalidValue;
  if (threads > (uint64_t)f->kernel->threads) return oversized;
  for (int i = 0; i < 3; i++) {
    if (s->block[i] > (uint32_t)d[hipDeviceAttributeMaxBlockDimX + i]) return oversized;
    if (s->grid[i] > (uint32_t)d[hipDeviceAttributeMaxGridDimX + i]) return hipErrorInvalidValue;
  }
  if ((uint64_t)s->shared + (uint64_t)f->kernel->shared > (uint64_t)d[hipDeviceAttributeMaxSharedMemoryPerBlock])
    return hipErrorInvalidValue;
  if (s->cooperative && blocks > (uint64_t)blocks_of(f, (int)threads, s->shared) *
                                     (uint64_t)d[hipDeviceAttributeMultiprocessorCount])
    return hipErrorCooperativeLaunchTooLarge;
  if (parameters && extra) return hipErrorInvalidValue;
  unsigned char packed[PARAMETER_BYTES];
  if (extra) {
    int status = packed_by(extra, f->kernel, packed);
    if (status) return status;
  } else {
    if (f->kernel->count && !parameters) return hipErrorInvalidValue;
    fake_pack(f->kernel, parameters, packed);
  }
  return fake_launch_kernel(f, q, s, packed);
}

EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t f, unsigned int gx, unsigned int gy, unsigned int gz, unsigned int bx,
                                        unsigned int by, unsigned int bz, unsigned int shared, hipStream_t stream,
                                        void **parameters, void **extra) {
  ENTER(NEEDS_CONTEXT);
  return leave(launch(f, &(struct shape){{gx, gy, gz}, {bx, by, bz}, {0, 0, 0}, shared, 0}, stream, parameters, extra));
}

SINCE_5_5 hipError_t hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned int gx, unsigned int gy, unsigned int gz,
                                                      unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared,
                                                      hipStream_t stream, void **parameters) {
  ENTER(NEEDS_CONTEXT);
  return leave(launch(f, &(struct shape){{gx, gy, gz}, {bx, by, bz}, {0, 0, 0}, shared, 1}, stream, parameters, NULL));
}

/* -------- memory -------- */

EXPORT hipError_t hipMemGetInfo(size_t *available, size_t *total) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_available(available, total));
}

EXPORT hipError_t hipMalloc(void **pointer, size_t bytes) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(pointer, hipErrorInvalidValue);
  REQUIRE(!fake_is_capturing(), hipErrorStreamCaptureUnsupported);
  *pointer = NULL;
  REQUIRE(bytes, 0);
  *pointer = (void *)(uintptr_t)fake_allocate(fake_current(), bytes);
  return leave(*pointer ? 0 : hipErrorOutOfMemory);
}

EXPORT hipError_t hipFree(void *pointer) {
  ENTER(NEEDS_CONTEXT);
  return leave(!pointer || fake_free(host(pointer)) ? 0 : hipErrorInvalidValue);
}

EXPORT hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned int flags) {
  (void)flags;
  ENTER(NEEDS_CONTEXT);
  REQUIRE(pointer && bytes, hipErrorInvalidValue);
  *pointer = fake_host_allocate(bytes);
  return leave(*pointer ? 0 : hipErrorOutOfMemory);
}

EXPORT hipError_t hipHostFree(void *pointer) {
  ENTER(NEEDS_CONTEXT);
  return leave(!pointer || fake_host_free(pointer) ? 0 : hipErrorInvalidValue);
}

EXPORT hipError_t hipHostGetDevicePointer(void **address, void *pointer, unsigned int flags) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(address && !flags && fake_host_holds(pointer, 1), hipErrorInvalidValue);
  *address = pointer;
  return leave(0);
}

#define TO_DEVICE {.type = W_COPY, .to = host(to), .from = host(from), .host_from = 1, .bytes = bytes}
#define TO_HOST {.type = W_COPY, .to = host(to), .host_to = 1, .from = host(from), .bytes = bytes}
#define ON_DEVICE {.type = W_COPY, .to = host(to), .from = host(from), .bytes = bytes}
#define FILL_8 {.type = W_SET8, .to = host(to), .value = value, .bytes = count}
#define FILL_32 {.type = W_SET32, .to = host(to), .value = (uint32_t)value, .bytes = 4 * count}

EXPORT hipError_t hipMemcpyHtoD(hipDeviceptr_t to, void *from, size_t bytes) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_at_once(&(struct work)TO_DEVICE));
}

EXPORT hipError_t hipMemcpyDtoH(void *to, hipDeviceptr_t from, size_t bytes) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_at_once(&(struct work)TO_HOST));
}

EXPORT hipError_t hipMemcpyDtoD(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_at_once(&(struct work)ON_DEVICE));
}

EXPORT hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t to, void *from, size_t bytes, hipStream_t stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_queued(stream, &(struct work)TO_DEVICE));
}

EXPORT hipError_t hipMemcpyDtoHAsync(void *to, hipDeviceptr_t from, size_t bytes, hipStream_t stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_queued(stream, &(struct work)TO_HOST));
}

EXPORT hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t to, hipDeviceptr_t from, size_t bytes, hipStream_t stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_queued(stream, &(struct work)ON_DEVICE));
}

EXPORT hipError_t hipMemsetD8(hipDeviceptr_t to, unsigned char value, size_t count) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_at_once(&(struct work)FILL_8));
}

EXPORT hipError_t hipMemsetD32(hipDeviceptr_t to, int value, size_t count) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_at_once(&(struct work)FILL_32));
}

EXPORT hipError_t hipMemsetD8Async(hipDeviceptr_t to, unsigned char value, size_t count, hipStream_t stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_queued(stream, &(struct work)FILL_8));
}

EXPORT hipError_t hipMemsetD32Async(hipDeviceptr_t to, int value, size_t count, hipStream_t stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_queued(stream, &(struct work)FILL_32));
}

/* -------- streams -------- */

EXPORT hipError_t hipStreamCreateWithFlags(hipStream_t *stream, unsigned int flags) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(stream && flags <= 1, hipErrorInvalidValue);
  return leave(fake_stream_create((void **)stream));
}

EXPORT hipError_t hipStreamDestroy(hipStream_t stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_stream_destroy(stream));
}

EXPORT hipError_t hipStreamQuery(hipStream_t stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_stream_query(stream));
}

EXPORT hipError_t hipStreamSynchronize(hipStream_t stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_stream_synchronize(stream));
}

EXPORT hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned int flags) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(!flags, hipErrorInvalidValue);
  return leave(fake_stream_wait(stream, event));
}

/* Masks are none of the queue's: only whole words are waited for. */
EXPORT hipError_t hipStreamWaitValue32(hipStream_t stream, void *address, uint32_t value, unsigned int flags, uint32_t mask) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(mask == UINT32_MAX, hipErrorInvalidValue);
  return leave(fake_on_word(stream, W_WAIT_VALUE, host(address), value, flags));
}

EXPORT hipError_t hipStreamWriteValue32(hipStream_t stream, void *address, uint32_t value, unsigned int flags) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_on_word(stream, W_WRITE_VALUE, host(address), value, flags));
}

EXPORT hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_begin_capture(stream, (int)mode));
}

EXPORT hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_end_capture(stream, (void **)graph));
}

/* -------- events -------- */

EXPORT hipError_t hipEventCreateWithFlags(hipEvent_t *event, unsigned int flags) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(event && flags < 4, hipErrorInvalidValue);
  return leave(fake_event_create((void **)event, !(flags & hipEventDisableTiming)));
}

EXPORT hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_event_record(event, stream));
}

EXPORT hipError_t hipEventQuery(hipEvent_t event) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_event_query(event));
}

EXPORT hipError_t hipEventSynchronize(hipEvent_t event) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_event_synchronize(event));
}

EXPORT hipError_t hipEventElapsedTime(float *milliseconds, hipEvent_t start, hipEvent_t end) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_elapsed(milliseconds, start, end));
}

EXPORT hipError_t hipEventDestroy(hipEvent_t event) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_destroy(event, K_EVENT));
}

/* -------- graphs -------- */

EXPORT hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *executable, hipGraph_t graph, unsigned long long flags) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(!flags, hipErrorInvalidValue);
  return leave(fake_instantiate((void **)executable, graph));
}

SINCE_5_3 hipError_t hipGraphUpload(hipGraphExec_t executable, hipStream_t stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_graph_upload(executable, stream));
}

EXPORT hipError_t hipGraphLaunch(hipGraphExec_t executable, hipStream_t stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_graph_launch(executable, stream));
}

EXPORT hipError_t hipGraphExecDestroy(hipGraphExec_t executable) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_destroy(executable, K_EXEC));
}

EXPORT hipError_t hipGraphDestroy(hipGraph_t graph) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_destroy(graph, K_GRAPH));
}
