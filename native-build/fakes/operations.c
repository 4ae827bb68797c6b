/*
 * What the functions of both APIs do, below their own types and rules: each returns a status, is called with the lock held,
 * and takes handles and device addresses as they came. The current device is the calling thread's.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "state.h"

/* -------- devices -------- */

void fake_read_visible(const char *variable) {
  fake.visible_count = 0;
  const char *list = getenv(variable);
  for (int i = 0; !list && i < fake.count; i++) fake.visible[fake.visible_count++] = i;
  while (list && *list && fake.visible_count < fake.count) {
    char *end;
    long ordinal = strtol(list, &end, 10);
    if (end == list || ordinal < 0 || ordinal >= fake.count) break; /* as drivers, which end at what they do not know */
    fake.visible[fake.visible_count++] = (int)ordinal;
    list = *end == ',' ? end + 1 : "";
  }
}

struct device *fake_device(int ordinal) {
  return ordinal >= 0 && ordinal < fake.visible_count ? &fake.devices[fake.visible[ordinal]] : NULL;
}

static _Thread_local struct { uint64_t epoch; struct object *stream; } capturing;

int fake_is_capturing(void) { return capturing.epoch == fake.epoch && capturing.stream; }

int fake_clear_device(int device) {
  fake_loader loader = fake.loader;
  uint64_t epoch = fake.epoch;
  size_t modules = 0;
  uint64_t *unloaded = malloc((fake.object_count + 1) * sizeof *unloaded);
  if (!unloaded) return S_OUT_OF_MEMORY;
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
  if (epoch != fake.epoch) return S_UNKNOWN;
  fake.devices[device].counters.profiler = NULL;
  while (fake.devices[device].count) fake_free(fake.devices[device].ranges[0][0]);
  return 0;
}

int fake_synchronize_device(void) {
  if (fake_is_capturing()) return S_CAPTURE_UNSUPPORTED;
  int device = fake_current();
  uint64_t epoch = fake.epoch;
  int status = 0;
  for (size_t i = 0; i < fake.object_count && !status; i++) {
    struct object *o = fake.objects[i];
    if (o->alive && o->kind == K_STREAM && o->device == device) status = fake_wait(o);
    if (epoch != fake.epoch) break;
  }
  return status;
}

/* -------- modules -------- */

int fake_load(void **module, const void *image, char *log, size_t log_bytes) {
  if (!module || !image) return S_INVALID_VALUE;
  struct object *m = fake_make(K_MODULE, fake_current());
  if (!m) return S_OUT_OF_MEMORY;
  int status = fake_read_image(m, image, m->device, log, log_bytes);
  if (!status && fake.loader) {
    fake_loader loader = fake.loader;
    uint64_t epoch = fake.epoch, id = (uint64_t)(uintptr_t)fake_handle(m);
    uint32_t device = (uint32_t)m->device;
    fake_unlock();
    status = loader(id, device, image, log, log_bytes);
    fake_lock();
    if (epoch != fake.epoch) return S_UNKNOWN;
  }
  if (status) {
    for (struct global *g = m->globals; g; g = g->next)
      if (g->address && !g->engines) fake_free(g->address);
    m->alive = 0;
    return status;
  }
  *module = fake_handle(m);
  return 0;
}

int fake_unload(const void *module) {
  struct object *m = fake_find(module, K_MODULE);
  if (!m) return S_INVALID_HANDLE;
  m->alive = 0;
  for (struct global *g = m->globals; g; g = g->next)
    if (!g->engines) fake_free(g->address);
  for (size_t i = 0; i < fake.object_count; i++)
    if (fake.objects[i]->kind == K_FUNCTION && fake.objects[i]->module == m) fake.objects[i]->alive = 0;
  fake_loader loader = fake.loader;
  uint32_t device = (uint32_t)m->device;
  if (!loader) return 0;
  fake_unlock();
  loader((uint64_t)(uintptr_t)module, device, NULL, NULL, 0);
  fake_lock();
  return 0;
}

int fake_function(struct object **function, const void *module, const char *name) {
  struct object *m = fake_find(module, K_MODULE);
  if (!m) return S_INVALID_HANDLE;
  for (int i = 0; i < m->kernel_count; i++) {
    if (strcmp(m->kernels[i].name, name)) continue;
    struct object *f = fake_make(K_FUNCTION, m->device);
    if (!f) return S_OUT_OF_MEMORY;
    f->module = m;
    f->kernel = &m->kernels[i];
    *function = f;
    return 0;
  }
  return S_NOT_FOUND;
}

