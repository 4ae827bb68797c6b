/* The functions of the CUDA driver API, as libcuda.so.1 exports them. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

/*
 * A driver exports what its release has. FAKE_CUDA is that release; a function of a later one stays inside the library,
 * where a lookup does not find it.
 */
#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
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

static int leave(int status) {
  fake_unlock();
  return status;
}

#define ENTER(needs)                     \
  static struct call call = {.name = __func__}; \
  int entered = fake_enter(&call, needs); \
  if (entered) return leave(entered)

#define REQUIRE(condition, status) \
  if (!(condition)) return leave(status)

static struct device *device_of(CUdevice handle) {
  return handle >= 0 && handle < fake.visible_count ? &fake.devices[fake.visible[handle]] : NULL;
}

/* -------- the driver and its devices -------- */

static void read_visible(void) {
  fake.visible_count = 0;
  const char *list = getenv("CUDA_VISIBLE_DEVICES");
  for (int i = 0; !list && i < fake.count; i++) fake.visible[fake.visible_count++] = i;
  while (list && *list && fake.visible_count < fake.count) {
    char *end;
    long ordinal = strtol(list, &end, 10);
    if (end == list || ordinal < 0 || ordinal >= fake.count) break; /* as the driver, which ends at what it does not know */
    fake.visible[fake.visible_count++] = (int)ordinal;
    list = *end == ',' ? end + 1 : "";
  }
}

EXPORT CUresult cuInit(unsigned int flags) {
  ENTER(NEEDS_NOTHING);
  REQUIRE(flags == 0, CUDA_ERROR_INVALID_VALUE);
  REQUIRE(!fake.unreadable, CUDA_ERROR_UNKNOWN);
  read_visible();
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
  REQUIRE(device_of(ordinal), CUDA_ERROR_INVALID_DEVICE);
  *device = ordinal;
  return leave(0);
}

EXPORT CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  ENTER(NEEDS_INIT);
  struct device *d = device_of(device);
  REQUIRE(d, CUDA_ERROR_INVALID_DEVICE);
  REQUIRE(name && length > 0, CUDA_ERROR_INVALID_VALUE);
  snprintf(name, (size_t)length, "%s", d->name);
  return leave(0);
}

static int uuid_of(CUuuid *uuid, CUdevice device) {
  struct device *d = device_of(device);
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
  struct device *d = device_of(device);
  REQUIRE(d, CUDA_ERROR_INVALID_DEVICE);
  REQUIRE(value && (int)attribute > 0 && (int)attribute < ATTRIBUTES, CUDA_ERROR_INVALID_VALUE);
  *value = d->attribute[attribute];
  return leave(0);
}

EXPORT CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device) {
  ENTER(NEEDS_INIT);
  struct device *d = device_of(device);
  REQUIRE(d, CUDA_ERROR_INVALID_DEVICE);
  REQUIRE(bytes, CUDA_ERROR_INVALID_VALUE);
  *bytes = d->memory;
  return leave(0);
}

EXPORT CUresult cuDeviceGetPCIBusId(char *id, int length, CUdevice device) {
  ENTER(NEEDS_INIT);
  struct device *d = device_of(device);
  REQUIRE(d, CUDA_ERROR_INVALID_DEVICE);
  REQUIRE(id && length > 12, CUDA_ERROR_INVALID_VALUE);
  snprintf(id, (size_t)length, "%s", d->bus);
  return leave(0);
}

/* -------- contexts -------- */

static _Thread_local struct { uint64_t epoch; struct object *stream; } capturing;

static int is_capturing(void) { return capturing.epoch == fake.epoch && capturing.stream; }

EXPORT CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  ENTER(NEEDS_INIT);
  struct device *d = device_of(device);
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

/*
 * Everything in the context of a device goes. Who runs launches hears of each module first, without the lock, while the
 * memory that it took is still its own to give back.
 */
