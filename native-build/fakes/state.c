/* The state, its lock, and what a test steers it by. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "state.h"

struct fake fake;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct call *calls;
static _Thread_local struct { uint64_t epoch; int device; } current = {0, -1};

static const char *reset(const char *script);

static void first_script(void) {
  const char *script = getenv("PANAMARK_FAKE_SCRIPT");
  const char *problem = reset(script ? script : fake_api.script);
  if (!problem) return;
  fprintf(stderr, "panamark fake driver: PANAMARK_FAKE_SCRIPT: %s; see fake.h\n", problem);
  fake.unreadable = 1;
}

void fake_lock(void) {
  pthread_once(&once, first_script);
  pthread_mutex_lock(&lock);
}

static uint64_t host_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* From now on time passes as on the host, too. */
void fake_follow_host(void) {
  fake.host_clock = 1;
  fake.host_origin = host_time() - fake.now;
}

static void catch_up(void) {
  uint64_t host = fake.host_clock ? host_time() - fake.host_origin : 0;
  if (host > fake.now) fake.now = host;
}

int fake_pass_until(uint64_t time) {
  uint64_t epoch = fake.epoch;
  catch_up();
  while (fake.host_clock && fake.now < time) {
    uint64_t left = time - fake.now;
    fake_unlock();
    usleep(left > 1000000 ? 1000 : (useconds_t)(left / 1000 + 1));
    fake_lock();
    if (epoch != fake.epoch) return 0;
    catch_up();
  }
  if (time > fake.now) fake.now = time;
  return 1;
}

void fake_unlock(void) { pthread_mutex_unlock(&lock); }

static void forget(struct object *o) {
  if (!o) return;
  fake_free_works(o->head);
  fake_free_works(o->nodes);
  fake_api.forget(o);
  if (o->kind == K_MODULE) {
    free(o->kernels);
    while (o->globals) {
      struct global *next = o->globals->next;
      free(o->globals);
      o->globals = next;
    }
  }
  free(o);
}

static const char *reset(const char *script) {
  for (size_t i = 0; i < fake.object_count; i++) forget(fake.objects[i]);
  while (fake.faults) {
    struct fault *next = fake.faults->next;
    free(fake.faults);
    fake.faults = next;
  }
  while (fake.durations) {
    struct named *next = fake.durations->next;
    free(fake.durations);
    fake.durations = next;
  }
  free(fake.known);
  fake_memory_clear();
  fake_power_clear();
  fake_counters_clear();
  struct fake fresh = {.epoch = fake.epoch + 1,
                       .call_ns = 100,
                       .resolution = 1,
                       .objects = fake.objects,
                       .object_room = fake.object_room,
                       .loader = fake.loader,
                       .launcher = fake.launcher};
  fake = fresh;
  fake_api.begin();
  return fake_read_script(script);
}

const char *fake_reset(const char *script) {
  fake_lock();
  const char *problem = reset(script);
  fake_unlock();
  return problem;
}

const char *fake_add(const char *statements) {
  fake_lock();
  const char *problem = fake_read_script(statements);
  fake_unlock();
  return problem;
}

void fake_engine(fake_loader loader, fake_launcher launcher) {
  fake_lock();
  fake.loader = loader;
  fake.launcher = launcher;
  fake_unlock();
}

uint64_t fake_now(void) {
  fake_lock();
  catch_up();
  uint64_t now = fake.now;
  fake_unlock();
  return now;
}

double fake_used(uint32_t device, uint64_t time) {
  fake_lock();
  double joules = device < (uint32_t)fake.count ? fake_joules(&fake.devices[device].power, time) : 0;
  fake_unlock();
  return joules;
}

void fake_advance(uint64_t nanoseconds) {
  fake_lock();
  fake.now += nanoseconds;
  fake_unlock();
}

uint64_t fake_calls(const char *function) {
  fake_lock();
  uint64_t count = 0;
  for (struct call *c = calls; c; c = c->next)
    if (c->epoch == fake.epoch && !strcmp(c->name, function)) count += c->count;
  fake_unlock();
  return count;
}

