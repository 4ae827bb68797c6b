/*
 * Streams. Work is done in order as soon as nothing holds it up; when it would have been done on a device is kept on the
 * virtual clock. A stream that waits for a value or an event keeps its work until some later call finds the way free.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static int has_value(const struct work *w) {
  const uint32_t *word = w->host_to ? (const uint32_t *)(uintptr_t)w->to : fake_host(w->to, 4);
  if (!word) return 1;
  uint32_t value = __atomic_load_n(word, __ATOMIC_ACQUIRE);
  switch (w->flags & 3) { /* both APIs number the conditions alike */
    case 0: return (int32_t)(value - w->value) >= 0;
    case 1: return value == w->value;
    case 2: return (value & w->value) != 0;
    default: return ~(value | w->value) != 0;
  }
}

static int held_up(const struct work *w) {
  if (w->type == W_WAIT_VALUE) return !has_value(w);
  return w->type == W_WAIT_EVENT && w->event->reached < w->sequence;
}

/* A fault that the script has for this launch, or 0. */
static int fault_of(const char *kernel) {
  for (struct fault *f = fake.faults; f; f = f->next) {
    if (f->type != F_FAULT || (strcmp(f->name, "*") && strcmp(f->name, kernel))) continue;
    f->seen++;
    if (f->seen == f->at || (f->later && f->seen > f->at)) return f->status;
  }
  return 0;
}

static void run_kernel(struct object *stream, const struct work *w) {
  int status = fault_of(w->launch.kernel);
  if (!status && fake.launcher) {
    fake_launcher launcher = fake.launcher;
    uint64_t epoch = fake.epoch;
    /* A reset of another thread's may free module and graph while the launch runs: it gets what this thread owns. */
    char name[NAME];
    unsigned char parameters[PARAMETER_BYTES];
    fake_launch own = w->launch;
    memcpy(name, own.kernel, sizeof name);
    if (own.parameter_bytes) memcpy(parameters, own.parameters, own.parameter_bytes);
    own.kernel = name;
    own.parameters = parameters;
    stream->busy = 1;
    fake_unlock();
    status = launcher(&own);
    fake_lock();
    if (epoch != fake.epoch) return;
    stream->busy = 0;
  }
  if (status && !fake.devices[stream->device].broken) fake.devices[stream->device].broken = status;
}

/* Returns 0 where a reset came between: the stream is gone then. */
static int run(struct object *stream, const struct work *w) {
  uint64_t epoch = fake.epoch;
  stream->time = later(stream->time, w->submitted);
  void *to = w->host_to ? (void *)(uintptr_t)w->to : fake_host(w->to, w->bytes);
  const void *from = w->host_from ? (const void *)(uintptr_t)w->from : fake_host(w->from, w->bytes);
  uint64_t duration;
  switch (w->type) {
    case W_KERNEL:
      duration = fake_counted(stream->device, w->launch.kernel, fake_duration(w->launch.kernel));
      stream->time += duration;
      fake_power_busy(stream->device, stream->time - duration, stream->time);
      run_kernel(stream, w);
      if (epoch != fake.epoch) return 0;
      break;
    case W_COPY:
      if (to && from) memmove(to, from, w->bytes);
      stream->time += 1000 + w->bytes / 25; /* 25 bytes a nanosecond */
      break;
    case W_SET8:
      if (to) memset(to, (int)w->value, w->bytes);
      stream->time += 1000 + w->bytes / 1000;
      break;
    case W_SET32:
      for (uint64_t i = 0; to && i < w->bytes / 4; i++) ((uint32_t *)to)[i] = w->value;
      stream->time += 1000 + w->bytes / 1000;
      break;
    case W_RECORD:
      w->event->reached = w->sequence;
      w->event->reached_time = stream->time;
      break;
    case W_WAIT_EVENT:
      stream->time = later(stream->time, w->event->reached_time);
      break;
    case W_WAIT_VALUE:
      break;
    case W_WRITE_VALUE:
      if (to) __atomic_store_n((uint32_t *)to, w->value, __ATOMIC_RELEASE);
      break;
  }
  return 1;
}

void fake_pump(struct object *stream) {
  while (stream->head && !stream->busy && !held_up(stream->head)) {
    struct work *w = stream->head;
    stream->head = w->next;
    if (!stream->head) stream->tail = NULL;
    /* What held it up was seen to be gone only now. */
    stream->time = later(stream->time, fake.now);
    int same = run(stream, w);
    free(w);
    if (!same) return;
  }
}