const struct global *fake_global(const struct object *module, const char *name) {
  for (const struct global *g = module->globals; g; g = g->next)
    if (!strcmp(g->name, name)) return g;
  return NULL;
}

/* -------- memory -------- */

int fake_available(size_t *available, size_t *total) {
  struct device *d = &fake.devices[fake_current()];
  if (!available || !total) return S_INVALID_VALUE;
  *available = d->memory - d->used;
  *total = d->memory;
  return 0;
}

/* Waits, as the calls without Async do, which go through the default stream. */
static int at_once(const struct work *w) {
  if (fake_is_capturing()) return S_CAPTURE_UNSUPPORTED;
  struct object *stream = fake.devices[fake_current()].stream;
  int status = fake_submit(stream, w);
  return status ? status : fake_wait(stream);
}

static int valid(const struct work *w) {
  return (w->host_to ? w->to != 0 || !w->bytes : fake_host(w->to, w->bytes) != NULL) &&
         (w->type != W_SET32 || w->to % 4 == 0) &&
         (w->type != W_COPY || (w->host_from ? w->from != 0 || !w->bytes : fake_host(w->from, w->bytes) != NULL));
}

struct object *fake_stream(const void *stream) {
  return stream ? fake_find(stream, K_STREAM) : fake.devices[fake_current()].stream;
}

int fake_queued(const void *stream, const struct work *w) {
  struct object *s = fake_stream(stream);
  if (!s) return S_INVALID_HANDLE;
  return valid(w) ? fake_submit(s, w) : S_INVALID_VALUE;
}

int fake_at_once(const struct work *w) { return valid(w) ? at_once(w) : S_INVALID_VALUE; }

/* -------- streams -------- */

int fake_stream_create(void **stream) {
  struct object *s = fake_make(K_STREAM, fake_current());
  if (!s) return S_OUT_OF_MEMORY;
  *stream = fake_handle(s);
  return 0;
}

int fake_stream_destroy(const void *stream) {
  struct object *s = fake_find(stream, K_STREAM);
  if (!s) return S_INVALID_HANDLE;
  if (fake_is_capturing() && capturing.stream == s) capturing.stream = NULL;
  s->alive = 0;
  return 0;
}

/* A call that a stream which collects work forbids; collecting fails then. */
static int forbidden(struct object *s) {
  if (!s->capture) return 0;
  s->capture_invalid = 1;
  return S_CAPTURE_UNSUPPORTED;
}

int fake_stream_query(const void *stream) {
  struct object *s = fake_stream(stream);
  if (!s) return S_INVALID_HANDLE;
  int status = forbidden(s);
  if (status) return status;
  uint64_t epoch = fake.epoch;
  fake_pump_all(s->device);
  if (epoch != fake.epoch) return S_UNKNOWN;
  if (fake_blocked(s) || s->time > fake.now) return S_NOT_READY;
  return fake.devices[s->device].broken;
}

int fake_stream_synchronize(const void *stream) {
  struct object *s = fake_stream(stream);
  if (!s) return S_INVALID_HANDLE;
  int status = forbidden(s);
  return status ? status : fake_wait(s);
}

int fake_stream_wait(const void *stream, const void *event) {
  struct object *s = fake_stream(stream), *e = fake_find(event, K_EVENT);
  return s && e ? fake_submit(s, &(struct work){.type = W_WAIT_EVENT, .event = e}) : S_INVALID_HANDLE;
}

int fake_on_word(const void *stream, enum work_type type, uint64_t address, uint32_t value, unsigned int flags) {
  struct object *s = fake_stream(stream);
  if (!s) return S_INVALID_HANDLE;
  int of_host = fake_host_holds((const void *)(uintptr_t)address, 4);
  if (address % 4 || flags > 3 || (!of_host && !fake_host(address, 4))) return S_INVALID_VALUE;
  return fake_submit(
      s, &(struct work){.type = type, .to = address, .host_to = of_host, .bytes = 4, .value = value, .flags = flags});
}

int fake_begin_capture(const void *stream, int mode) {
  struct object *s = fake_find(stream, K_STREAM);
  if (!s) return stream ? S_INVALID_HANDLE : S_CAPTURE_UNSUPPORTED;
  if (mode < 0 || mode > 2 || s->capture) return S_INVALID_VALUE;
  s->capture = fake_make(K_GRAPH, s->device);
  if (!s->capture) return S_OUT_OF_MEMORY;
  s->capture->alive = 0; /* until it is handed out */
  s->capture_invalid = 0;
  capturing.epoch = fake.epoch;
  capturing.stream = s;
  return 0;
}

