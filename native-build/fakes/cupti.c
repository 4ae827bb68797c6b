/*
 * The functions of CUPTI's range profiler, as libcupti.so.13 exports them: the host's side, with metrics of the script's, and
 * the device's side. Stricter than CUPTI need be: whatever the manual does not promise is refused.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PANAMARK_WITH_CUPTI_H
#define PANAMARK_WITH_CUDA_H
#endif
#include "state.h"
#include "types.h"

#ifdef PANAMARK_WITH_CUPTI_H
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>
#else
typedef int CUptiResult;
typedef int CUpti_MetricType, CUpti_ProfilerType, CUpti_Profiler_Support_Level, CUpti_Profiler_API, CUpti_ProfilerRange,
    CUpti_ProfilerReplayMode;
typedef struct CUpti_Profiler_Host_Object CUpti_Profiler_Host_Object;
typedef struct CUpti_RangeProfiler_Object CUpti_RangeProfiler_Object;
/* Each begins with the size that the caller knows and a pointer that is null. */
#define PARAMETERS_OF(name, ...) typedef struct { size_t structSize; void *pPriv; __VA_ARGS__ } name
PARAMETERS_OF(CUpti_Device_GetChipName_Params, size_t deviceIndex; const char *pChipName;);
PARAMETERS_OF(CUpti_Profiler_Initialize_Params, );
PARAMETERS_OF(CUpti_Profiler_DeInitialize_Params, );
PARAMETERS_OF(CUpti_Profiler_DeviceSupported_Params, CUdevice cuDevice; CUpti_Profiler_Support_Level isSupported, architecture,
              sli, vGpu, confidentialCompute, cmp, wsl; CUpti_Profiler_API api;);
PARAMETERS_OF(CUpti_Profiler_GetCounterAvailability_Params, CUcontext ctx; size_t counterAvailabilityImageSize;
              uint8_t *pCounterAvailabilityImage;);
PARAMETERS_OF(CUpti_Profiler_Host_Initialize_Params, CUpti_ProfilerType profilerType; const char *pChipName;
              const uint8_t *pCounterAvailabilityImage; CUpti_Profiler_Host_Object *pHostObject;);
PARAMETERS_OF(CUpti_Profiler_Host_Deinitialize_Params, CUpti_Profiler_Host_Object *pHostObject;);
PARAMETERS_OF(CUpti_Profiler_Host_GetSupportedChips_Params, size_t numChips; const char *const *ppChipNames;);
PARAMETERS_OF(CUpti_Profiler_Host_GetBaseMetrics_Params, CUpti_Profiler_Host_Object *pHostObject; CUpti_MetricType metricType;
              const char **ppMetricNames; size_t numMetrics;);
PARAMETERS_OF(CUpti_Profiler_Host_GetSubMetrics_Params, CUpti_Profiler_Host_Object *pHostObject; CUpti_MetricType metricType;
              const char *pMetricName; size_t numOfSubmetrics; const char **ppSubMetrics;);
PARAMETERS_OF(CUpti_Profiler_Host_GetMetricProperties_Params, CUpti_Profiler_Host_Object *pHostObject; const char *pMetricName,
              *pDescription, *pHwUnit, *pDimUnit; CUpti_MetricType metricType;);
PARAMETERS_OF(CUpti_Profiler_Host_EvaluateToGpuValues_Params, CUpti_Profiler_Host_Object *pHostObject;
              const uint8_t *pCounterDataImage; size_t counterDataImageSize, rangeIndex; const char **ppMetricNames;
              size_t numMetrics; double *pMetricValues;);
PARAMETERS_OF(CUpti_Profiler_Host_ConfigAddMetrics_Params, CUpti_Profiler_Host_Object *pHostObject; const char **ppMetricNames;
              size_t numMetrics;);
PARAMETERS_OF(CUpti_Profiler_Host_GetConfigImageSize_Params, CUpti_Profiler_Host_Object *pHostObject; size_t configImageSize;);
PARAMETERS_OF(CUpti_Profiler_Host_GetConfigImage_Params, CUpti_Profiler_Host_Object *pHostObject; size_t configImageSize;
              uint8_t *pConfigImage;);
PARAMETERS_OF(CUpti_Profiler_Host_GetNumOfPasses_Params, size_t configImageSize; uint8_t *pConfigImage; size_t numOfPasses;);
PARAMETERS_OF(CUpti_RangeProfiler_Enable_Params, CUcontext ctx; CUpti_RangeProfiler_Object *pRangeProfilerObject;);
PARAMETERS_OF(CUpti_RangeProfiler_Disable_Params, CUpti_RangeProfiler_Object *pRangeProfilerObject;);
PARAMETERS_OF(CUpti_RangeProfiler_SetConfig_Params, CUpti_RangeProfiler_Object *pRangeProfilerObject; size_t configSize;
              const uint8_t *pConfig; size_t counterDataImageSize; uint8_t *pCounterDataImage; CUpti_ProfilerRange range;
              CUpti_ProfilerReplayMode replayMode; size_t maxRangesPerPass; uint16_t numNestingLevels, minNestingLevel;
              size_t passIndex; uint16_t targetNestingLevel;);
PARAMETERS_OF(CUpti_RangeProfiler_Start_Params, CUpti_RangeProfiler_Object *pRangeProfilerObject;);
PARAMETERS_OF(CUpti_RangeProfiler_Stop_Params, CUpti_RangeProfiler_Object *pRangeProfilerObject;
              size_t passIndex, targetNestingLevel; uint8_t isAllPassSubmitted;);