static int clear_device(int device) {
  fake_loader loader = fake.loader;
  uint64_t epoch = fake.epoch;
  size_t modules = 0;
  uint64_t *unloaded = malloc((fake.object_count + 1) * sizeof *unloaded);
  if (!unloaded) return CUDA_ERROR_OUT_OF_MEMORY;
  for (size_t i = 0; i < fake.object_count; i++) {
    struct object *o = fake.objects[i];
    if (o->device != device || o->kind == K_CONTEXT || o->kind == K_HOST) continue;
    if (o->alive && o->kind == K_MODULE) unloaded[modules++] = (uint64_t)(uintptr_t)fake_handle(o);
    fake_drop_work(o);
    if (o != fake.devices[device].stream) o->alive = 0;
  }
  if (loader && modules) {
    fake_unlock();
    for (size_t i = 0; i < modules; i++) loader(unloaded[i], (uint32_t)device, NULL, NULL, 0);
    fake_lock();
  }
  free(unloaded);
  if (epoch != fake.epoch) return CUDA_ERROR_UNKNOWN;
  fake.devices[device].counters.profiler = NULL;
  while (fake.devices[device].count) fake_free(fake.devices[device].ranges[0][0]);
  return 0;
}

EXPORT CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  ENTER(NEEDS_INIT);
  struct device *d = device_of(device);
  REQUIRE(d, CUDA_ERROR_INVALID_DEVICE);
  REQUIRE(d->retained > 0, CUDA_ERROR_INVALID_CONTEXT);
  return leave(--d->retained ? 0 : clear_device(fake.visible[device]));
}

