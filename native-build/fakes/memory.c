/*
 * Memory of the devices: one sparse file, mapped once, in which a device address is an offset. It is no address of the
 * host, so whoever takes it for one finds out. Allocations have gaps between them, so that a step over an end is seen.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "state.h"

#define ALIGNMENT 256ull

/* Behind each allocation as much again, within these bounds, belongs to nobody. */
#define LEAST_GAP (4ull << 10)
#define MOST_GAP (1ull << 20)

static uint64_t gap(uint64_t bytes) { return bytes < LEAST_GAP ? LEAST_GAP : bytes > MOST_GAP ? MOST_GAP : bytes; }

static int file = -1;
static unsigned char *base;
static uint64_t end;

struct host_range {
  unsigned char *start;
  uint64_t bytes;
  struct host_range *next;
};
static struct host_range *host_ranges;

int fake_memory_begin(void) {
  if (file >= 0) return 1;
  uint64_t bytes = LOWEST + DEVICES * SPAN;
  int made = memfd_create("panamark-fake-device", MFD_CLOEXEC);
  if (made < 0) return 0;
  if (ftruncate(made, (off_t)bytes) != 0) return close(made), 0;
  void *mapped = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, made, 0);
  if (mapped == MAP_FAILED) return close(made), 0;
  base = mapped;
  end = bytes;
  file = made;
  return 1;
}

void fake_memory_clear(void) {
  if (file >= 0) fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)end);
  for (int d = 0; d < DEVICES; d++) free(fake.devices[d].ranges);
  while (host_ranges) {
    struct host_range *next = host_ranges->next;
    free(host_ranges->start);
    free(host_ranges);
    host_ranges = next;
  }
}

int fake_memory_file(void) {
  fake_lock();
  fake_memory_begin();
  int found = file;
  fake_unlock();
  return found;
}

uint64_t fake_memory_end(void) {
  fake_lock();
  uint64_t found = fake_memory_begin() ? end : 0;
  fake_unlock();
  return found;
}

unsigned char *fake_memory_base(void) { return fake_memory_begin() ? base : NULL; }

size_t fake_allocations(uint32_t device, uint64_t (*ranges)[2], size_t most) {
  fake_lock();
  size_t count = 0;
  if (device < (uint32_t)fake.count) {
    struct device *d = &fake.devices[device];
    count = d->count;
    for (size_t i = 0; i < count && i < most; i++) memcpy(ranges[i], d->ranges[i], sizeof *ranges);
  }
  fake_unlock();
  return count;
}

uint64_t fake_allocate(int device, uint64_t bytes) {
  struct device *d = &fake.devices[device];
  if (bytes > d->memory - d->used || !fake_memory_begin()) return 0;
  if (d->count == d->room) {
    size_t room = d->room ? 2 * d->room : 64;
    void *grown = realloc(d->ranges, room * sizeof *d->ranges);
    if (!grown) return 0;
    d->ranges = grown;
    d->room = room;
  }
  uint64_t at = LOWEST + (uint64_t)device * SPAN;
  size_t i = 0;
  for (; i < d->count; i++) {
    if (d->ranges[i][0] - at >= bytes + gap(bytes)) break;
    uint64_t after = d->ranges[i][1] + gap(d->ranges[i][1] - d->ranges[i][0]);
    at = (after + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }
  if (at + bytes > LOWEST + (uint64_t)(device + 1) * SPAN) return 0;
  memmove(d->ranges + i + 1, d->ranges + i, (d->count - i) * sizeof *d->ranges);
  d->ranges[i][0] = at;
  d->ranges[i][1] = at + bytes;
  d->count++;
  d->used += bytes;
  return at;
}

/* The allocation that begins at or before an address, or NULL. */
static uint64_t *range(uint64_t address, struct device **owner) {
  if (address < LOWEST || address >= LOWEST + DEVICES * SPAN) return NULL;
  struct device *d = &fake.devices[(address - LOWEST) / SPAN];
  size_t low = 0, high = d->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (d->ranges[middle][0] <= address) low = middle + 1;
    else high = middle;
  }
  *owner = d;
  return low ? d->ranges[low - 1] : NULL;
}

int fake_free(uint64_t address) {
  struct device *d;
  uint64_t *r = range(address, &d);
  if (!r || r[0] != address) return 0;
  uint64_t bytes = r[1] - r[0], page = 4096;
  uint64_t from = (r[0] + page - 1) / page * page, to = r[1] / page * page;
  if (to > from) fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(to - from));
  size_t i = (size_t)((uint64_t(*)[2])r - d->ranges);
  memmove(d->ranges + i, d->ranges + i + 1, (d->count - i - 1) * sizeof *d->ranges);
  d->count--;
  d->used -= bytes;
  return 1;
}

void *fake_host(uint64_t address, uint64_t bytes) {
  struct device *d;
  uint64_t *r = range(address, &d);
  return r && address <= r[1] && bytes <= r[1] - address ? base + address : NULL;
}

uint64_t fake_engine_allocate(uint32_t device, uint64_t bytes) {
  fake_lock();
  uint64_t found = device < (uint32_t)fake.count ? fake_allocate((int)device, bytes) : 0;
  fake_unlock();
  return found;
}

int fake_engine_free(uint64_t address) {
  fake_lock();
  int was = fake_free(address);
  fake_unlock();
  return was;
}

int fake_engine_place(uint64_t module, const char *variable, uint64_t address) {
  fake_lock();
  struct object *m = fake_find((const void *)(uintptr_t)module, K_MODULE);
  int placed = 0;
  for (struct global *g = m ? m->globals : NULL; g; g = g->next) {
    if (strcmp(g->name, variable)) continue;
    if (!g->engines) fake_free(g->address);
    g->engines = 1;
    g->address = address;
    placed = 1;
  }
  fake_unlock();
  return placed;
}

void *fake_host_allocate(uint64_t bytes) {
  struct host_range *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  made->bytes = bytes;
  if (bytes > PTRDIFF_MAX - 4096 || posix_memalign((void **)&made->start, 4096, bytes ? bytes : 1) != 0)
    return free(made), NULL;
  made->next = host_ranges;
  host_ranges = made;
  return made->start;
}

int fake_host_free(void *pointer) {
  for (struct host_range **at = &host_ranges; *at; at = &(*at)->next) {
    if ((*at)->start != pointer) continue;
    struct host_range *gone = *at;
    *at = gone->next;
    fake_forget_host((uint64_t)(uintptr_t)gone->start, gone->bytes);
    free(gone->start);
    free(gone);
    return 1;
  }
  return 0;
}

int fake_host_holds(const void *pointer, uint64_t bytes) {
  const unsigned char *p = pointer;
  for (struct host_range *r = host_ranges; r; r = r->next)
    if (p >= r->start && p <= r->start + r->bytes && bytes <= (uint64_t)(r->start + r->bytes - p)) return 1;
  return 0;
}

size_t fake_host_count(void) {
  size_t count = 0;
  for (struct host_range *r = host_ranges; r; r = r->next) count++;
  return count;
}