PARAMETERS_OF(CUpti_RangeProfiler_PushRange_Params, CUpti_RangeProfiler_Object *pRangeProfilerObject; const char *pRangeName;);
PARAMETERS_OF(CUpti_RangeProfiler_PopRange_Params, CUpti_RangeProfiler_Object *pRangeProfilerObject;);
PARAMETERS_OF(CUpti_RangeProfiler_DecodeData_Params, CUpti_RangeProfiler_Object *pRangeProfilerObject; size_t numOfRangeDropped;);
PARAMETERS_OF(CUpti_RangeProfiler_GetCounterDataSize_Params, CUpti_RangeProfiler_Object *pRangeProfilerObject;
              const char **pMetricNames; size_t numMetrics, maxNumOfRanges; uint32_t maxNumRangeTreeNodes; size_t counterDataSize;);
PARAMETERS_OF(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, CUpti_RangeProfiler_Object *pRangeProfilerObject;
              size_t counterDataSize; uint8_t *pCounterData;);
PARAMETERS_OF(CUpti_RangeProfiler_GetCounterDataInfo_Params, const uint8_t *pCounterDataImage;
              size_t counterDataImageSize, numTotalRanges;);
PARAMETERS_OF(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, const uint8_t *pCounterDataImage;
              size_t counterDataImageSize, rangeIndex; const char *rangeDelimiter, *rangeName;);
#endif

/* Type, its last field, and the size that callers must give: what the header's own macro says of them. */
#define SIZES(X) \
  X(CUpti_Device_GetChipName_Params, pChipName, 32) \
  X(CUpti_Profiler_Initialize_Params, pPriv, 16) \
  X(CUpti_Profiler_DeInitialize_Params, pPriv, 16) \
  X(CUpti_Profiler_DeviceSupported_Params, api, 52) \
  X(CUpti_Profiler_GetCounterAvailability_Params, pCounterAvailabilityImage, 40) \
  X(CUpti_Profiler_Host_Initialize_Params, pHostObject, 48) \
  X(CUpti_Profiler_Host_Deinitialize_Params, pHostObject, 24) \
  X(CUpti_Profiler_Host_GetSupportedChips_Params, ppChipNames, 32) \
  X(CUpti_Profiler_Host_GetBaseMetrics_Params, numMetrics, 48) \
  X(CUpti_Profiler_Host_GetSubMetrics_Params, ppSubMetrics, 56) \
  X(CUpti_Profiler_Host_GetMetricProperties_Params, metricType, 60) \
  X(CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues, 72) \
  X(CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics, 40) \
  X(CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize, 32) \
  X(CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage, 40) \
  X(CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses, 40) \
  X(CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject, 32) \
  X(CUpti_RangeProfiler_Disable_Params, pRangeProfilerObject, 24) \
  X(CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel, 90) \
  X(CUpti_RangeProfiler_Start_Params, pRangeProfilerObject, 24) \
  X(CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted, 41) \
  X(CUpti_RangeProfiler_PushRange_Params, pRangeName, 32) \
  X(CUpti_RangeProfiler_PopRange_Params, pRangeProfilerObject, 24) \
  X(CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped, 32) \
  X(CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize, 64) \
  X(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pCounterData, 40) \
  X(CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges, 40) \
  X(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, rangeName, 56)

