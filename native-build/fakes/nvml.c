/* The functions of NVML, as libnvidia-ml.so.1 exports them. Its devices are those of the script, by their place on the bus. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "state.h"
#include "types.h"

#ifdef PANAMARK_WITH_NVML_H
#include <nvml.h>
#else
typedef int nvmlReturn_t;
typedef int nvmlEnableState_t, nvmlClockType_t, nvmlTemperatureSensors_t;
typedef struct nvmlDevice_st *nvmlDevice_t;
typedef union {
  double dVal;
  unsigned int uiVal;
  unsigned long long ullVal;
} nvmlValue_t;
typedef struct {
  unsigned int fieldId, scopeId;
  long long timestamp, latencyUsec;
  int valueType;
  nvmlReturn_t nvmlReturn;
  nvmlValue_t value;
} nvmlFieldValue_t;
typedef struct {
  char busIdLegacy[16];
  unsigned int domain, bus, device, pciDeviceId, pciSubSystemId;
  char busId[32];
} nvmlPciInfo_t;
typedef struct {
  unsigned int pid;
  unsigned long long usedGpuMemory;
  unsigned int gpuInstanceId, computeInstanceId;
} nvmlProcessInfo_t;
typedef struct {
  unsigned int version;
  nvmlTemperatureSensors_t sensorType;
  int temperature;
} nvmlTemperature_t;
#endif

/* Statuses of nvml.h, each with words of the fake's own. */
#define NVML_STATUSES(X) \
  X(NVML_SUCCESS, 0, "no error") \
  X(NVML_ERROR_UNINITIALIZED, 1, "NVML is not initialized") \
  X(NVML_ERROR_INVALID_ARGUMENT, 2, "an argument is not valid") \
  X(NVML_ERROR_NOT_SUPPORTED, 3, "the device cannot do this") \
  X(NVML_ERROR_NO_PERMISSION, 4, "the user may not do this") \
  X(NVML_ERROR_NOT_FOUND, 6, "there is nothing of this name") \
  X(NVML_ERROR_INSUFFICIENT_SIZE, 7, "there is not enough room for the answer") \
  X(NVML_ERROR_DRIVER_NOT_LOADED, 9, "the kernel module is not loaded") \
  X(NVML_ERROR_TIMEOUT, 10, "it took too long") \
  X(NVML_ERROR_LIBRARY_NOT_FOUND, 12, "a library is missing") \
  X(NVML_ERROR_FUNCTION_NOT_FOUND, 13, "the driver lacks the function") \
  X(NVML_ERROR_GPU_IS_LOST, 15, "the device has fallen off the bus") \
  X(NVML_ERROR_RESET_REQUIRED, 16, "the device needs a reset") \
  X(NVML_ERROR_OPERATING_SYSTEM, 17, "the operating system forbids it") \
  X(NVML_ERROR_LIB_RM_VERSION_MISMATCH, 18, "library and kernel module are of different versions") \
  X(NVML_ERROR_NO_DATA, 21, "there is no data") \
  X(NVML_ERROR_ARGUMENT_VERSION_MISMATCH, 25, "a structure is of another version") \
  X(NVML_ERROR_DEPRECATED, 26, "the function is not served any more") \
  X(NVML_ERROR_GPU_NOT_FOUND, 28, "there is no device") \
  X(NVML_ERROR_UNKNOWN, 999, "something failed")

#ifdef PANAMARK_WITH_NVML_H
#define COMPARE(name, value, words) _Static_assert((int)name == value, #name);
NVML_STATUSES(COMPARE)
_Static_assert(NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION == 83 && NVML_FI_DEV_POWER_AVERAGE == 185 &&
                   NVML_FI_DEV_POWER_INSTANT == 186 && NVML_FI_DEV_MEMORY_TEMP == 82, "fields");
_Static_assert(sizeof(nvmlFieldValue_t) == 40 && sizeof(nvmlProcessInfo_t) == 24 && sizeof(nvmlPciInfo_t) == 68, "sizes");
#else
#define DECLARE(name, value, words) name = value,
enum { NVML_STATUSES(DECLARE) };
#endif