EXPORT CUresult cuDevicePrimaryCtxReset_v2(CUdevice device) {
  ENTER(NEEDS_INIT);
  REQUIRE(device_of(device), CUDA_ERROR_INVALID_DEVICE);
  return leave(clear_device(fake.visible[device]));
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
  REQUIRE(!is_capturing(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  int device = fake_current();
  uint64_t epoch = fake.epoch;
  int status = 0;
  for (size_t i = 0; i < fake.object_count && !status; i++) {
    struct object *o = fake.objects[i];
    if (o->alive && o->kind == K_STREAM && o->device == device) status = fake_wait(o);
    if (epoch != fake.epoch) break;
  }
  return leave(status);
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
  REQUIRE(module && image, CUDA_ERROR_INVALID_VALUE);
  struct object *m = fake_make(K_MODULE, fake_current());
  REQUIRE(m, CUDA_ERROR_OUT_OF_MEMORY);
  char log[1024] = "";
  int status = fake_read_image(m, image, m->device, log, sizeof log);
  if (!status && fake.loader) {
    fake_loader loader = fake.loader;
    uint64_t epoch = fake.epoch, id = (uint64_t)(uintptr_t)fake_handle(m);
    uint32_t device = (uint32_t)m->device;
    fake_unlock();
    status = loader(id, device, image, log, sizeof log);
    fake_lock();
    REQUIRE(epoch == fake.epoch, CUDA_ERROR_UNKNOWN);
  }
  if (status) {
    tell(log, count, options, values, CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
    for (struct global *g = m->globals; g; g = g->next)
      if (g->address && !g->engines) fake_free(g->address);
    m->alive = 0;
    return leave(status);
  }
  tell(log, count, options, values, CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES);
  *module = fake_handle(m);
  return leave(0);
}

EXPORT CUresult cuModuleUnload(CUmodule module) {
  ENTER(NEEDS_CONTEXT);
  struct object *m = fake_find(module, K_MODULE);
  REQUIRE(m, CUDA_ERROR_INVALID_HANDLE);
  m->alive = 0;
  for (struct global *g = m->globals; g; g = g->next)
    if (!g->engines) fake_free(g->address);
  for (size_t i = 0; i < fake.object_count; i++)
    if (fake.objects[i]->kind == K_FUNCTION && fake.objects[i]->module == m) fake.objects[i]->alive = 0;
  fake_loader loader = fake.loader;
  uint64_t id = (uint64_t)(uintptr_t)module;
  uint32_t device = (uint32_t)m->device;
  fake_unlock();
  if (loader) loader(id, device, NULL, NULL, 0);
  return 0;
}

EXPORT CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
  ENTER(NEEDS_CONTEXT);
  struct object *m = fake_find(module, K_MODULE);
  REQUIRE(m, CUDA_ERROR_INVALID_HANDLE);
  REQUIRE(function && name, CUDA_ERROR_INVALID_VALUE);
  for (int i = 0; i < m->kernel_count; i++) {
    if (strcmp(m->kernels[i].name, name)) continue;
    struct object *f = fake_make(K_FUNCTION, m->device);
    REQUIRE(f, CUDA_ERROR_OUT_OF_MEMORY);
    f->module = m;
    f->kernel = &m->kernels[i];
    f->dynamic_shared = fake.devices[m->device].attribute[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK] - f->kernel->shared;
    f->carveout = -1;
    *function = fake_handle(f);
    return leave(0);
  }
  return leave(CUDA_ERROR_NOT_FOUND);
}

EXPORT CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
  ENTER(NEEDS_CONTEXT);
  struct object *m = fake_find(module, K_MODULE);
  REQUIRE(m, CUDA_ERROR_INVALID_HANDLE);
  for (struct global *g = m->globals; g; g = g->next) {
    if (strcmp(g->name, name)) continue;
    if (address) *address = g->address;
    if (bytes) *bytes = g->bytes;
    return leave(0);
  }
  return leave(CUDA_ERROR_NOT_FOUND);
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

struct shape {
  uint32_t grid[3], block[3], cluster[3], shared;
  int cooperative;
};

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

static uint64_t product(const uint32_t *three) { return (uint64_t)three[0] * three[1] * three[2]; }

SINCE_11_7 CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction function, const CUlaunchConfig *config) {
  ENTER(NEEDS_CONTEXT);
  struct object *f = fake_find(function, K_FUNCTION);
  REQUIRE(f, CUDA_ERROR_INVALID_HANDLE);
  struct shape s;
  REQUIRE(clusters && config && !shape_of(config, &s) && product(s.cluster), CUDA_ERROR_INVALID_VALUE);
  const int *d = fake.devices[f->device].attribute;
  REQUIRE(d[CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH], CUDA_ERROR_NOT_SUPPORTED);
  *clusters = (int)(blocks_of(f, (int)product(s.block), s.shared) * (uint64_t)d[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] /
                    product(s.cluster));
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
  struct device *d = &fake.devices[fake_current()];
  REQUIRE(available && total, CUDA_ERROR_INVALID_VALUE);
  *available = d->memory - d->used;
  *total = d->memory;
  return leave(0);
}

EXPORT CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(address && bytes, CUDA_ERROR_INVALID_VALUE);
  REQUIRE(!is_capturing(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
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

/* Waits, as the calls without Async do, which go through the default stream. */
static int at_once(struct work *w) {
  if (is_capturing()) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  struct object *stream = fake.devices[fake_current()].stream;
  int status = fake_submit(stream, w);
  return status ? status : fake_wait(stream);
}

static int valid(const struct work *w) {
  return (w->host_to ? w->to != 0 || !w->bytes : fake_host(w->to, w->bytes) != NULL) &&
         (w->type != W_COPY || (w->host_from ? w->from != 0 || !w->bytes : fake_host(w->from, w->bytes) != NULL));
}

static struct object *stream_of(CUstream stream) {
  return stream ? fake_find(stream, K_STREAM) : fake.devices[fake_current()].stream;
}

static int queued(CUstream stream, const struct work *w) {
  struct object *s = stream_of(stream);
  if (!s) return CUDA_ERROR_INVALID_HANDLE;
  return valid(w) ? fake_submit(s, w) : CUDA_ERROR_INVALID_VALUE;
}

static int now(struct work *w) { return valid(w) ? at_once(w) : CUDA_ERROR_INVALID_VALUE; }

static uint64_t host(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

EXPORT CUresult cuMemcpyHtoD_v2(CUdeviceptr to, const void *from, size_t bytes) {
  ENTER(NEEDS_CONTEXT);
  return leave(now(&(struct work){.type = W_COPY, .to = to, .from = host(from), .host_from = 1, .bytes = bytes}));
}

EXPORT CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from, size_t bytes) {
  ENTER(NEEDS_CONTEXT);
  return leave(now(&(struct work){.type = W_COPY, .to = host(to), .host_to = 1, .from = from, .bytes = bytes}));
}

EXPORT CUresult cuMemcpyDtoD_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  ENTER(NEEDS_CONTEXT);
  return leave(now(&(struct work){.type = W_COPY, .to = to, .from = from, .bytes = bytes}));
}

EXPORT CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(queued(stream, &(struct work){.type = W_COPY, .to = to, .from = host(from), .host_from = 1, .bytes = bytes}));
}

EXPORT CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(queued(stream, &(struct work){.type = W_COPY, .to = host(to), .host_to = 1, .from = from, .bytes = bytes}));
}