#define CHECK_SIZE(type, last, bytes) \
  _Static_assert(offsetof(type, last) + sizeof(((type *)0)->last) == bytes, #type); \
  enum { type##_BYTES = bytes };
SIZES(CHECK_SIZE)
/* Where fields lie that sizes do not tell apart. */
_Static_assert(offsetof(CUpti_Profiler_DeviceSupported_Params, isSupported) == 20, "DeviceSupported");
_Static_assert(offsetof(CUpti_Profiler_DeviceSupported_Params, wsl) == 44, "DeviceSupported");
_Static_assert(offsetof(CUpti_Profiler_Host_Initialize_Params, pChipName) == 24, "Host_Initialize");
_Static_assert(offsetof(CUpti_Profiler_Host_GetBaseMetrics_Params, ppMetricNames) == 32, "GetBaseMetrics");
_Static_assert(offsetof(CUpti_Profiler_Host_GetSubMetrics_Params, pMetricName) == 32, "GetSubMetrics");
_Static_assert(offsetof(CUpti_Profiler_Host_GetSubMetrics_Params, numOfSubmetrics) == 40, "GetSubMetrics");
_Static_assert(offsetof(CUpti_Profiler_Host_GetMetricProperties_Params, pHwUnit) == 40, "GetMetricProperties");
_Static_assert(offsetof(CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex) == 40, "EvaluateToGpuValues");
_Static_assert(offsetof(CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage) == 48, "SetConfig");
_Static_assert(offsetof(CUpti_RangeProfiler_SetConfig_Params, replayMode) == 60, "SetConfig");
_Static_assert(offsetof(CUpti_RangeProfiler_SetConfig_Params, minNestingLevel) == 74, "SetConfig");
_Static_assert(offsetof(CUpti_RangeProfiler_SetConfig_Params, passIndex) == 80, "SetConfig");
_Static_assert(offsetof(CUpti_RangeProfiler_Stop_Params, targetNestingLevel) == 32, "Stop");
_Static_assert(offsetof(CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumRangeTreeNodes) == 48, "GetCounterDataSize");
_Static_assert(offsetof(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params, rangeDelimiter) == 40, "GetRangeInfo");
#ifdef PANAMARK_WITH_CUPTI_H
#define COMPARE_SIZE(type, last, bytes) _Static_assert(type##_STRUCT_SIZE == bytes, #type);
SIZES(COMPARE_SIZE)
#endif

/* Statuses of cupti_result.h, each with words of the fake's own. */
#define STATUSES(X) \
  X(CUPTI_SUCCESS, 0, "no error") \
  X(CUPTI_ERROR_INVALID_PARAMETER, 1, "an argument is not valid") \
  X(CUPTI_ERROR_INVALID_DEVICE, 2, "there is no such device") \
  X(CUPTI_ERROR_INVALID_CONTEXT, 3, "there is no such context") \
  X(CUPTI_ERROR_INVALID_OPERATION, 7, "this cannot be called now") \
  X(CUPTI_ERROR_OUT_OF_MEMORY, 8, "the memory does not suffice") \
  X(CUPTI_ERROR_HARDWARE, 9, "the counters failed") \
  X(CUPTI_ERROR_NOT_COMPATIBLE, 14, "this does not go with the state of the object") \
  X(CUPTI_ERROR_NOT_INITIALIZED, 15, "there is no connection to the driver") \
  X(CUPTI_ERROR_INVALID_METRIC_NAME, 17, "the chip has no such metric") \
  X(CUPTI_ERROR_HARDWARE_BUSY, 26, "somebody else uses the counters") \
  X(CUPTI_ERROR_NOT_SUPPORTED, 27, "the device cannot do this") \
  X(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, 33, "the GPU is a virtual one") \
  X(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, 35, "the user may not read counters") \
  X(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, 39, "another tool is attached") \
  X(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, 40, "the hypervisor forbids it") \
  X(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, 41, "confidential computing is on") \
  X(CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, 42, "the GPU is for mining") \
  X(CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, 43, "the GPU is partitioned") \
  X(CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED, 44, "the GPU is linked by SLI") \
  X(CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, 45, "this is WSL") \
  X(CUPTI_ERROR_INVALID_CHIP_NAME, 46, "there is no such chip") \
  X(CUPTI_ERROR_UNKNOWN, 999, "something failed")

#ifdef PANAMARK_WITH_CUPTI_H
#define COMPARE(name, value, words) _Static_assert((int)name == value, #name);
STATUSES(COMPARE)
_Static_assert(CUPTI_PROFILER_TYPE_RANGE_PROFILER == 0 && CUPTI_METRIC_TYPE_COUNTER == 0 && CUPTI_METRIC_TYPE_RATIO == 1 &&
                   CUPTI_METRIC_TYPE_THROUGHPUT == 2 && CUPTI_UserRange == 2 && CUPTI_UserReplay == 3 &&
                   CUPTI_PROFILER_RANGE_PROFILING == 0 && CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED == 1 &&
                   CUPTI_PROFILER_CONFIGURATION_SUPPORTED == 3, "values");
#else
#define DECLARE(name, value, words) name = value,
enum { STATUSES(DECLARE) };
enum { CUPTI_UserRange = 2, CUPTI_UserReplay = 3, CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED = 1,
       CUPTI_PROFILER_CONFIGURATION_SUPPORTED = 3 };
#endif
enum { COUNTER, RATIO, THROUGHPUT };

#define EXPORT __attribute__((visibility("default")))
#if FAKE_CUDA >= 12060
#define SINCE_12_6 EXPORT
#else
#define SINCE_12_6 __attribute__((visibility("hidden")))
#endif

static CUptiResult leave(int status) {
  fake_unlock();
  return (CUptiResult)status;
}

#define COUNT \
  static struct call call = {.name = __func__}; \
  int entered = fake_enter(&call, NEEDS_NOTHING); \
  if (entered) return leave(entered)

#define REQUIRE(condition, status) \
  if (!(condition)) return leave(status)

/* A call with a structure, of exactly the size that the header says. */
#define ENTER(type) \
  COUNT; \
  REQUIRE(p && p->structSize == type##_BYTES && !p->pPriv, CUPTI_ERROR_INVALID_PARAMETER)

/* On the device's side CUPTI takes the driver for initialized, and crashes where it is not. */
#define ENTER_DEVICE(type) \
  must_be_initialized(__func__); \
  ENTER(type)

static void must_be_initialized(const char *function) {
  fake_lock();
  if (fake.initialized) return fake_unlock();
  fprintf(stderr, "panamark fake CUPTI: %s was called before cuInit, which crashes the real one\n", function);
  abort();
}

/* -------- the library -------- */

EXPORT CUptiResult cuptiGetVersion(uint32_t *version) {
  COUNT;
  REQUIRE(version, CUPTI_ERROR_INVALID_PARAMETER);
  /* As cupti_version.h counts them. */
  *version = FAKE_CUDA >= 13000   ? FAKE_CUDA / 1000 * 10000 + FAKE_CUDA % 1000 / 10 * 100
             : FAKE_CUDA >= 12090 ? 27
             : FAKE_CUDA >= 12080 ? 26
             : FAKE_CUDA >= 12060 ? 24
             : FAKE_CUDA >= 12000 ? 19
                                  : 15;
  return leave(CUPTI_SUCCESS);
}

EXPORT CUptiResult cuptiGetResultString(CUptiResult result, const char **text) {
#define NAME_OF(name, value, words) \
  if ((int)result == value) return *text = #name, (CUptiResult)CUPTI_SUCCESS;
  STATUSES(NAME_OF)
  return (CUptiResult)CUPTI_ERROR_INVALID_PARAMETER;
}

EXPORT CUptiResult cuptiGetErrorMessage(CUptiResult result, const char **text) {
#define TEXT_OF(name, value, words) \
  if ((int)result == value) return *text = words "\n", (CUptiResult)CUPTI_SUCCESS;
  STATUSES(TEXT_OF)
  return (CUptiResult)CUPTI_ERROR_INVALID_PARAMETER;
}

/* -------- the host's side -------- */

/* A metric's names, grown in place; the list is handed out, so entries are not moved. */
struct names {
  char **names;
  size_t count;
};

struct host {
  int device;
  struct names lists[8]; /* what was handed out last, by question */
  struct names added;
  int failed;
};

static void clear(struct names *n) {
  for (size_t i = 0; i < n->count; i++) free(n->names[i]);
  free(n->names);
  *n = (struct names){0};
}

static int holds(const struct names *n, const char *name) {
  for (size_t i = 0; i < n->count; i++)
    if (!strcmp(n->names[i], name)) return 1;
  return 0;
}

static void add(struct names *n, const char *name, size_t length) {
  char **grown = realloc(n->names, (n->count + 1) * sizeof *grown);
  if (!grown || !(grown[n->count] = strndup(name, length))) abort();
  n->names = grown;
  n->count++;
}

static size_t base_length(const char *metric) { return strcspn(metric, "."); }

/* As CUPTI's names go: ratios have suffixes of their own, throughputs are called so. */
static int kind_of(const char *metric) {
  const char *suffix = metric + base_length(metric);
  if (!strcmp(suffix, ".ratio") || !strcmp(suffix, ".pct") || !strcmp(suffix, ".max_rate")) return RATIO;
  const char *name = strstr(metric, "throughput");
  return name && name < suffix ? THROUGHPUT : COUNTER;
}

/* A metric of the device with this name or, where it is without a suffix, this base. */
static const struct metric *find_metric(const struct counters *c, const char *name) {
  size_t base = base_length(name);
  for (const struct metric *m = c->metrics; m; m = m->next)
    if (!strncmp(m->name, name, base) && base_length(m->name) == base && (!name[base] || !strcmp(m->name, name))) return m;
  return NULL;
}

void fake_forget_cupti(struct object *o) {
  if (o->host) {
    for (size_t i = 0; i < sizeof o->host->lists / sizeof *o->host->lists; i++) clear(&o->host->lists[i]);
    clear(&o->host->added);
    free(o->host);
    o->host = NULL;
  }
  if (o->profiler) {
    free(o->profiler->names);
    free(o->profiler->kernels);
    free(o->profiler);
    o->profiler = NULL;
  }
}

static int device_of_chip(const char *chip) {
  for (int d = 0; d < fake.count; d++)
    if (!strcmp(fake.devices[d].counters.chip, chip)) return d;
  return -1;
}

SINCE_12_6 CUptiResult cuptiProfilerHostGetSupportedChips(CUpti_Profiler_Host_GetSupportedChips_Params *p) {
  ENTER(CUpti_Profiler_Host_GetSupportedChips_Params);
  static const char *chips[DEVICES];
  p->numChips = 0;
  for (int d = 0; d < fake.count; d++)
    if (device_of_chip(fake.devices[d].counters.chip) == d) chips[p->numChips++] = fake.devices[d].counters.chip;
  p->ppChipNames = chips;
  return leave(CUPTI_SUCCESS);
}

/* The image that tells which counters a context has. */
struct availability {
  char magic[8];
  char chip[CHIP];
  unsigned char rest[40];
};
static const char AVAILABILITY[8] = "FAKEAVL";

SINCE_12_6 CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *p) {
  ENTER(CUpti_Profiler_Host_Initialize_Params);
  REQUIRE(p->pChipName && (int)p->profilerType == 0, CUPTI_ERROR_INVALID_PARAMETER);
  int device = device_of_chip(p->pChipName);
  REQUIRE(device >= 0, CUPTI_ERROR_INVALID_CHIP_NAME);
  const struct availability *image = (const void *)p->pCounterAvailabilityImage;
  REQUIRE(!image || (!memcmp(image->magic, AVAILABILITY, 8) && !strcmp(image->chip, p->pChipName)), CUPTI_ERROR_INVALID_PARAMETER);
  struct object *o = fake_make(K_HOST, 0);
  REQUIRE(o && (o->host = calloc(1, sizeof *o->host)), CUPTI_ERROR_OUT_OF_MEMORY);
  o->host->device = device;
  p->pHostObject = fake_handle(o);
  return leave(CUPTI_SUCCESS);
}

#define HOST \
  struct object *o = fake_find(p->pHostObject, K_HOST); \
  REQUIRE(o, CUPTI_ERROR_INVALID_PARAMETER); \
  struct host *h = o->host; \
  const struct counters *c = &fake.devices[h->device].counters

SINCE_12_6 CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *p) {
  ENTER(CUpti_Profiler_Host_Deinitialize_Params);
  struct object *o = fake_find(p->pHostObject, K_HOST);
  REQUIRE(o, CUPTI_ERROR_INVALID_PARAMETER);
  o->alive = 0;
  fake_forget_cupti(o);
  return leave(CUPTI_SUCCESS);
}

SINCE_12_6 CUptiResult cuptiProfilerHostGetBaseMetrics(CUpti_Profiler_Host_GetBaseMetrics_Params *p) {
  ENTER(CUpti_Profiler_Host_GetBaseMetrics_Params);
  HOST;
  REQUIRE((int)p->metricType >= COUNTER && (int)p->metricType <= THROUGHPUT, CUPTI_ERROR_INVALID_PARAMETER);
  struct names *list = &h->lists[(int)p->metricType];
  clear(list);
  for (const struct metric *m = c->metrics; m; m = m->next) {
    if (kind_of(m->name) != (int)p->metricType) continue;
    char base[NAME];
    snprintf(base, sizeof base, "%.*s", (int)base_length(m->name), m->name);
    if (!holds(list, base)) add(list, base, strlen(base));
  }
  p->ppMetricNames = (const char **)list->names;
  p->numMetrics = list->count;
  return leave(CUPTI_SUCCESS);
}

SINCE_12_6 CUptiResult cuptiProfilerHostGetSubMetrics(CUpti_Profiler_Host_GetSubMetrics_Params *p) {
  ENTER(CUpti_Profiler_Host_GetSubMetrics_Params);
  HOST;
  REQUIRE(p->pMetricName, CUPTI_ERROR_INVALID_PARAMETER);
  const struct metric *first = find_metric(c, p->pMetricName);
  REQUIRE(first, CUPTI_ERROR_INVALID_METRIC_NAME);
  REQUIRE(kind_of(first->name) == (int)p->metricType, CUPTI_ERROR_INVALID_PARAMETER);
  struct names *list = &h->lists[3];
  clear(list);
  size_t base = base_length(first->name);
  for (const struct metric *m = c->metrics; m; m = m->next)
    if (base_length(m->name) == base && !strncmp(m->name, first->name, base) && !holds(list, m->name + base))
      add(list, m->name + base, NAME);
  p->ppSubMetrics = (const char **)list->names;
  p->numOfSubmetrics = list->count;
  return leave(CUPTI_SUCCESS);
}

SINCE_12_6 CUptiResult cuptiProfilerHostGetMetricProperties(CUpti_Profiler_Host_GetMetricProperties_Params *p) {
  ENTER(CUpti_Profiler_Host_GetMetricProperties_Params);
  HOST;
  REQUIRE(p->pMetricName, CUPTI_ERROR_INVALID_PARAMETER);
  const struct metric *m = find_metric(c, p->pMetricName);
  REQUIRE(m, CUPTI_ERROR_INVALID_METRIC_NAME);
  struct names *unit = &h->lists[4];
  clear(unit);
  const char *end = strstr(m->name, "__");
  add(unit, m->name, end ? (size_t)(end - m->name) : 0);
  p->pDescription = "a metric of the fake's";
  p->pHwUnit = unit->names[0];
  p->pDimUnit = kind_of(m->name) == COUNTER ? "unit" : "percent";
  p->metricType = (CUpti_MetricType)kind_of(m->name);
  return leave(CUPTI_SUCCESS);
}

/* Metrics are added to what the object has already; and after a name that it does not know it is of no further use. */
SINCE_12_6 CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *p) {
  ENTER(CUpti_Profiler_Host_ConfigAddMetrics_Params);
  HOST;
  REQUIRE(p->ppMetricNames && p->numMetrics, CUPTI_ERROR_INVALID_PARAMETER);
  REQUIRE(!h->failed, CUPTI_ERROR_UNKNOWN);
  for (size_t i = 0; i < p->numMetrics; i++) {
    h->failed = !p->ppMetricNames[i] || !fake_counter(c, p->ppMetricNames[i]);
    REQUIRE(!h->failed, CUPTI_ERROR_INVALID_PARAMETER);
    if (!holds(&h->added, p->ppMetricNames[i])) add(&h->added, p->ppMetricNames[i], NAME);
  }
  return leave(CUPTI_SUCCESS);
}