uint64_t fake_open(void) {
  fake_lock();
  uint64_t count = fake_host_count() + (uint64_t)fake.nvml_count + (uint64_t)fake.cupti_count;
  for (int d = 0; d < fake.count; d++) count += fake.devices[d].count + (uint64_t)fake.devices[d].retained;
  for (size_t i = 0; i < fake.object_count; i++) {
    const struct object *o = fake.objects[i];
    if (o->alive && o->kind != K_CONTEXT && o->kind != K_FUNCTION && o != fake.devices[o->device].stream) count++;
  }
  fake_unlock();
  return count;
}

uint64_t fake_old_abi_calls(void) {
  fake_lock();
  uint64_t count = fake.old_abi;
  fake_unlock();
  return count;
}

/* Handles: a number in the place of an address, so that a stale or invented one is told from a live one. */
#define INDEX_BITS 32

void *fake_handle(const struct object *o) {
  return (void *)(uintptr_t)((fake.epoch & 0xffff) << 40 | (uint64_t)o->kind << INDEX_BITS | (o->id + 1));
}

struct object *fake_find(const void *handle, enum kind kind) {
  uint64_t bits = (uint64_t)(uintptr_t)handle;
  uint64_t index = (bits & ((1ull << INDEX_BITS) - 1)) - 1;
  if (bits >> 40 != (fake.epoch & 0xffff) || (bits >> INDEX_BITS & 0xff) != (uint64_t)kind || index >= fake.object_count)
    return NULL;
  struct object *o = fake.objects[index];
  return o->alive && o->kind == kind ? o : NULL;
}

struct object *fake_make(enum kind kind, int device) {
  if (fake.object_count == fake.object_room) {
    size_t room = fake.object_room ? 2 * fake.object_room : 64;
    struct object **grown = realloc(fake.objects, room * sizeof *grown);
    if (!grown) return NULL;
    fake.objects = grown;
    fake.object_room = room;
  }
  struct object *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  o->kind = kind;
  o->alive = 1;
  o->device = device;
  o->id = fake.object_count;
  fake.objects[fake.object_count++] = o;
  return o;
}

int fake_current(void) {
  if (current.epoch == fake.epoch) return current.device;
  return fake_api.without_context && fake.visible_count ? fake.visible[0] : -1;
}

void fake_make_current(int device) {
  current.epoch = fake.epoch;
  current.device = device;
}

static int same_function(const char *scripted, const char *exported) {
  size_t length = strlen(scripted);
  return !strncmp(scripted, exported, length) && (!exported[length] || !strcmp(exported + length, "_v2"));
}

static int hang(void) {
  uint64_t epoch = fake.epoch;
  while (epoch == fake.epoch) {
    fake_unlock();
    usleep(200);
    fake_lock();
  }
  return S_UNKNOWN;
}

/* What the script has for this call, or 0. */
static int scripted(const struct call *call, int needs, int device) {
  for (struct fault *f = fake.faults; f; f = f->next) {
    if (f->type == F_FAULT) continue;
    int any = !strcmp(f->name, "*");
    if (any ? needs != NEEDS_CONTEXT : !same_function(f->name, call->name)) continue;
    uint64_t seen = any ? ++f->seen : call->count;
    if (seen != f->at && !(f->later && seen > f->at)) continue;
    if (f->type == F_HANG) return hang();
    if (f->type == F_FATAL && device >= 0) fake.devices[device].broken = f->status;
    return f->status;
  }
  return 0;
}

int fake_enter(struct call *call, int needs) {
  fake_lock();
  if (call->epoch != fake.epoch) {
    if (!call->epoch) {
      call->next = calls;
      calls = call;
    }
    call->epoch = fake.epoch;
    call->count = 0;
  }
  call->count++;
  fake.now += fake.call_ns;
  catch_up();
  int status = scripted(call, needs, fake_current());
  if (!status && needs >= NEEDS_INIT && !fake.initialized) status = fake_api.initialize();
  if (status || needs < NEEDS_CONTEXT) return status;
  int device = fake_current();
  if (device < 0 || (!fake_api.without_context && !fake.devices[device].retained)) return S_INVALID_CONTEXT;
  return fake.devices[device].broken;
}