int fake_end_capture(const void *stream, void **graph) {
  struct object *s = fake_find(stream, K_STREAM);
  if (!s) return S_INVALID_HANDLE;
  if (!graph || !s->capture) return S_INVALID_VALUE;
  struct object *g = s->capture;
  s->capture = NULL;
  capturing.stream = NULL;
  *graph = NULL;
  if (s->capture_invalid) return S_CAPTURE_INVALIDATED;
  g->alive = 1;
  *graph = fake_handle(g);
  return 0;
}

/* -------- events -------- */

int fake_event_create(void **event, int timing) {
  struct object *e = fake_make(K_EVENT, fake_current());
  if (!e) return S_OUT_OF_MEMORY;
  e->timing = timing;
  *event = fake_handle(e);
  return 0;
}

int fake_destroy(const void *handle, enum kind kind) {
  struct object *o = fake_find(handle, kind);
  if (!o) return S_INVALID_HANDLE;
  o->alive = 0;
  return 0;
}

int fake_event_record(const void *event, const void *stream) {
  struct object *e = fake_find(event, K_EVENT), *s = fake_stream(stream);
  return e && s ? fake_submit(s, &(struct work){.type = W_RECORD, .event = e}) : S_INVALID_HANDLE;
}

static int is_reached(const struct object *e) { return e->reached >= e->wanted && e->reached_time <= fake.now; }

int fake_event_query(const void *event) {
  struct object *e = fake_find(event, K_EVENT);
  if (!e) return S_INVALID_HANDLE;
  uint64_t epoch = fake.epoch;
  fake_pump_all(e->device);
  if (epoch != fake.epoch) return S_UNKNOWN;
  return is_reached(e) ? fake.devices[e->device].broken : S_NOT_READY;
}

int fake_event_synchronize(const void *event) {
  struct object *e = fake_find(event, K_EVENT);
  return e ? fake_wait_event(e) : S_INVALID_HANDLE;
}

int fake_elapsed(float *milliseconds, const void *start, const void *end) {
  struct object *s = fake_find(start, K_EVENT), *e = fake_find(end, K_EVENT);
  if (!s || !e || !s->timing || !e->timing || !s->wanted || !e->wanted) return S_INVALID_HANDLE;
  if (!milliseconds) return S_INVALID_VALUE;
  if (!is_reached(s) || !is_reached(e)) return S_NOT_READY;
  int64_t from = (int64_t)(s->reached_time / fake.resolution * fake.resolution);
  int64_t to = (int64_t)(e->reached_time / fake.resolution * fake.resolution);
  *milliseconds = (float)((double)(to - from) * 1e-6);
  return 0;
}

/* -------- launches -------- */

uint64_t fake_product(const uint32_t *three) { return (uint64_t)three[0] * three[1] * three[2]; }

int fake_launch_kernel(struct object *f, struct object *stream, const struct shape *s, const unsigned char *packed) {
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
  return fake_submit(stream, &w);
}

void fake_pack(const struct kernel *kernel, void **parameters, unsigned char *packed) {
  memset(packed, 0, kernel->bytes);
  for (int i = 0; i < kernel->count; i++) memcpy(packed + kernel->offset[i], parameters[i], kernel->size[i]);
}

/* -------- graphs -------- */

int fake_instantiate(void **executable, const void *graph) {
  struct object *g = fake_find(graph, K_GRAPH);
  if (!g) return S_INVALID_HANDLE;
  if (!executable) return S_INVALID_VALUE;
  struct object *e = fake_make(K_EXEC, g->device);
  if (!e) return S_OUT_OF_MEMORY;
  struct object *stream = &(struct object){.capture = e}; /* copies the nodes as collecting would */
  for (struct work *w = g->nodes; w; w = w->next) {
    int status = fake_submit(stream, w);
    if (status) return status;
  }
  *executable = fake_handle(e);
  return 0;
}

int fake_graph_upload(const void *executable, const void *stream) {
  return fake_find(executable, K_EXEC) && fake_stream(stream) ? 0 : S_INVALID_HANDLE;
}

int fake_graph_launch(const void *executable, const void *stream) {
  struct object *e = fake_find(executable, K_EXEC), *s = fake_stream(stream);
  if (!e || !s) return S_INVALID_HANDLE;
  uint64_t epoch = fake.epoch;
  for (struct work *w = e->nodes; w; w = w->next) {
    int status = fake_submit(s, w);
    if (epoch != fake.epoch) return S_UNKNOWN;
    if (status) return status;
  }
  return 0;
}