/* Images: of a plan, and of counter data, which ends in the values of its one range. */
struct plan {
  char magic[8];
  char chip[CHIP];
  uint64_t bytes, passes, metrics, check;
  unsigned char rest[64];
};
static const char PLAN[8] = "FAKECFG";

struct data {
  char magic[8];
  char chip[CHIP];
  uint64_t bytes, metrics, count, most_ranges, ranges;
  char range[NAME];
  struct { char name[NAME]; double value; } values[];
};
static const char DATA[8] = "FAKECTR";

/* The same for the same names, in whatever order. */
static uint64_t hash_of(const char *name) {
  uint64_t hash = 1469598103934665603ull;
  for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 1099511628211ull;
  return hash;
}

static uint64_t check_of(const struct plan *plan) {
  return plan->bytes * 31 + plan->passes * 37 + plan->metrics + hash_of(plan->chip);
}

static size_t plan_bytes(const struct host *h) { return sizeof(struct plan) + 8 * h->added.count; }

static const struct plan *plan_of(const uint8_t *image, size_t bytes) {
  const struct plan *plan = (const void *)image;
  if (!image || (uintptr_t)image % 8 || bytes < sizeof *plan || memcmp(plan->magic, PLAN, 8) || plan->bytes != bytes) return NULL;
  return plan->check == check_of(plan) ? plan : NULL;
}