void fake_pump_all(int device) {
  uint64_t epoch = fake.epoch;
  for (size_t i = 0; i < fake.object_count && epoch == fake.epoch; i++) {
    struct object *o = fake.objects[i];
    /* A stream that was destroyed still does what is in it. */
    if (o->kind == K_STREAM && o->device == device && (o->alive || o->head)) fake_pump(o);
  }
}

static size_t size_of(const struct work *w) {
  return sizeof *w + (w->type == W_KERNEL ? w->launch.parameter_bytes : 0);
}

/* With the parameters behind it. */
static struct work *copy_of(const struct work *w) {
  struct work *copy = malloc(size_of(w));
  if (!copy) return NULL;
  *copy = *w;
  copy->next = NULL;
  if (w->type == W_KERNEL && w->launch.parameter_bytes) {
    memcpy(copy + 1, w->launch.parameters, w->launch.parameter_bytes);
    copy->launch.parameters = copy + 1;
  }
  return copy;
}

int fake_submit(struct object *stream, const struct work *given) {
  struct work w = *given;
  w.submitted = fake.now;
  if (stream->capture) {
    struct work *copy = copy_of(&w);
    if (!copy) return S_OUT_OF_MEMORY;
    if (stream->capture->last) stream->capture->last->next = copy;
    else stream->capture->nodes = copy;
    stream->capture->last = copy;
    return 0;
  }
  if (w.type == W_RECORD) w.sequence = ++w.event->wanted;
  if (w.type == W_WAIT_EVENT) w.sequence = w.event->wanted;
  uint64_t epoch = fake.epoch;
  fake_pump(stream);
  if (epoch != fake.epoch) return S_UNKNOWN;
  if (!stream->head && !stream->busy && !held_up(&w)) {
    run(stream, &w);
    return 0;
  }
  struct work *copy = copy_of(&w);
  if (!copy) return S_OUT_OF_MEMORY;
  if (stream->tail) stream->tail->next = copy;
  else stream->head = copy;
  stream->tail = copy;
  return 0;
}

int fake_blocked(const struct object *stream) { return stream->head || stream->busy; }

/* Work that would touch memory of the host that is being freed does nothing, and nothing waits for a value in it. */
static void without(struct work *first, uint64_t start, uint64_t bytes) {
  for (struct work *w = first; w; w = w->next) {
    if (w->host_to && w->to - start < bytes) w->to = 0;
    if (w->host_from && w->from - start < bytes) w->from = 0;
  }
}

void fake_forget_host(uint64_t start, uint64_t bytes) {
  for (size_t i = 0; i < fake.object_count; i++) {
    without(fake.objects[i]->head, start, bytes);
    without(fake.objects[i]->nodes, start, bytes);
  }
}

void fake_drop_work(struct object *o) {
  fake_free_works(o->head);
  o->head = o->tail = NULL;
  o->reached = o->wanted; /* nobody will reach it any more, and nobody must wait for it */
}

int fake_wait(struct object *stream) {
  uint64_t epoch = fake.epoch;
  fake_pump_all(stream->device);
  while (epoch == fake.epoch && fake_blocked(stream) && !fake.devices[stream->device].broken) {
    fake_unlock();
    usleep(200);
    fake_lock();
    if (epoch == fake.epoch) fake_pump_all(stream->device);
  }
  if (epoch != fake.epoch) return S_UNKNOWN;
  if (!fake_pass_until(stream->time)) return S_UNKNOWN;
  return fake.devices[stream->device].broken;
}

int fake_wait_event(struct object *event) {
  uint64_t epoch = fake.epoch;
  fake_pump_all(event->device);
  while (epoch == fake.epoch && event->reached < event->wanted && !fake.devices[event->device].broken) {
    fake_unlock();
    usleep(200);
    fake_lock();
    if (epoch == fake.epoch) fake_pump_all(event->device);
  }
  if (epoch != fake.epoch) return S_UNKNOWN;
  if (!fake_pass_until(event->reached_time)) return S_UNKNOWN;
  return fake.devices[event->device].broken;
}

void fake_free_works(struct work *first) {
  while (first) {
    struct work *next = first->next;
    free(first);
    first = next;
  }
}