#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))
#if FAKE_CUDA >= 11060
#define SINCE_11_6 EXPORT
#else
#define SINCE_11_6 HIDDEN
#endif
#if FAKE_CUDA >= 12020
#define SINCE_12_2 EXPORT
#else
#define SINCE_12_2 HIDDEN
#endif
#if FAKE_CUDA >= 12090
#define SINCE_12_9 EXPORT
#else
#define SINCE_12_9 HIDDEN
#endif

static nvmlReturn_t leave(int status) {
  fake_unlock();
  return (nvmlReturn_t)status;
}

#define COUNT \
  static struct call call = {.name = __func__}; \
  int entered = fake_enter(&call, NEEDS_NOTHING); \
  if (entered) return leave(entered)

#define REQUIRE(condition, status) \
  if (!(condition)) return leave(status)

#define ENTER \
  COUNT;      \
  REQUIRE(fake.nvml_count > 0, NVML_ERROR_UNINITIALIZED)

#define DEVICE                                              \
  ENTER;                                                    \
  struct device *d = device_of(device);                     \
  REQUIRE(d, NVML_ERROR_INVALID_ARGUMENT);                  \
  struct power *p = &d->power;                              \
  REQUIRE(fake.now < p->lost, NVML_ERROR_GPU_IS_LOST)

/* NVML numbers devices by their place on the bus, and knows nothing of CUDA_VISIBLE_DEVICES. */
static int by_bus(unsigned int index) {
  for (int d = 0; d < fake.count; d++) {
    unsigned int before = 0;
    for (int other = 0; other < fake.count; other++)
      before += strcmp(fake.devices[other].bus, fake.devices[d].bus) < 0;
    if (before == index) return d;
  }
  return -1;
}

static nvmlDevice_t handle_of(int d) { return (nvmlDevice_t)(uintptr_t)((fake.epoch & 0xffff) << 16 | 0xd000 | (unsigned)d); }

static struct device *device_of(nvmlDevice_t handle) {
  for (int d = 0; d < fake.count; d++)
    if (handle == handle_of(d)) return &fake.devices[d];
  return NULL;
}