SINCE_12_6 CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *p) {
  ENTER(CUpti_Profiler_Host_GetConfigImageSize_Params);
  HOST;
  (void)c;
  REQUIRE(h->added.count, CUPTI_ERROR_UNKNOWN);
  p->configImageSize = plan_bytes(h);
  return leave(CUPTI_SUCCESS);
}

SINCE_12_6 CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *p) {
  ENTER(CUpti_Profiler_Host_GetConfigImage_Params);
  HOST;
  REQUIRE(h->added.count, CUPTI_ERROR_UNKNOWN);
  REQUIRE(p->pConfigImage && p->configImageSize == plan_bytes(h), CUPTI_ERROR_INVALID_PARAMETER);
  struct plan plan = {.bytes = plan_bytes(h), .passes = c->passes ? c->passes : (h->added.count + 3) / 4};
  memcpy(plan.magic, PLAN, 8);
  snprintf(plan.chip, sizeof plan.chip, "%s", c->chip);
  for (size_t i = 0; i < h->added.count; i++) plan.metrics += hash_of(h->added.names[i]);
  plan.check = check_of(&plan);
  memset(p->pConfigImage, 0, p->configImageSize);
  memcpy(p->pConfigImage, &plan, sizeof plan);
  return leave(CUPTI_SUCCESS);
}

