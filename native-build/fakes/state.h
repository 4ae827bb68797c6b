/* What the parts of the fake drivers share. Everything is guarded by one lock, which callers hold. */
#ifndef PANAMARK_FAKE_STATE_H
#define PANAMARK_FAKE_STATE_H

#include "fake.h"
#include "status.h"

enum { DEVICES = 8, ATTRIBUTES = 160, PARAMETERS = 256, PARAMETER_BYTES = 4096, NAME = 256 };

/* Device addresses begin here, as those of the emulator do; lower ones are its windows to other memories. */
#define LOWEST (1ull << 30)
/* Addresses of a device. */
#define SPAN (1ull << 38)

enum kind { K_CONTEXT = 1, K_MODULE, K_FUNCTION, K_STREAM, K_EVENT, K_GRAPH, K_EXEC, K_HOST, K_PROFILER };

struct kernel {
  char name[NAME];
  int regs, shared, local, threads;
  int count;
  uint32_t offset[PARAMETERS], size[PARAMETERS];
  uint32_t bytes;
};

struct global {
  char name[NAME];
  uint64_t bytes, address;
  int engines; /* the memory is of who runs launches, who gives it back */
  struct global *next;
};

enum work_type { W_KERNEL, W_COPY, W_SET8, W_SET32, W_RECORD, W_WAIT_EVENT, W_WAIT_VALUE, W_WRITE_VALUE };

struct object;

/* Something for a stream to do; parameters follow where it is a launch. */
struct work {
  enum work_type type;
  uint64_t submitted, sequence;
  uint64_t to, from, bytes; /* device addresses; host ones with the matching flag */
  int host_to, host_from;
  uint32_t value, flags;
  struct object *event;
  struct object *function;
  fake_launch launch;
  struct work *next;
};

struct object {
  enum kind kind;
  int alive;
  int device;
  uint64_t id;
  /* module */
  struct kernel *kernels;
  int kernel_count;
  struct global *globals;
  int ptx_arch;
  /* function */
  struct object *module;
  struct kernel *kernel;
  int dynamic_shared, carveout, non_portable;
  /* stream */
  struct work *head, *tail;
  uint64_t time;
  struct object *capture; /* graph */
  int capture_invalid;
  int busy; /* its work is being run by some thread, without the lock */
  /* event */
  int timing;
  uint64_t wanted, reached, reached_time;
  /* graph and executable graph */
  struct work *nodes, *last;
  /* CUPTI's host object and range profiler */
  struct host *host;
  struct profiler *profiler;
};

/* power.c: what a device uses, and its meters. Times are of the virtual clock, UINT64_MAX for never. */
enum { STEPS = 64, EPISODES = 16, PROCESSES = 16, FIELDS = 16 };
struct step { uint64_t at; double watts; };
struct span { uint64_t from, to, before; }; /* in which kernels ran, and ns of such before it */
struct episode { uint64_t from, to, mask; };
struct process { uint32_t pid; uint64_t bytes; };
struct field { uint32_t id; int status; };
struct power {
  double idle, busy; /* W */
  struct step steps[STEPS];
  int step_count;
  uint64_t repeat;
  struct span *spans;
  size_t span_count, span_room;
  uint64_t energy_period, quantum; /* ns, mJ */
  double jitter, gain;
  uint64_t average_window, instant_window, sensor_period; /* ns; no window: no sensor */
  int absent;
  uint64_t stuck, back, back_by, reset, lost;
  struct episode episodes[EPISODES];
  int episode_count;
  unsigned int sm_mhz, memory_mhz;
  double minimum, maximum, enforced; /* W */
  int temperature;
  unsigned int locked_mhz; /* 0 where clocks are not held */
  int ecc, mig, persistence; /* -1 where the device has none */
  int module;
  struct process processes[PROCESSES];
  int process_count;
  struct field fields[FIELDS];
  int field_count;
};

/* counters.c: what CUPTI counts on a device. */
enum { CHIP = 16, PARTS = 6 };
struct metric {
  char name[NAME], kernel[NAME]; /* no kernel: of all that have no value of their own */
  double value;
  struct metric *next;
};
struct counters {
  char chip[CHIP];
  struct metric *metrics, *last; /* in the order of the script */
  int forbidden;
  int support[PARTS]; /* values of CUpti_Profiler_Support_Level */
  uint64_t passes, replays, dropped; /* 0 for passes and replays where the script does not say */
  struct object *profiler; /* enabled on the device */
};

