/* Devices that a script can name, and what else is CUDA's of a script. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "state.h"
#include "types.h"

/* Figures that NVIDIA publishes (data sheets, tuning guides), and what its CUDA programming guide lists by architecture. */
static const struct preset {
  const char *id, *name, *chip;
  int major, minor, units, clock_khz, memory_khz, bus, l2, shared_unit, threads_unit, blocks_unit, cluster, pci;
  uint64_t memory;
  double idle_watts, busy_watts; /* the second is the board's limit, the first the fake's own */
  uint64_t average_ns, instant_ns; /* what their sensors are the mean over: Yang et al., SC24 */
} presets[] = {
    {"h100-sxm", "NVIDIA H100 80GB HBM3", "GH100", 9, 0, 132, 1980000, 2619000, 5120, 50 << 20, 228 << 10, 2048, 32, 1, 0xc1,
     80ull << 30, 70, 700, 1000000000, 25000000},
    {"a100-sxm-80", "NVIDIA A100-SXM4-80GB", "GA100", 8, 0, 108, 1410000, 1593000, 5120, 40 << 20, 164 << 10, 2048, 32, 0, 0x41,
     80ull << 30, 60, 400, 0, 25000000},
    {"rtx-4090", "NVIDIA GeForce RTX 4090", "AD102", 8, 9, 128, 2520000, 10501000, 384, 72 << 20, 100 << 10, 1536, 24, 0, 0x01,
     24ull << 30, 25, 450, 1000000000, 100000000},
};

static int add_device(const char *id) {
  for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
    const struct preset *p = &presets[i];
    if (strcmp(p->id, id) != 0) continue;
    struct device *d = fake_begin_device(p->name, p->pci, p->units, p->memory);
    int *a = d->attribute;
    a[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = 1024;
    a[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X] = a[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y] = 1024;
    a[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z] = 64;
    a[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X] = 2147483647;
    a[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y] = a[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z] = 65535;
    a[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK] = 48 << 10;
    a[CU_DEVICE_ATTRIBUTE_WARP_SIZE] = 32;
    a[CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK] = a[CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR] = 65536;
    a[CU_DEVICE_ATTRIBUTE_CLOCK_RATE] = p->clock_khz;
    a[CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE] = p->memory_khz;
    a[CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH] = p->bus;
    a[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = p->units;
    a[CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE] = p->l2;
    a[CU_DEVICE_ATTRIBUTE_ECC_ENABLED] = p->shared_unit > 100 << 10;
    a[CU_DEVICE_ATTRIBUTE_PCI_BUS_ID] = (p->pci + 0x10 * fake.count) & 0xff;
    a[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR] = p->threads_unit;
    a[CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR] = p->blocks_unit;
    a[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = p->major;
    a[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR] = p->minor;
    a[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR] = p->shared_unit;
    a[CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK] = 1 << 10;
    a[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN] = p->shared_unit - (1 << 10);
    a[CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH] = 1;
    a[CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH] = a[CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED] = p->cluster;
    fake_power_begin(&d->power, p->idle_watts, p->busy_watts, p->average_ns, p->instant_ns);
    fake_counters_begin(&d->counters, p->chip);
    d->power.ecc = a[CU_DEVICE_ATTRIBUTE_ECC_ENABLED] ? 1 : -1;
    d->power.mig = p->average_ns == 1000000000 && !p->cluster ? -1 : 0;
    fake.count++;
    return 1;
  }
  return 0;
}

static int release(int major, int minor) { return 1000 * major + 10 * minor; }

static int attribute(int number) { return number >= 0 && number < ATTRIBUTES ? number : -1; }

static int statement(struct device *last, const char *verb, char *rest) {
  if (strcmp(verb, "ptx")) return last && fake_counters_statement(&last->counters, verb, rest);
  int version = fake_read_release(rest);
  if (version) fake.ptx = version;
  return version;
}

/* The newest PTX of a release, where the script does not say: 9.0 came with 13.0, 7.0 with 11.0, 8.0 with 12.0. */
static void begin(void) {
  fake.version = FAKE_CUDA;
  fake.ptx = (FAKE_CUDA / 1000 - 4) * 1000 + FAKE_CUDA % 1000;
}

static int initialize(void) { return S_NOT_INITIALIZED; }

const struct api fake_api = {"device h100-sxm\n", 0, begin, initialize, add_device, release, attribute, statement,
                             fake_forget_cupti};