EXPORT CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(queued(stream, &(struct work){.type = W_COPY, .to = to, .from = from, .bytes = bytes}));
}

EXPORT CUresult cuMemsetD8_v2(CUdeviceptr to, unsigned char value, size_t count) {
  ENTER(NEEDS_CONTEXT);
  return leave(now(&(struct work){.type = W_SET8, .to = to, .value = value, .bytes = count}));
}

EXPORT CUresult cuMemsetD32_v2(CUdeviceptr to, unsigned int value, size_t count) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(to % 4 == 0, CUDA_ERROR_INVALID_VALUE);
  return leave(now(&(struct work){.type = W_SET32, .to = to, .value = value, .bytes = 4 * count}));
}

EXPORT CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(queued(stream, &(struct work){.type = W_SET8, .to = to, .value = value, .bytes = count}));
}

EXPORT CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, size_t count, CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(to % 4 == 0, CUDA_ERROR_INVALID_VALUE);
  return leave(queued(stream, &(struct work){.type = W_SET32, .to = to, .value = value, .bytes = 4 * count}));
}

/* -------- streams -------- */

EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned int flags) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(stream && flags <= 1, CUDA_ERROR_INVALID_VALUE);
  struct object *s = fake_make(K_STREAM, fake_current());
  REQUIRE(s, CUDA_ERROR_OUT_OF_MEMORY);
  *stream = fake_handle(s);
  return leave(0);
}

EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  struct object *s = fake_find(stream, K_STREAM);
  REQUIRE(s, CUDA_ERROR_INVALID_HANDLE);
  if (is_capturing() && capturing.stream == s) capturing.stream = NULL;
  s->alive = 0;
  return leave(0);
}

/* A call that a stream which collects work forbids; collecting fails then. */
static int forbidden(struct object *s) {
  if (!s->capture) return 0;
  s->capture_invalid = 1;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

EXPORT CUresult cuStreamQuery(CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  struct object *s = stream_of(stream);
  REQUIRE(s, CUDA_ERROR_INVALID_HANDLE);
  int status = forbidden(s);
  REQUIRE(!status, status);
  uint64_t epoch = fake.epoch;
  fake_pump_all(s->device);
  REQUIRE(epoch == fake.epoch, CUDA_ERROR_UNKNOWN);
  if (fake_blocked(s) || s->time > fake.now) return leave(CUDA_ERROR_NOT_READY);
  return leave(fake.devices[s->device].broken);
}

EXPORT CUresult cuStreamSynchronize(CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  struct object *s = stream_of(stream);
  REQUIRE(s, CUDA_ERROR_INVALID_HANDLE);
  int status = forbidden(s);
  return leave(status ? status : fake_wait(s));
}

EXPORT CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags) {
  ENTER(NEEDS_CONTEXT);
  struct object *s = stream_of(stream), *e = fake_find(event, K_EVENT);
  REQUIRE(s && e, CUDA_ERROR_INVALID_HANDLE);
  REQUIRE(!flags, CUDA_ERROR_INVALID_VALUE);
  return leave(fake_submit(s, &(struct work){.type = W_WAIT_EVENT, .event = e}));
}

static int on_word(CUstream stream, enum work_type type, CUdeviceptr address, uint32_t value, unsigned int flags) {
  struct object *s = stream_of(stream);
  if (!s) return CUDA_ERROR_INVALID_HANDLE;
  int of_host = fake_host_holds((const void *)(uintptr_t)address, 4);
  if (address % 4 || flags > 3 || (!of_host && !fake_host(address, 4))) return CUDA_ERROR_INVALID_VALUE;
  return fake_submit(
      s, &(struct work){.type = type, .to = address, .host_to = of_host, .bytes = 4, .value = value, .flags = flags});
}