SINCE_12_6 CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *p) {
  ENTER(CUpti_Profiler_Host_GetNumOfPasses_Params);
  const struct plan *plan = plan_of(p->pConfigImage, p->configImageSize);
  REQUIRE(plan, CUPTI_ERROR_INVALID_PARAMETER);
  p->numOfPasses = plan->passes;
  return leave(CUPTI_SUCCESS);
}

/* -------- counter data -------- */

static struct data *data_of(const uint8_t *image, size_t bytes) {
  struct data *data = (void *)(uintptr_t)image;
  if (!image || (uintptr_t)image % 8 || bytes < sizeof *data || memcmp(data->magic, DATA, 8) || data->bytes != bytes) return NULL;
  return data;
}

SINCE_12_6 CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *p) {
  ENTER(CUpti_RangeProfiler_GetCounterDataInfo_Params);
  const struct data *data = data_of(p->pCounterDataImage, p->counterDataImageSize);
  REQUIRE(data, CUPTI_ERROR_UNKNOWN);
  p->numTotalRanges = data->ranges;
  return leave(CUPTI_SUCCESS);
}

SINCE_12_6 CUptiResult cuptiRangeProfilerCounterDataGetRangeInfo(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params *p) {
  ENTER(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params);
  const struct data *data = data_of(p->pCounterDataImage, p->counterDataImageSize);
  REQUIRE(data && p->rangeIndex < data->ranges && p->rangeDelimiter, CUPTI_ERROR_INVALID_PARAMETER);
  p->rangeName = data->range;
  return leave(CUPTI_SUCCESS);
}

SINCE_12_6 CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p) {
  ENTER(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
  HOST;
  (void)h;
  const struct data *data = data_of(p->pCounterDataImage, p->counterDataImageSize);
  REQUIRE(data && !strcmp(data->chip, c->chip) && p->rangeIndex < data->ranges, CUPTI_ERROR_INVALID_PARAMETER);
  REQUIRE(p->ppMetricNames && p->numMetrics && p->pMetricValues, CUPTI_ERROR_INVALID_PARAMETER);
  for (size_t i = 0; i < p->numMetrics; i++) {
    REQUIRE(p->ppMetricNames[i] && fake_counter(c, p->ppMetricNames[i]), CUPTI_ERROR_INVALID_METRIC_NAME);
    size_t at = 0;
    while (at < data->count && strcmp(data->values[at].name, p->ppMetricNames[i])) at++;
    REQUIRE(at < data->count, CUPTI_ERROR_INVALID_PARAMETER); /* of another plan */
    p->pMetricValues[i] = data->values[at].value;
  }
  return leave(CUPTI_SUCCESS);
}

/* -------- the device's side -------- */

/* These two know that there is no driver. */
EXPORT CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *p) {
  ENTER(CUpti_Profiler_Initialize_Params);
  REQUIRE(fake.initialized, CUPTI_ERROR_UNKNOWN);
  fake.cupti_count++;
  return leave(CUPTI_SUCCESS);
}

EXPORT CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params *p) {
  ENTER(CUpti_Profiler_DeviceSupported_Params);
  REQUIRE(fake.initialized, CUPTI_ERROR_UNKNOWN);
  REQUIRE(fake.cupti_count, CUPTI_ERROR_NOT_INITIALIZED);
  REQUIRE(p->cuDevice >= 0 && p->cuDevice < fake.visible_count, CUPTI_ERROR_INVALID_DEVICE);
  REQUIRE((int)p->api == 0, CUPTI_ERROR_INVALID_PARAMETER);
  const int *level = fake.devices[fake.visible[p->cuDevice]].counters.support;
  CUpti_Profiler_Support_Level *to[PARTS] = {&p->architecture, &p->sli, &p->vGpu, &p->confidentialCompute, &p->cmp, &p->wsl};
  p->isSupported = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  for (int i = 0; i < PARTS; i++) {
    *to[i] = (CUpti_Profiler_Support_Level)level[i];
    if (level[i] != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) p->isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  }
  return leave(CUPTI_SUCCESS);
}