/* A range profiler, enabled on one device. */
struct profiler {
  uint64_t metrics, most_ranges; /* that GetCounterDataSize was asked about: a hash of their names */
  size_t data_bytes;
  char (*names)[NAME];
  size_t name_count;
  int configured, started, in_range, ranges_in_pass, decoded;
  unsigned char *data; /* the counter data image */
  uint64_t passes, pass; /* that are needed, that were stopped */
  char range[NAME];
  char (*kernels)[NAME]; /* that were launched in the first pass */
  size_t kernel_count, launches; /* in this pass */
  int uneven;
};

struct device {
  char name[NAME];
  char isa[64]; /* HIP's gcnArchName, gfx942:sramecc+:xnack- */
  uint32_t machine; /* of images for it: EF_AMDGPU_MACH of LLVM's AMDGPU usage guide */
  unsigned char uuid[16];
  char bus[32];
  int attribute[ATTRIBUTES];
  uint64_t memory, used;
  int retained;
  int broken; /* status of every further call */
  struct object *context, *stream;
  uint64_t (*ranges)[2];
  size_t count, room;
  struct power power;
  struct counters counters;
};

struct fault {
  char name[NAME];
  uint64_t at;
  int later, status;
  enum { F_FAIL, F_FATAL, F_FAULT, F_HANG } type;
  uint64_t seen;
  struct fault *next;
};

struct named {
  char name[NAME];
  uint64_t value;
  struct named *next;
};

struct fake {
  uint64_t epoch; /* counts resets */
  int initialized;
  int unreadable; /* the environment's script was refused: there is nothing to initialize until a reset */
  int version, ptx;
  int nvml_count; /* nvmlInit without nvmlShutdown */
  int cupti_count; /* cuptiProfilerInitialize without cuptiProfilerDeInitialize */
  int host_clock;
  uint64_t host_origin;
  uint64_t now, call_ns, resolution;
  int count;
  int visible_count, visible[DEVICES]; /* by CUDA_VISIBLE_DEVICES; a CUdevice is an index in it */
  struct device devices[DEVICES];
  struct kernel *known; /* by the script */
  int known_count;
  struct named *durations;
  struct fault *faults;
  struct object **objects;
  size_t object_count, object_room;
  fake_loader loader;
  fake_launcher launcher;
  uint64_t old_abi;
};
extern struct fake fake;

void fake_lock(void);
void fake_unlock(void);
void fake_follow_host(void);
/* Lets time pass until then, on the host as well where its clock is followed; 0 where all was reset meanwhile. */
int fake_pass_until(uint64_t time);

/* Counts a call and says which status it must end with before it does anything; 0 to go on. Holds the lock then. */
struct call {
  const char *name;
  uint64_t epoch, count;
  struct call *next;
};
enum { NEEDS_NOTHING = 0, NEEDS_INIT = 1, NEEDS_CONTEXT = 2 };
int fake_enter(struct call *call, int needs);
int fake_current(void); /* the calling thread's device, by its place in the script, or -1 */
void fake_make_current(int device);

/* What the APIs do not have in common; each library has one. */
struct api {
  const char *script;  /* where neither a test nor the environment has one */
  int without_context; /* threads use the first device until they choose another, and devices need no context */
  void (*begin)(void); /* after a reset, before its script */
  int (*initialize)(void); /* at the first call that needs it: a status */
  int (*add_device)(const char *id); /* 0 where there is none of this id */
  int (*release)(int major, int minor); /* as the driver tells it */
  int (*attribute)(int number); /* its place in struct device, or -1 */
  int (*statement)(struct device *last, const char *verb, char *rest); /* 0 where it is none of this API's */
  void (*forget)(struct object *object); /* what it keeps in an object that goes */
};
extern const struct api fake_api;

/* script.c */
struct device *fake_begin_device(const char *name, int pci, int units, uint64_t memory); /* the next one, not yet counted */
int fake_read_release(const char *words); /* "12.4" as the driver tells it, or 0 */
const char *fake_read_script(const char *script);
const struct kernel *fake_known(const char *name);
uint64_t fake_duration(const char *kernel);

/* memory.c */
int fake_memory_begin(void);
void fake_memory_clear(void);
uint64_t fake_allocate(int device, uint64_t bytes); /* 0 where there is no room */
int fake_free(uint64_t address);
void *fake_host(uint64_t address, uint64_t bytes); /* where a device address lies, or NULL */
unsigned char *fake_memory_base(void); /* where address 0 would lie */
void *fake_host_allocate(uint64_t bytes);
int fake_host_free(void *pointer);
int fake_host_holds(const void *pointer, uint64_t bytes);
size_t fake_host_count(void);