SINCE_11_7 CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags) {
  ENTER(NEEDS_CONTEXT);
  return leave(on_word(stream, W_WAIT_VALUE, address, value, flags));
}

SINCE_11_7 CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned int flags) {
  ENTER(NEEDS_CONTEXT);
  return leave(on_word(stream, W_WRITE_VALUE, address, value, flags));
}

EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode mode) {
  ENTER(NEEDS_CONTEXT);
  struct object *s = fake_find(stream, K_STREAM);
  REQUIRE(s, stream ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  REQUIRE((int)mode >= 0 && (int)mode <= 2 && !s->capture, CUDA_ERROR_INVALID_VALUE);
  s->capture = fake_make(K_GRAPH, s->device);
  REQUIRE(s->capture, CUDA_ERROR_OUT_OF_MEMORY);
  s->capture->alive = 0; /* until it is handed out */
  s->capture_invalid = 0;
  capturing.epoch = fake.epoch;
  capturing.stream = s;
  return leave(0);
}

EXPORT CUresult cuStreamEndCapture(CUstream stream, CUgraph *graph) {
  ENTER(NEEDS_CONTEXT);
  struct object *s = fake_find(stream, K_STREAM);
  REQUIRE(s, CUDA_ERROR_INVALID_HANDLE);
  REQUIRE(graph && s->capture, CUDA_ERROR_INVALID_VALUE);
  struct object *g = s->capture;
  s->capture = NULL;
  capturing.stream = NULL;
  *graph = NULL;
  REQUIRE(!s->capture_invalid, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  g->alive = 1;
  *graph = fake_handle(g);
  return leave(0);
}

/* -------- events -------- */

EXPORT CUresult cuEventCreate(CUevent *event, unsigned int flags) {
  ENTER(NEEDS_CONTEXT);
  REQUIRE(event && flags < 8, CUDA_ERROR_INVALID_VALUE);
  struct object *e = fake_make(K_EVENT, fake_current());
  REQUIRE(e, CUDA_ERROR_OUT_OF_MEMORY);
  e->timing = !(flags & CU_EVENT_DISABLE_TIMING);
  *event = fake_handle(e);
  return leave(0);
}

EXPORT CUresult cuEventDestroy_v2(CUevent event) {
  ENTER(NEEDS_CONTEXT);
  struct object *e = fake_find(event, K_EVENT);
  REQUIRE(e, CUDA_ERROR_INVALID_HANDLE);
  e->alive = 0;
  return leave(0);
}

EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  struct object *e = fake_find(event, K_EVENT), *s = stream_of(stream);
  REQUIRE(e && s, CUDA_ERROR_INVALID_HANDLE);
  return leave(fake_submit(s, &(struct work){.type = W_RECORD, .event = e}));
}

static int is_reached(const struct object *e) { return e->reached >= e->wanted && e->reached_time <= fake.now; }

EXPORT CUresult cuEventQuery(CUevent event) {
  ENTER(NEEDS_CONTEXT);
  struct object *e = fake_find(event, K_EVENT);
  REQUIRE(e, CUDA_ERROR_INVALID_HANDLE);
  uint64_t epoch = fake.epoch;
  fake_pump_all(e->device);
  REQUIRE(epoch == fake.epoch, CUDA_ERROR_UNKNOWN);
  return leave(is_reached(e) ? fake.devices[e->device].broken : CUDA_ERROR_NOT_READY);
}

EXPORT CUresult cuEventSynchronize(CUevent event) {
  ENTER(NEEDS_CONTEXT);
  struct object *e = fake_find(event, K_EVENT);
  REQUIRE(e, CUDA_ERROR_INVALID_HANDLE);
  return leave(fake_wait_event(e));
}

static int elapsed(float *milliseconds, CUevent start, CUevent end) {
  struct object *s = fake_find(start, K_EVENT), *e = fake_find(end, K_EVENT);
  if (!s || !e || !s->timing || !e->timing || !s->wanted || !e->wanted) return CUDA_ERROR_INVALID_HANDLE;
  if (!milliseconds) return CUDA_ERROR_INVALID_VALUE;
  if (!is_reached(s) || !is_reached(e)) return CUDA_ERROR_NOT_READY;
  int64_t from = (int64_t)(s->reached_time / fake.resolution * fake.resolution);
  int64_t to = (int64_t)(e->reached_time / fake.resolution * fake.resolution);
  *milliseconds = (float)((double)(to - from) * 1e-6);
  return 0;
}

EXPORT CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  ENTER(NEEDS_CONTEXT);
  return leave(elapsed(milliseconds, start, end));
}