EXPORT CUptiResult cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params *p) {
  ENTER_DEVICE(CUpti_Profiler_DeInitialize_Params);
  REQUIRE(fake.cupti_count, CUPTI_ERROR_NOT_INITIALIZED);
  for (int d = 0; d < fake.count; d++) REQUIRE(!fake.devices[d].counters.profiler, CUPTI_ERROR_INVALID_OPERATION);
  fake.cupti_count--;
  return leave(CUPTI_SUCCESS);
}

EXPORT CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *p) {
  ENTER_DEVICE(CUpti_Device_GetChipName_Params);
  REQUIRE(p->deviceIndex < (size_t)fake.visible_count, CUPTI_ERROR_INVALID_DEVICE);
  p->pChipName = fake.devices[fake.visible[p->deviceIndex]].counters.chip;
  return leave(CUPTI_SUCCESS);
}

/* The device of a context that is current on the thread, or NULL. */
static struct device *device_of(CUcontext context) {
  const struct object *o = fake_find(context, K_CONTEXT);
  if (!o || o->device != fake_current() || !fake.devices[o->device].retained) return NULL;
  return &fake.devices[o->device];
}

EXPORT CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *p) {
  ENTER_DEVICE(CUpti_Profiler_GetCounterAvailability_Params);
  REQUIRE(fake.cupti_count, CUPTI_ERROR_NOT_INITIALIZED);
  struct device *d = device_of(p->ctx);
  REQUIRE(d, CUPTI_ERROR_INVALID_CONTEXT);
  REQUIRE(!d->counters.profiler, CUPTI_ERROR_INVALID_OPERATION);
  struct availability image = {.rest = {0}};
  if (p->pCounterAvailabilityImage) {
    REQUIRE(p->counterAvailabilityImageSize == sizeof image, CUPTI_ERROR_INVALID_PARAMETER);
    memcpy(image.magic, AVAILABILITY, 8);
    memcpy(image.chip, d->counters.chip, CHIP);
    memcpy(p->pCounterAvailabilityImage, &image, sizeof image);
  }
  p->counterAvailabilityImageSize = sizeof image;
  return leave(CUPTI_SUCCESS);
}

SINCE_12_6 CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *p) {
  ENTER_DEVICE(CUpti_RangeProfiler_Enable_Params);
  REQUIRE(fake.cupti_count, CUPTI_ERROR_NOT_INITIALIZED);
  struct device *d = device_of(p->ctx);
  REQUIRE(d, CUPTI_ERROR_INVALID_CONTEXT);
  REQUIRE(!d->broken, CUPTI_ERROR_UNKNOWN);
  REQUIRE(!d->counters.forbidden, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  for (int i = 0; i < PARTS; i++)
    REQUIRE(d->counters.support[i] == CUPTI_PROFILER_CONFIGURATION_SUPPORTED, CUPTI_ERROR_NOT_SUPPORTED);
  REQUIRE(!d->counters.profiler, CUPTI_ERROR_INVALID_OPERATION);
  struct object *o = fake_make(K_PROFILER, fake_current());
  REQUIRE(o && (o->profiler = calloc(1, sizeof *o->profiler)), CUPTI_ERROR_OUT_OF_MEMORY);
  d->counters.profiler = o;
  p->pRangeProfilerObject = fake_handle(o);
  return leave(CUPTI_SUCCESS);
}

#define PROFILER \
  struct object *o = fake_find(p->pRangeProfilerObject, K_PROFILER); \
  REQUIRE(o, CUPTI_ERROR_INVALID_PARAMETER); \
  struct profiler *r = o->profiler; \
  struct device *d = &fake.devices[o->device]; \
  REQUIRE(!d->broken, CUPTI_ERROR_UNKNOWN)

SINCE_12_6 CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *p) {
  ENTER_DEVICE(CUpti_RangeProfiler_Disable_Params);
  struct object *o = fake_find(p->pRangeProfilerObject, K_PROFILER);
  REQUIRE(o, CUPTI_ERROR_INVALID_PARAMETER);
  fake.devices[o->device].counters.profiler = NULL;
  o->alive = 0;
  fake_forget_cupti(o);
  return leave(CUPTI_SUCCESS);
}

SINCE_12_6 CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *p) {
  ENTER_DEVICE(CUpti_RangeProfiler_GetCounterDataSize_Params);
  PROFILER;
  REQUIRE(p->pMetricNames && p->numMetrics && p->maxNumOfRanges && p->maxNumRangeTreeNodes >= p->maxNumOfRanges,
          CUPTI_ERROR_INVALID_PARAMETER);
  char(*names)[NAME] = calloc(p->numMetrics, sizeof *names);
  REQUIRE(names, CUPTI_ERROR_OUT_OF_MEMORY);
  free(r->names);
  r->names = names;
  r->name_count = 0;
  r->metrics = 0;
  for (size_t i = 0; i < p->numMetrics; i++) {
    REQUIRE(p->pMetricNames[i] && fake_counter(&d->counters, p->pMetricNames[i]), CUPTI_ERROR_INVALID_METRIC_NAME);
    int known = 0;
    for (size_t other = 0; other < r->name_count; other++) known |= !strcmp(names[other], p->pMetricNames[i]);
    if (known) continue;
    snprintf(names[r->name_count++], NAME, "%s", p->pMetricNames[i]);
    r->metrics += hash_of(p->pMetricNames[i]);
  }
  r->most_ranges = p->maxNumOfRanges;
  r->data_bytes = sizeof(struct data) + r->name_count * sizeof(((struct data *)0)->values[0]);
  p->counterDataSize = r->data_bytes;
  return leave(CUPTI_SUCCESS);
}