/* image.c */
int fake_add_parameter(struct kernel *kernel, uint64_t bytes, uint32_t align); /* 0 where it has no room */
int fake_add_kernel(struct object *module, const struct kernel *kernel); /* 0 where it has no room */
void fake_tell(struct kernel *kernel); /* what the script tells of it */
int fake_add_known(struct object *module); /* all kernels of the script: a status */

/* ptx.c, hip/code.c: a status, and why in log */
int fake_read_image(struct object *module, const void *image, int device, char *log, size_t log_bytes);

/* queue.c */
int fake_submit(struct object *stream, const struct work *work);
void fake_pump(struct object *stream);
void fake_pump_all(int device);
int fake_wait(struct object *stream); /* until all is done or the device is broken; 999 where a reset came between */
int fake_wait_event(struct object *event);
int fake_blocked(const struct object *stream);
void fake_free_works(struct work *first);
void fake_forget_host(uint64_t start, uint64_t bytes);
void fake_drop_work(struct object *object); /* what waits in a stream, and for an event */

/* operations.c */
struct shape {
  uint32_t grid[3], block[3], cluster[3], shared;
  int cooperative;
};
void fake_read_visible(const char *variable); /* ordinals, by a list in the environment */
struct device *fake_device(int ordinal); /* among the visible, or NULL */
int fake_is_capturing(void); /* the calling thread collects work */
/*
 * Everything that was made on a device goes. Who runs launches hears of each module first, without the lock, while the
 * memory that it took is still its own to give back.
 */
int fake_clear_device(int device);
int fake_synchronize_device(void);
int fake_load(void **module, const void *image, char *log, size_t log_bytes);
int fake_unload(const void *module);
int fake_function(struct object **function, const void *module, const char *name);
const struct global *fake_global(const struct object *module, const char *name);
int fake_available(size_t *available, size_t *total);
struct object *fake_stream(const void *stream); /* the device's own for NULL */
int fake_queued(const void *stream, const struct work *work);
int fake_at_once(const struct work *work);
int fake_stream_create(void **stream);
int fake_stream_destroy(const void *stream);
int fake_stream_query(const void *stream);
int fake_stream_synchronize(const void *stream);
int fake_stream_wait(const void *stream, const void *event);
int fake_on_word(const void *stream, enum work_type type, uint64_t address, uint32_t value, unsigned int flags);
int fake_begin_capture(const void *stream, int mode);
int fake_end_capture(const void *stream, void **graph);
int fake_event_create(void **event, int timing);
int fake_event_record(const void *event, const void *stream);
int fake_event_query(const void *event);
int fake_event_synchronize(const void *event);
int fake_elapsed(float *milliseconds, const void *start, const void *end);
int fake_destroy(const void *handle, enum kind kind);
uint64_t fake_product(const uint32_t *three);
void fake_pack(const struct kernel *kernel, void **parameters, unsigned char *packed);
int fake_launch_kernel(struct object *function, struct object *stream, const struct shape *shape, const unsigned char *packed);
int fake_instantiate(void **executable, const void *graph);
int fake_graph_upload(const void *executable, const void *stream);
int fake_graph_launch(const void *executable, const void *stream);

/* objects */
struct object *fake_make(enum kind kind, int device);
struct object *fake_find(const void *handle, enum kind kind);
void *fake_handle(const struct object *object);

/* power.c */
void fake_power_begin(struct power *power, double idle, double busy, uint64_t average, uint64_t instant);
void fake_power_clear(void);
void fake_power_busy(int device, uint64_t from, uint64_t to); /* a kernel ran; in the order of `from` */
double fake_joules(const struct power *power, uint64_t time); /* used before then */
uint64_t fake_energy(const struct power *power, uint64_t time); /* mJ, as the counter shows it */
uint32_t fake_milliwatts(const struct power *power, uint64_t time, uint64_t window, uint64_t *updated);
int fake_power_statement(struct power *power, const char *verb, char *rest); /* 0 where it is none of power's */

/* counters.c */
void fake_counters_begin(struct counters *counters, const char *chip);
void fake_counters_clear(void);
int fake_counters_statement(struct counters *counters, const char *verb, char *rest); /* 0 where it is none of counters' */
uint64_t fake_counted(int device, const char *kernel, uint64_t duration); /* a launch; returns how long it takes */
int fake_counter(const struct counters *counters, const char *metric);    /* whether the device has it */
double fake_count(const struct counters *counters, const struct profiler *profiler, const char *metric);

/* cupti.c */
void fake_forget_cupti(struct object *object);

/* errors.c */
const char *fake_error_name(int status);
const char *fake_error_text(int status);

#endif
