/*
 * A stand-in for ROCm SMI, for tests of what becomes of statuses. It looks at no file. Device 0 works; every call but
 * rsmi_dev_pci_id_get answers device N with status N. FAKE_INIT_STATUS is what rsmi_init answers, FAKE_DOMAIN the domain of the
 * bus; with FAKE_OLD it has no rsmi_dev_power_get, as libraries before ROCm 6.0. fake_open counts what was initialized and not shut down.
 */
#include <stdint.h>
#include <stdio.h>

#ifdef PANAMARK_WITH_ROCM_SMI_H
#include <rocm_smi/rocm_smi.h>
#else
typedef uint32_t rsmi_status_t;
typedef uint32_t rsmi_temperature_metric_t;
typedef uint32_t RSMI_POWER_TYPE;
typedef struct {
  uint32_t major, minor, patch;
  const char *build;
} rsmi_version_t;
#endif

#ifndef FAKE_INIT_STATUS
#define FAKE_INIT_STATUS 0
#endif

#ifndef FAKE_DOMAIN
#define FAKE_DOMAIN 1
#endif

static int open_count;

int fake_open(void) { return open_count; }

rsmi_status_t rsmi_init(uint64_t flags) {
  (void)flags;
  open_count += FAKE_INIT_STATUS == 0;
  return FAKE_INIT_STATUS;
}

rsmi_status_t rsmi_shut_down(void) {
  open_count--;
  return 0;
}

rsmi_status_t rsmi_status_string(rsmi_status_t status, const char **text) {
  static char words[64];
  snprintf(words, sizeof words, "words of %u", (unsigned)status);
  *text = words;
  return 0;
}

rsmi_status_t rsmi_version_get(rsmi_version_t *version) {
  *version = (rsmi_version_t){7, 3, 1, "fake"};
  return 0;
}

rsmi_status_t rsmi_num_monitor_devices(uint32_t *count) {
  *count = 1;
  return 0;
}

/* Bus 0xc1, device N, function 0; partition 2. */
rsmi_status_t rsmi_dev_pci_id_get(uint32_t device, uint64_t *id) {
  *id = (uint64_t)FAKE_DOMAIN << 32 | (uint64_t)2 << 28 | 0xc1 << 8 | device << 3;
  return 0;
}

rsmi_status_t rsmi_dev_name_get(uint32_t device, char *name, size_t room) {
  snprintf(name, room, "fake %u", device);
  return device;
}

rsmi_status_t rsmi_dev_unique_id_get(uint32_t device, uint64_t *id) {
  *id = 0xa1b2c3d4e5f60718;
  return device;
}

#ifndef FAKE_OLD
rsmi_status_t rsmi_dev_power_get(uint32_t device, uint64_t *power, RSMI_POWER_TYPE *type) {
  *power = 612000000;
  *type = 1;
  return device;
}
#endif

rsmi_status_t rsmi_dev_power_ave_get(uint32_t device, uint32_t sensor, uint64_t *power) {
  *power = 600000000 + sensor;
  return device;
}

rsmi_status_t rsmi_dev_power_cap_get(uint32_t device, uint32_t sensor, uint64_t *cap) {
  *cap = 750000000 + sensor;
  return device;
}

rsmi_status_t rsmi_dev_energy_count_get(uint32_t device, uint64_t *count, float *resolution, uint64_t *nanoseconds) {
  *count = 123456789012;
  *resolution = 15.3f;
  *nanoseconds = 1;
  return device;
}

rsmi_status_t rsmi_dev_temp_metric_get(uint32_t device, uint32_t sensor, rsmi_temperature_metric_t metric,
                                       int64_t *temperature) {
  *temperature = 40000 + 1000 * (int64_t)sensor + metric;
  return device;
}