SINCE_12_8 CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start, CUevent end) {
  ENTER(NEEDS_CONTEXT);
  return leave(elapsed(milliseconds, start, end));
}

/* -------- launches -------- */

static int launch(CUfunction function, const struct shape *s, CUstream stream, void **parameters, void **extra) {
  struct object *f = fake_find(function, K_FUNCTION), *q = stream_of(stream);
  if (!f || !q) return CUDA_ERROR_INVALID_HANDLE;
  const int *d = fake.devices[f->device].attribute;
  uint64_t threads = product(s->block), blocks = product(s->grid), cluster = product(s->cluster);
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
  memset(packed, 0, f->kernel->bytes);
  for (int i = 0; i < f->kernel->count; i++)
    memcpy(packed + f->kernel->offset[i], parameters[i], f->kernel->size[i]);
  struct work w = {.type = W_KERNEL,
                   .function = f,
                   .launch = {.module = (uint64_t)(uintptr_t)fake_handle(f->module),
                              .kernel = f->kernel->name,
                              .shared_bytes = s->shared,
                              .cooperative = s->cooperative != 0,
                              .device = (uint32_t)f->device,
                              .parameter_bytes = f->kernel->bytes,
                              .parameters = packed}};
  memcpy(w.launch.grid, s->grid, sizeof s->grid);
  memcpy(w.launch.block, s->block, sizeof s->block);
  memcpy(w.launch.cluster, s->cluster, sizeof s->cluster);
  return fake_submit(q, &w);
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
  struct object *g = fake_find(graph, K_GRAPH);
  REQUIRE(g, CUDA_ERROR_INVALID_HANDLE);
  REQUIRE(executable && !flags, CUDA_ERROR_INVALID_VALUE);
  struct object *e = fake_make(K_EXEC, g->device);
  REQUIRE(e, CUDA_ERROR_OUT_OF_MEMORY);
  struct object *stream = &(struct object){.capture = e}; /* copies the nodes as collecting would */
  for (struct work *w = g->nodes; w; w = w->next) {
    int status = fake_submit(stream, w);
    REQUIRE(!status, status);
  }
  *executable = fake_handle(e);
  return leave(0);
}

SINCE_11_1 CUresult cuGraphUpload(CUgraphExec executable, CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  return leave(fake_find(executable, K_EXEC) && stream_of(stream) ? 0 : CUDA_ERROR_INVALID_HANDLE);
}

EXPORT CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  ENTER(NEEDS_CONTEXT);
  struct object *e = fake_find(executable, K_EXEC), *s = stream_of(stream);
  REQUIRE(e && s, CUDA_ERROR_INVALID_HANDLE);
  uint64_t epoch = fake.epoch;
  for (struct work *w = e->nodes; w; w = w->next) {
    int status = fake_submit(s, w);
    REQUIRE(epoch == fake.epoch, CUDA_ERROR_UNKNOWN);
    REQUIRE(!status, status);
  }
  return leave(0);
}

EXPORT CUresult cuGraphExecDestroy(CUgraphExec executable) {
  ENTER(NEEDS_CONTEXT);
  struct object *e = fake_find(executable, K_EXEC);
  REQUIRE(e, CUDA_ERROR_INVALID_HANDLE);
  e->alive = 0;
  return leave(0);
}

EXPORT CUresult cuGraphDestroy(CUgraph graph) {
  ENTER(NEEDS_CONTEXT);
  struct object *g = fake_find(graph, K_GRAPH);
  REQUIRE(g, CUDA_ERROR_INVALID_HANDLE);
  g->alive = 0;
  return leave(0);
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
