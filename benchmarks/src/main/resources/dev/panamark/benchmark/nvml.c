#include <dlfcn.h>
#include <stdint.h>

/* nvmlTemperature_v1_t of nvml.h */
struct temperature { unsigned version; int sensor, degrees; };

static void *device;
static int (*volatile energy)(void *, unsigned long long *);
static int (*volatile reasons)(void *, unsigned long long *);
static int (*volatile degrees)(void *, struct temperature *);

/* Loads the library of a path (args[0]), takes its first device, and writes the status to args[1]. */
void nvml_open(void **args, const int64_t grid[3], int64_t first, int64_t last)
{
    (void) grid;
    (void) first;
    (void) last;
    const char *path = *(const char **) args[0];
    int *status = *(int **) args[1];
    void *library = dlopen(path, RTLD_NOW);
    if (!library) {
        *status = -1;
        return;
    }
    int (*init)(void) = (int (*)(void)) dlsym(library, "nvmlInit_v2");
    int (*get)(unsigned, void **) = (int (*)(unsigned, void **)) dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
    energy = (int (*)(void *, unsigned long long *)) dlsym(library, "nvmlDeviceGetTotalEnergyConsumption");
    reasons = (int (*)(void *, unsigned long long *)) dlsym(library, "nvmlDeviceGetCurrentClocksEventReasons");
    degrees = (int (*)(void *, struct temperature *)) dlsym(library, "nvmlDeviceGetTemperatureV");
    *status = init();
    if (!*status) *status = get(0, &device);
}

/* Readings [first, last) of the energy counter. */
void nvml_energy(void **args, const int64_t grid[3], int64_t first, int64_t last)
{
    (void) args;
    (void) grid;
    unsigned long long millijoules;
    for (int64_t i = first; i < last; i++) {
        if (energy(device, &millijoules)) return;
    }
}

/* Readings [first, last) of what lowers the clocks, and of the temperature. */
void nvml_state(void **args, const int64_t grid[3], int64_t first, int64_t last)
{
    (void) args;
    (void) grid;
    unsigned long long why;
    struct temperature now = {1u << 24 | sizeof now, 0, 0};
    for (int64_t i = first; i < last; i++) {
        if (reasons(device, &why) || degrees(device, &now)) return;
    }
}
