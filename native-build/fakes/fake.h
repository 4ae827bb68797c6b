/*
 * What a test steers a fake driver by: that of CUDA and NVML, or that of HIP. All functions may be called from any thread.
 *
 * A script is text, one statement a line; # begins a comment. Times are in nanoseconds of the virtual clock.
 *
 *   driver 12.4                  the release that cuDriverGetVersion or hipRuntimeGetVersion tells
 *   ptx 8.4                      the newest PTX that is taken (CUDA)
 *   host FILE                    a build of kernels for the host, which runs their launches (HIP; hip/build-host makes it)
 *   device h100-sxm              a device: h100-sxm, a100-sxm-80 or rtx-4090, of HIP mi210, mi250x-die, mi300x or mi355x;
 *                                what follows changes the last one
 *   name TEXT
 *   memory BYTES                 not below what is allocated
 *   attribute NUMBER VALUE       a CU_DEVICE_ATTRIBUTE or hipDeviceAttribute
 *   kernel NAME regs N shared N local N params 8,8,4
 *                                what the assembler would tell of a kernel, in place of what was told before; params (1 to
 *                                4096 bytes, all together at most 4096) only where the image is no PTX and has no metadata
 *   duration NAME NS             of a launch of this kernel; NAME * for all others (1000)
 *   call NS                      what each call takes on the host (100)
 *   resolution NS                of events (1)
 *   fail FUNCTION N STATUS       the N-th call returns a status and does nothing; N+ for this and all later ones;
 *                                FUNCTION * counts all calls that a broken context fails
 *   fatal FUNCTION N STATUS      the same, and from then on every call on the device returns it
 *   fault NAME N STATUS          the N-th launch of a kernel (* for any) fails while it runs: the launch returns 0, every
 *                                later call on the device the status
 *   hang FUNCTION N              the N-th call does not return before the next fake_reset (then with 999)
 *   clock host                   time also passes as on the host
 *
 * Power, energy and what else NVML tells of the last device; watts and factors may have a fraction:
 *
 *   power IDLE BUSY              W while no kernel runs, and while one does
 *   curve NS:W,NS:W repeat NS    in their place: W from each time on (the first is 0), at most 64, from the beginning again
 *                                after so long; without repeat the last goes on
 *   energy PERIOD QUANTUM SHARE  the counter updates each so many ns (100000000), in steps of mJ (1); updates come early
 *                                or late by up to half of that share of the period (0)
 *   sensor KIND WINDOW PERIOD    KIND average or instant: the mean over the last WINDOW ns, updated each PERIOD;
 *                                WINDOW 0: there is no such sensor
 *   counter absent               the counter is not supported
 *   counter stuck NS             it stands still from then on
 *   counter back NS MJ           it loses so many mJ then
 *   counter reset NS             it begins at 0 again then
 *   counter gain FACTOR          it counts so many times what is used
 *   lost NS                      from then on the device is lost (status 15)
 *   throttle FROM TO MASK        reasons for the clocks in [FROM, TO)
 *   clocks SM MEMORY             MHz at present
 *   limit MIN MAX ENFORCED       W
 *   temperature DEGREES
 *   mode NAME on|off|none        NAME ecc, mig or persistence
 *   module                       power of the module is told, as with Grace
 *   process PID BYTES            computes on the device
 *   field ID STATUS              of nvmlDeviceGetFieldValues, from now on
 *
 * What CUPTI counts on the last device. While its range profiler is enabled, launches take twice as long and 10 us more.
 *
 *   chip NAME                    GH100, GA100 or AD102 by the device, where it is not said
 *   metric NAME VALUE [KERNEL]   with its suffix; the device has the metrics that are named so, and no others. Without KERNEL
 *                                the value is of each launch whose kernel has none of its own. Of a range, metrics ending
 *                                in .sum are added over its launches, of others the last launch's value is told
 *   passes N                     of every plan (one for each four metrics)
 *   replays N                    passes after which all are submitted, whatever the plan says
 *   dropped N                    ranges that decoding drops
 *   counters off|on              off: the user may not read them (status 35 from cuptiRangeProfilerEnable)
 *   support PART LEVEL           of cuptiProfilerDeviceSupported: PART architecture, sli, vgpu, confidential, cmp or wsl,
 *                                LEVEL 0 unknown, 1 unsupported, 2 disabled, 3 supported
 */
#ifndef PANAMARK_FAKE_H
#define PANAMARK_FAKE_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/* One launch, as the kernel's code would see it. */
typedef struct fake_launch {
  uint64_t module;       /* as fake_on_load got it */
  const char *kernel;
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t cluster[3];   /* 0 for none, as always with HIP */
  uint32_t shared_bytes; /* dynamic */
  uint32_t cooperative;
  uint32_t device;
  uint32_t parameter_bytes;
  const void *parameters; /* in the layout of the image's .param declarations or metadata */
} fake_launch;

/*
 * Runs a launch, on the thread that caused it and with no lock held; returns 0 or the status that later calls shall
 * get. Must not throw.
 */
typedef int (*fake_launcher)(const fake_launch *launch);

/*
 * Takes an image (text ends with a zero), or refuses it with a status and writes why to log. Where image is null, the module
 * is being unloaded, with its context or by itself, and what it returns is ignored. Called with no lock held; must not throw.
 */
typedef int (*fake_loader)(uint64_t module, uint32_t device, const void *image, char *log, size_t log_bytes);

/* A script in place of the last one; everything made before is gone. NULL, or what is wrong with it, naming the line. */
const char *fake_reset(const char *script);

/* Further statements for the script in force, which takes them from now on. Answers as fake_reset. */
const char *fake_add(const char *statements);

/* Who runs launches and takes images from now on; NULL for nobody: launches then do nothing. fake_reset keeps them. */
void fake_engine(fake_loader loader, fake_launcher launcher);

uint64_t fake_now(void);
/* J that a device of the script, by its place there, has used before a time: the truth. */
double fake_used(uint32_t device, uint64_t time);
void fake_advance(uint64_t nanoseconds);

/* A file whose byte at an offset is that of the same device address, for who runs launches to map. */
int fake_memory_file(void);
/* Bytes of the file: all addresses of all devices are below. */
uint64_t fake_memory_end(void);
/* Start and end of each allocation of a device, ascending: writes the first `most`; returns how many there are, even if more. */
size_t fake_allocations(uint32_t device, uint64_t (*ranges)[2], size_t most);

/*
 * For who runs launches: memory of a device for its own needs (0 where there is none left) and back (0 where none begins
 * there), and where it put a variable of a module that it was given, which then is what cuModuleGetGlobal or hipModuleGetGlobal tells (0 where
 * the module has no such variable). Any thread may call them, whatever its context.
 */
uint64_t fake_engine_allocate(uint32_t device, uint64_t bytes);
int fake_engine_free(uint64_t address);
int fake_engine_place(uint64_t module, const char *variable, uint64_t address);

/* Calls of a function since fake_reset, under its exported name. */
uint64_t fake_calls(const char *function);
/* What was made and not given back: contexts retained, modules, streams, events, graphs, allocations; nvmlInit,
 * cuptiProfilerInitialize, CUPTI's host objects and range profilers. */
uint64_t fake_open(void);
/* Calls of functions with 32-bit sizes and addresses, which are exported under names without _v2. */
uint64_t fake_old_abi_calls(void);

#pragma GCC visibility pop

#endif
