/*
 * Times the kernels of scaled.cu without Panamark: event_loop IMAGE DEVICE KERNEL N [STEPS] ... prints a line a kernel, with
 * the median of the seconds of a launch. A sample is as many launches as take 20 ms, between two events; the launches before
 * and after the first are not in it. Ends with 1 and what failed where something does.
 */
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 31, WARM = 20, MOST = 20000 };

/* The driver is loaded, not linked: a toolkit need not bring anything to link with. */
static void *symbol(const char *name) {
  static void *driver = dlopen("libcuda.so.1", RTLD_NOW);
  void *found = driver ? dlsym(driver, name) : NULL;
  if (found) return found;
  fprintf(stderr, "event_loop: %s\n", dlerror());
  exit(1);
}
#define NAME_(f) #f
#define NAME(f) NAME_(f) /* with the version that cuda.h gives it */
#define FUNCTION(f) ((decltype(&f))symbol(NAME(f)))

static void check(CUresult status, const char *call) {
  if (status == CUDA_SUCCESS) return;
  const char *name = "";
  FUNCTION(cuGetErrorName)(status, &name);
  fprintf(stderr, "event_loop: %s failed with %s (%d)\n", call, name, (int)status);
  exit(1);
}
#define CHECK(f, ...) check(FUNCTION(f)(__VA_ARGS__), #f)

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

struct launch {
  CUfunction function;
  unsigned blocks;
  CUstream stream;
  void **arguments;
};

/* Seconds of so many launches. */
static double timed(const struct launch *l, int launches, CUevent start, CUevent stop) {
  static decltype(&cuLaunchKernel) launch = FUNCTION(cuLaunchKernel);
  CHECK(cuEventRecord, start, l->stream);
  for (int i = 0; i < launches; i++)
    check(launch(l->function, l->blocks, 1, 1, 256, 1, 1, 0, l->stream, l->arguments, NULL), "cuLaunchKernel");
  CHECK(cuEventRecord, stop, l->stream);
  CHECK(cuEventSynchronize, stop);
  float milliseconds = 0;
  CHECK(cuEventElapsedTime, &milliseconds, start, stop);
  return milliseconds * 1e-3;
}

static double median(const struct launch *l) {
  CUevent start, stop;
  CHECK(cuEventCreate, &start, CU_EVENT_DEFAULT);
  CHECK(cuEventCreate, &stop, CU_EVENT_DEFAULT);
  timed(l, WARM, start, stop);
  double one = timed(l, WARM, start, stop) / WARM;
  int launches = one > 0 && 20e-3 / one < MOST ? (int)(20e-3 / one) + 1 : MOST;
  double times[SAMPLES];
  for (int i = 0; i < SAMPLES; i++) times[i] = timed(l, launches, start, stop) / launches;
  qsort(times, SAMPLES, sizeof *times, by_size);
  CHECK(cuEventDestroy, start);
  CHECK(cuEventDestroy, stop);
  return times[SAMPLES / 2];
}

static char *text_of(const char *file) {
  FILE *in = fopen(file, "rb");
  if (!in) {
    perror(file);
    exit(1);
  }
  fseek(in, 0, SEEK_END);
  long size = ftell(in);
  rewind(in);
  char *text = (char *)calloc((size_t)size + 1, 1);
  if (fread(text, 1, (size_t)size, in) != (size_t)size) {
    perror(file);
    exit(1);
  }
  fclose(in);
  return text;
}

int main(int count, char **words) {
  if (count < 5) {
    fprintf(stderr, "usage: event_loop IMAGE DEVICE KERNEL N [STEPS] [KERNEL N [STEPS] ...]\n");
    return 2;
  }
  CHECK(cuInit, 0);
  CUdevice device;
  CUcontext context;
  CHECK(cuDeviceGet, &device, atoi(words[2]));
  CHECK(cuDevicePrimaryCtxRetain, &context, device);
  CHECK(cuCtxSetCurrent, context);
  CUmodule module;
  CHECK(cuModuleLoadDataEx, &module, text_of(words[1]), 0, NULL, NULL);
  struct launch l;
  CHECK(cuStreamCreate, &l.stream, CU_STREAM_NON_BLOCKING);
  for (int w = 3; w + 1 < count;) {
    const char *name = words[w++];
    unsigned n = (unsigned)strtoul(words[w++], NULL, 10), quarter = n / 4, steps = 0;
    int slowly = strcmp(name, "scaled_slowly") == 0;
    if (slowly && w < count) steps = (unsigned)strtoul(words[w++], NULL, 10);
    CUdeviceptr x, out;
    CHECK(cuMemAlloc, &x, 4ull * n);
    CHECK(cuMemAlloc, &out, 4ull * n);
    CHECK(cuMemsetD32, x, 0x3f8ccccd, n); /* 1.1: not of zeros, which take less power */
    float one = 1, zero = 0;
    void *arguments[] = {&x, &out, &quarter, &steps, &one, &zero};
    l.arguments = arguments;
    l.blocks = (n + 1023) / 1024;
    CHECK(cuModuleGetFunction, &l.function, module, name);
    double seconds = median(&l);
    if (slowly) printf("check.%s n=%u steps=%u %.9g\n", name, n, steps, seconds);
    else printf("check.%s n=%u %.9g\n", name, n, seconds);
    CHECK(cuMemFree, x);
    CHECK(cuMemFree, out);
  }
  return 0;
}
