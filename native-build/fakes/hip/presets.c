/* Devices that a script can name, and what else is HIP's of a script. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "../state.h"
#include "host.h"
#include "types.h"

/*
 * Figures that AMD publishes: units, clocks, memories and limits of power of the data sheets of MI210, MI250X (half of a
 * module's), MI300X and MI355X; LDS of the CDNA instruction set guides. Memory's clock and bus give the published bandwidth:
 * HBM2e moves 2 bits a clock (1.6 TB/s: 2 x 1600 MHz x 4096), HBM3 4 bits of the clock that is told (5.3 TB/s: 4 x 1300 MHz x
 * 8192); the MI355X's clock is what its 8 TB/s need. The L2 is that of one die, as HIP tells it.
 */
static const struct preset {
  const char *id, *name, *isa;
  uint32_t machine;
  int major, minor, units, clock_khz, memory_khz, bus, l2, lds, pci;
  uint64_t memory;
  double idle_watts, busy_watts; /* the second is the board's limit, the first the fake's own */
} presets[] = {
    {"mi210", "AMD Instinct MI210", "gfx90a:sramecc+:xnack-", 0x3f, 9, 0, 104, 1700000, 1600000, 4096, 8 << 20, 64 << 10,
     0x63, 64ull << 30, 40, 300},
    {"mi250x-die", "AMD Instinct MI250X", "gfx90a:sramecc+:xnack-", 0x3f, 9, 0, 110, 1700000, 1600000, 4096, 8 << 20,
     64 << 10, 0xc1, 64ull << 30, 45, 280},
    {"mi300x", "AMD Instinct MI300X", "gfx942:sramecc+:xnack-", 0x4c, 9, 4, 304, 2100000, 1300000, 8192, 4 << 20, 64 << 10,
     0x05, 192ull << 30, 140, 750},
    {"mi355x", "AMD Instinct MI355X", "gfx950:sramecc+:xnack-", 0x4f, 9, 5, 256, 2400000, 1953000, 8192, 4 << 20, 160 << 10,
     0x05, 288ull << 30, 150, 1400},
};

/* Numbers of AMD's own follow those that CUDA has too. */
static int attribute(int number) {
  int own = number - hipDeviceAttributeAmdSpecificBegin;
  if (own >= 0) return own < ATTRIBUTES - 100 ? 100 + own : -1;
  return number >= 0 && number < 100 ? number : -1;
}

static int add_device(const char *id) {
  for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
    const struct preset *p = &presets[i];
    if (strcmp(p->id, id) != 0) continue;
    struct device *d = fake_begin_device(p->name, p->pci, p->units, p->memory);
    snprintf(d->isa, sizeof d->isa, "%s", p->isa);
    d->machine = p->machine;
    char unique[17]; /* as HIP gives it: the sixteen digits of the identity that ROCm SMI tells as a number */
    snprintf(unique, sizeof unique, "%016x", 0x5eed00u + (unsigned)p->units * 16 + (unsigned)fake.count);
    memcpy(d->uuid, unique, 16);
    int *a = d->attribute;
    a[hipDeviceAttributeEccEnabled] = a[hipDeviceAttributeCooperativeLaunch] = 1;
    a[hipDeviceAttributeClockRate] = p->clock_khz;
    a[hipDeviceAttributeMemoryClockRate] = p->memory_khz;
    a[hipDeviceAttributeMemoryBusWidth] = p->bus;
    a[hipDeviceAttributeL2CacheSize] = p->l2;
    a[hipDeviceAttributeComputeCapabilityMajor] = p->major;
    a[hipDeviceAttributeComputeCapabilityMinor] = p->minor;
    a[hipDeviceAttributeMultiprocessorCount] = p->units;
    a[hipDeviceAttributePciBusId] = (p->pci + 0x10 * fake.count) & 0xff;
    for (int axis = 0; axis < 3; axis++) a[hipDeviceAttributeMaxBlockDimX + axis] = 1024;
    a[hipDeviceAttributeMaxGridDimX] = 2147483647;
    a[hipDeviceAttributeMaxGridDimX + 1] = a[hipDeviceAttributeMaxGridDimX + 2] = 65536;
    a[hipDeviceAttributeMaxThreadsPerBlock] = 1024;
    a[hipDeviceAttributeMaxThreadsPerMultiProcessor] = 2048;
    a[hipDeviceAttributeMaxRegistersPerBlock] = 65536;
    a[hipDeviceAttributeMaxSharedMemoryPerBlock] = p->lds;
    a[hipDeviceAttributeWarpSize] = 64;
    a[attribute(hipDeviceAttributeMaxSharedMemoryPerMultiprocessor)] = p->lds;
    a[attribute(hipDeviceAttributeCanUseStreamWaitValue)] = 1;
    a[attribute(hipDeviceAttributeWallClockRate)] = 100000;
    fake_power_begin(&d->power, p->idle_watts, p->busy_watts, 0, 0);
    fake.count++;
    return 1;
  }
  return 0;
}

static int release(int major, int minor) { return 10000000 * major + 100000 * minor; }

static int statement(struct device *last, const char *verb, char *rest) {
  (void)last;
  return !strcmp(verb, "host") && fake_add_host(rest);
}

static void forget(struct object *object) { (void)object; } /* nothing of this API's own is in one */

static void begin(void) {
  fake.version = FAKE_HIP;
  fake_forget_hosts();
}

/* As 5.2.3 was seen to fail on a machine without a device. */
static int initialize(void) {
  if (fake.unreadable) return hipErrorUnknown;
  fake_read_visible("HIP_VISIBLE_DEVICES");
  if (!fake.visible_count) return hipErrorInvalidDevice;
  for (int d = 0; d < fake.count; d++) {
    fake.devices[d].stream = fake_make(K_STREAM, d);
    if (!fake.devices[d].stream) return hipErrorOutOfMemory;
  }
  fake.initialized = 1;
  return 0;
}

const struct api fake_api = {"device mi300x\n", 1, begin, initialize, add_device, release, attribute, statement,
                             forget};