static void uuid_text(const struct device *d, char *text, size_t room) {
  const unsigned char *u = d->uuid;
  snprintf(text, room, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", u[0], u[1], u[2], u[3],
           u[4], u[5], u[6], u[7], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

static int copy(char *to, unsigned int room, const char *text) {
  if (!to) return NVML_ERROR_INVALID_ARGUMENT;
  return (unsigned int)snprintf(to, room, "%s", text) < room ? NVML_SUCCESS : NVML_ERROR_INSUFFICIENT_SIZE;
}

/* -------- the library -------- */

EXPORT nvmlReturn_t nvmlInit_v2(void) {
  COUNT;
  REQUIRE(!fake.unreadable, NVML_ERROR_UNKNOWN);
  fake.nvml_count++;
  return leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlShutdown(void) {
  ENTER;
  fake.nvml_count--;
  return leave(NVML_SUCCESS);
}

EXPORT const char *nvmlErrorString(nvmlReturn_t status) {
#define TEXT(name, value, words) \
  if ((int)status == value) return words;
  NVML_STATUSES(TEXT)
  return "this status is not known";
}

EXPORT nvmlReturn_t nvmlSystemGetDriverVersion(char *version, unsigned int length) {
  ENTER;
  return leave(copy(version, length, "580.65.06"));
}

EXPORT nvmlReturn_t nvmlSystemGetNVMLVersion(char *version, unsigned int length) {
  ENTER;
  return leave(copy(version, length, "13.580.65.06"));
}

EXPORT nvmlReturn_t nvmlSystemGetCudaDriverVersion_v2(int *version) {
  ENTER;
  REQUIRE(version, NVML_ERROR_INVALID_ARGUMENT);
  *version = fake.version;
  return leave(NVML_SUCCESS);
}

/* -------- devices -------- */

EXPORT nvmlReturn_t nvmlDeviceGetCount_v2(unsigned int *count) {
  ENTER;
  REQUIRE(count, NVML_ERROR_INVALID_ARGUMENT);
  *count = (unsigned int)fake.count;
  return leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByIndex_v2(unsigned int index, nvmlDevice_t *device) {
  ENTER;
  int d = by_bus(index);
  REQUIRE(device && d >= 0, NVML_ERROR_INVALID_ARGUMENT);
  REQUIRE(fake.now < fake.devices[d].power.lost, NVML_ERROR_GPU_IS_LOST);
  *device = handle_of(d);
  return leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByUUID(const char *uuid, nvmlDevice_t *device) {
  ENTER;
  REQUIRE(uuid && device, NVML_ERROR_INVALID_ARGUMENT);
  for (int d = 0; d < fake.count; d++) {
    char text[64];
    uuid_text(&fake.devices[d], text, sizeof text);
    if (strcmp(text, uuid)) continue;
    *device = handle_of(d);
    return leave(NVML_SUCCESS);
  }
  return leave(NVML_ERROR_NOT_FOUND);
}

EXPORT nvmlReturn_t nvmlDeviceGetHandleByPciBusId_v2(const char *bus, nvmlDevice_t *device) {
  ENTER;
  REQUIRE(bus && device, NVML_ERROR_INVALID_ARGUMENT);
  size_t length = strlen(bus);
  for (int d = 0; d < fake.count; d++) {
    size_t own = strlen(fake.devices[d].bus); /* of a domain with four digits; with eight, four of them lead */
    if (length < own || strcasecmp(bus + length - own, fake.devices[d].bus)) continue;
    *device = handle_of(d);
    return leave(NVML_SUCCESS);
  }
  return leave(NVML_ERROR_NOT_FOUND);
}

EXPORT nvmlReturn_t nvmlDeviceGetName(nvmlDevice_t device, char *name, unsigned int length) {
  DEVICE;
  return leave(copy(name, length, d->name));
}

EXPORT nvmlReturn_t nvmlDeviceGetUUID(nvmlDevice_t device, char *uuid, unsigned int length) {
  DEVICE;
  char text[64];
  uuid_text(d, text, sizeof text);
  return leave(copy(uuid, length, text));
}

EXPORT nvmlReturn_t nvmlDeviceGetPciInfo_v3(nvmlDevice_t device, nvmlPciInfo_t *pci) {
  DEVICE;
  REQUIRE(pci, NVML_ERROR_INVALID_ARGUMENT);
  memset(pci, 0, sizeof *pci);
  unsigned int domain, bus, slot;
  if (sscanf(d->bus, "%x:%x:%x", &domain, &bus, &slot) == 3) {
    pci->domain = domain;
    pci->bus = bus;
    pci->device = slot;
  }
  snprintf(pci->busIdLegacy, sizeof pci->busIdLegacy, "%04X:%02X:%02X.0", pci->domain & 0xffff, pci->bus & 0xff, pci->device & 0xff);
  snprintf(pci->busId, sizeof pci->busId, "%08X:%02X:%02X.0", pci->domain, pci->bus & 0xff, pci->device & 0xff);
  return leave(NVML_SUCCESS);
}

/* -------- power -------- */

EXPORT nvmlReturn_t nvmlDeviceGetTotalEnergyConsumption(nvmlDevice_t device, unsigned long long *energy) {
  DEVICE;
  REQUIRE(energy, NVML_ERROR_INVALID_ARGUMENT);
  REQUIRE(!p->absent, NVML_ERROR_NOT_SUPPORTED);
  *energy = fake_energy(p, fake.now);
  return leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceGetPowerUsage(nvmlDevice_t device, unsigned int *power) {
  DEVICE;
  REQUIRE(power, NVML_ERROR_INVALID_ARGUMENT);
  uint64_t at;
  *power = fake_milliwatts(p, fake.now, p->average_window ? p->average_window : p->instant_window, &at);
  return leave(NVML_SUCCESS);
}

static int field(const struct power *p, unsigned int id, unsigned int scope, int *type, nvmlValue_t *value, uint64_t *at) {
  for (int i = 0; i < p->field_count; i++)
    if (p->fields[i].id == id && p->fields[i].status) return p->fields[i].status;
  if (scope > 1 || (scope == 1 && !p->module)) return NVML_ERROR_NOT_SUPPORTED;
  *type = 1; /* unsigned int */
  *at = fake.now;
  switch (id) {
    case 82: /* memory temperature */
      value->uiVal = (unsigned int)p->temperature + 5;
      return NVML_SUCCESS;
    case 83: /* total energy */
      if (p->absent) return NVML_ERROR_NOT_SUPPORTED;
      *type = 3; /* unsigned long long */
      value->ullVal = fake_energy(p, fake.now);
      return NVML_SUCCESS;
    case 185: /* power, averaged */
      if (!p->average_window) return NVML_ERROR_NOT_SUPPORTED;
      value->uiVal = fake_milliwatts(p, fake.now, p->average_window, at);
      return NVML_SUCCESS;
    case 186: /* power, instant */
      if (!p->instant_window) return NVML_ERROR_NOT_SUPPORTED;
      value->uiVal = fake_milliwatts(p, fake.now, p->instant_window, at);
      return NVML_SUCCESS;
    default: return NVML_ERROR_NOT_SUPPORTED;
  }
}

/* Succeeds whatever became of the entries: each has its own status. */
EXPORT nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int count, nvmlFieldValue_t *values) {
  DEVICE;
  REQUIRE(values && count > 0, NVML_ERROR_INVALID_ARGUMENT);
  for (int i = 0; i < count; i++) {
    int type = 0;
    uint64_t at = fake.now;
    values[i].nvmlReturn = (nvmlReturn_t)field(p, values[i].fieldId, values[i].scopeId, &type, &values[i].value, &at);
    values[i].valueType = type;
    values[i].timestamp = (long long)(at / 1000);
    values[i].latencyUsec = 0;
  }
  return leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceGetEnforcedPowerLimit(nvmlDevice_t device, unsigned int *limit) {
  DEVICE;
  REQUIRE(limit, NVML_ERROR_INVALID_ARGUMENT);
  *limit = (unsigned int)(p->enforced * 1000);
  return leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceGetPowerManagementLimit(nvmlDevice_t device, unsigned int *limit) {
  DEVICE;
  REQUIRE(limit, NVML_ERROR_INVALID_ARGUMENT);
  *limit = (unsigned int)(p->enforced * 1000);
  return leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceGetPowerManagementDefaultLimit(nvmlDevice_t device, unsigned int *limit) {
  DEVICE;
  REQUIRE(limit, NVML_ERROR_INVALID_ARGUMENT);
  *limit = (unsigned int)(p->maximum * 1000);
  return leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceGetPowerManagementLimitConstraints(nvmlDevice_t device, unsigned int *minimum,
                                                                 unsigned int *maximum) {
  DEVICE;
  REQUIRE(minimum && maximum, NVML_ERROR_INVALID_ARGUMENT);
  *minimum = (unsigned int)(p->minimum * 1000);
  *maximum = (unsigned int)(p->maximum * 1000);
  return leave(NVML_SUCCESS);
}

/* -------- clocks, temperatures, modes -------- */

static int clock_of(const struct device *d, int type, int maximum, unsigned int *clock) {
  const struct power *p = &d->power;
  unsigned int sm = (unsigned int)d->attribute[CU_DEVICE_ATTRIBUTE_CLOCK_RATE] / 1000;
  unsigned int memory = (unsigned int)d->attribute[CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE] / 1000;
  if (!clock || type < 0 || type > 3) return NVML_ERROR_INVALID_ARGUMENT;
  *clock = type == 2 ? (p->memory_mhz && !maximum ? p->memory_mhz : memory) : (p->sm_mhz && !maximum ? p->sm_mhz : sm);
  return NVML_SUCCESS;
}

EXPORT nvmlReturn_t nvmlDeviceGetClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *clock) {
  DEVICE;
  (void)p;
  return leave(clock_of(d, (int)type, 0, clock));
}

EXPORT nvmlReturn_t nvmlDeviceGetMaxClockInfo(nvmlDevice_t device, nvmlClockType_t type, unsigned int *clock) {
  DEVICE;
  (void)p;
  return leave(clock_of(d, (int)type, 1, clock));
}

static int reasons_of(const struct power *p, unsigned long long *reasons) {
  if (!reasons) return NVML_ERROR_INVALID_ARGUMENT;
  *reasons = 0;
  for (int i = 0; i < p->episode_count; i++)
    if (p->episodes[i].from <= fake.now && fake.now < p->episodes[i].to) *reasons |= p->episodes[i].mask;
  return NVML_SUCCESS;
}

SINCE_12_2 nvmlReturn_t nvmlDeviceGetCurrentClocksEventReasons(nvmlDevice_t device, unsigned long long *reasons) {
  DEVICE;
  return leave(reasons_of(p, reasons));
}

EXPORT nvmlReturn_t nvmlDeviceGetCurrentClocksThrottleReasons(nvmlDevice_t device, unsigned long long *reasons) {
  DEVICE;
  return leave(reasons_of(p, reasons));
}

EXPORT nvmlReturn_t nvmlDeviceGetTemperature(nvmlDevice_t device, nvmlTemperatureSensors_t sensor, unsigned int *temperature) {
  DEVICE;
  REQUIRE(temperature && (int)sensor == 0, NVML_ERROR_INVALID_ARGUMENT);
  *temperature = (unsigned int)p->temperature;
  return leave(NVML_SUCCESS);
}

SINCE_12_9 nvmlReturn_t nvmlDeviceGetTemperatureV(nvmlDevice_t device, nvmlTemperature_t *temperature) {
  DEVICE;
  REQUIRE(temperature && (int)temperature->sensorType == 0, NVML_ERROR_INVALID_ARGUMENT);
  REQUIRE(temperature->version == (1u << 24 | sizeof *temperature), NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
  temperature->temperature = p->temperature;
  return leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceGetEccMode(nvmlDevice_t device, nvmlEnableState_t *current, nvmlEnableState_t *pending) {
  DEVICE;
  REQUIRE(current && pending, NVML_ERROR_INVALID_ARGUMENT);
  REQUIRE(p->ecc >= 0, NVML_ERROR_NOT_SUPPORTED);
  *current = *pending = (nvmlEnableState_t)p->ecc;
  return leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceGetPersistenceMode(nvmlDevice_t device, nvmlEnableState_t *mode) {
  DEVICE;
  REQUIRE(mode, NVML_ERROR_INVALID_ARGUMENT);
  REQUIRE(p->persistence >= 0, NVML_ERROR_NOT_SUPPORTED);
  *mode = (nvmlEnableState_t)p->persistence;
  return leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceSetGpuLockedClocks(nvmlDevice_t device, unsigned int least, unsigned int most) {
  DEVICE;
  REQUIRE(least && least <= most, NVML_ERROR_INVALID_ARGUMENT);
  p->locked_mhz = most;
  return leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceResetGpuLockedClocks(nvmlDevice_t device) {
  DEVICE;
  p->locked_mhz = 0;
  return leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceGetMigMode(nvmlDevice_t device, unsigned int *current, unsigned int *pending) {
  DEVICE;
  REQUIRE(current && pending, NVML_ERROR_INVALID_ARGUMENT);
  REQUIRE(p->mig >= 0, NVML_ERROR_NOT_SUPPORTED);
  *current = *pending = (unsigned int)p->mig;
  return leave(NVML_SUCCESS);
}

EXPORT nvmlReturn_t nvmlDeviceIsMigDeviceHandle(nvmlDevice_t device, unsigned int *is) {
  DEVICE;
  (void)p;
  REQUIRE(is, NVML_ERROR_INVALID_ARGUMENT);
  *is = 0;
  return leave(NVML_SUCCESS);
}

SINCE_11_6 nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(nvmlDevice_t device, unsigned int *count,
                                                                nvmlProcessInfo_t *processes) {
  DEVICE;
  REQUIRE(count, NVML_ERROR_INVALID_ARGUMENT);
  unsigned int room = *count;
  *count = (unsigned int)p->process_count;
  REQUIRE(room >= *count, NVML_ERROR_INSUFFICIENT_SIZE);
  REQUIRE(processes || !*count, NVML_ERROR_INVALID_ARGUMENT);
  for (int i = 0; i < p->process_count; i++)
    processes[i] = (nvmlProcessInfo_t){.pid = p->processes[i].pid, .usedGpuMemory = p->processes[i].bytes,
                                       .gpuInstanceId = 0xffffffff, .computeInstanceId = 0xffffffff};
  return leave(NVML_SUCCESS);
}