SINCE_12_6 CUptiResult cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params *p) {
  ENTER_DEVICE(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
  PROFILER;
  REQUIRE(r->data_bytes, CUPTI_ERROR_INVALID_OPERATION);
  REQUIRE(p->pCounterData && (uintptr_t)p->pCounterData % 8 == 0 && p->counterDataSize == r->data_bytes,
          CUPTI_ERROR_INVALID_PARAMETER);
  struct data *data = (void *)p->pCounterData;
  memset(data, 0, r->data_bytes);
  memcpy(data->magic, DATA, 8);
  memcpy(data->chip, d->counters.chip, CHIP);
  data->bytes = r->data_bytes;
  data->metrics = r->metrics;
  data->count = r->name_count;
  data->most_ranges = r->most_ranges;
  for (size_t i = 0; i < r->name_count; i++) memcpy(data->values[i].name, r->names[i], NAME);
  return leave(CUPTI_SUCCESS);
}

/* Ranges of the caller's that the caller replays within the process; for these the manual has it called once. */
SINCE_12_6 CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *p) {
  ENTER_DEVICE(CUpti_RangeProfiler_SetConfig_Params);
  PROFILER;
  REQUIRE(!r->started && (!r->configured || r->decoded), CUPTI_ERROR_INVALID_OPERATION);
  REQUIRE((int)p->range == CUPTI_UserRange && (int)p->replayMode == CUPTI_UserReplay, CUPTI_ERROR_NOT_SUPPORTED);
  const struct plan *plan = plan_of(p->pConfig, p->configSize);
  struct data *data = data_of(p->pCounterDataImage, p->counterDataImageSize);
  REQUIRE(plan && data && plan->metrics == data->metrics && !strcmp(plan->chip, d->counters.chip), CUPTI_ERROR_INVALID_PARAMETER);
  REQUIRE(p->maxRangesPerPass >= 1 && p->maxRangesPerPass <= data->most_ranges && p->numNestingLevels == 1 &&
              p->minNestingLevel == 1 && p->passIndex == 0 && p->targetNestingLevel == 1,
          CUPTI_ERROR_INVALID_PARAMETER);
  r->configured = 1;
  r->decoded = r->uneven = 0;
  r->pass = 0;
  r->kernel_count = 0;
  r->passes = d->counters.replays ? d->counters.replays : plan->passes;
  r->data = p->pCounterDataImage;
  return leave(CUPTI_SUCCESS);
}

SINCE_12_6 CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *p) {
  ENTER_DEVICE(CUpti_RangeProfiler_Start_Params);
  PROFILER;
  REQUIRE(r->configured && !r->started && r->pass < r->passes, CUPTI_ERROR_INVALID_OPERATION);
  r->started = 1;
  r->ranges_in_pass = 0;
  r->launches = 0;
  return leave(CUPTI_SUCCESS);
}

SINCE_12_6 CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *p) {
  ENTER_DEVICE(CUpti_RangeProfiler_PushRange_Params);
  PROFILER;
  REQUIRE(p->pRangeName && *p->pRangeName, CUPTI_ERROR_INVALID_PARAMETER);
  REQUIRE(r->started && !r->in_range && !r->ranges_in_pass, CUPTI_ERROR_INVALID_OPERATION);
  if (r->pass == 0) snprintf(r->range, sizeof r->range, "%s", p->pRangeName);
  r->uneven |= strcmp(r->range, p->pRangeName) != 0;
  r->in_range = 1;
  r->ranges_in_pass++;
  return leave(CUPTI_SUCCESS);
}

SINCE_12_6 CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *p) {
  ENTER_DEVICE(CUpti_RangeProfiler_PopRange_Params);
  PROFILER;
  REQUIRE(r->started && r->in_range, CUPTI_ERROR_INVALID_OPERATION);
  r->in_range = 0;
  return leave(CUPTI_SUCCESS);
}

SINCE_12_6 CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *p) {
  ENTER_DEVICE(CUpti_RangeProfiler_Stop_Params);
  PROFILER;
  REQUIRE(r->started && !r->in_range, CUPTI_ERROR_INVALID_OPERATION);
  r->started = 0;
  r->uneven |= r->launches == 0 || r->launches != r->kernel_count;
  r->pass++;
  p->passIndex = r->pass;
  p->targetNestingLevel = 1;
  p->isAllPassSubmitted = r->pass >= r->passes;
  return leave(CUPTI_SUCCESS);
}

SINCE_12_6 CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *p) {
  ENTER_DEVICE(CUpti_RangeProfiler_DecodeData_Params);
  PROFILER;
  REQUIRE(r->configured && !r->started && !r->decoded && r->pass >= r->passes, CUPTI_ERROR_INVALID_OPERATION);
  REQUIRE(!r->uneven, CUPTI_ERROR_UNKNOWN); /* passes of which one does not do what the first did */
  struct data *data = (void *)r->data;
  for (size_t i = 0; i < data->count; i++) data->values[i].value = fake_count(&d->counters, r, data->values[i].name);
  data->ranges = d->counters.dropped ? 0 : 1;
  snprintf(data->range, sizeof data->range, "%s", r->range);
  r->decoded = 1;
  p->numOfRangeDropped = d->counters.dropped;
  return leave(CUPTI_SUCCESS);
}
