/*
 * Runs kernels that were compiled for the host with panamark_hip.h; build-host includes this before the source, and after it
 * names each kernel with PANAMARK_RUN.
 *
 * Blocks run one after the other. Each work-item has a context and a stack of its own (ucontext), runs until it ends or comes
 * to a barrier, and goes on when all have. A block of which some end while others wait is a fault: on a device it would wait
 * for ever, or be undefined. LDS holds ones in every bit before each block, which are NaN as floats.
 */
#ifndef PANAMARK_FAKE_HIP_RUNNER_H
#define PANAMARK_FAKE_HIP_RUNNER_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <utility>

#include "call.h"
#include "panamark_hip.h"

panamark_index panamark_thread, panamark_block, panamark_threads, panamark_blocks;

extern unsigned char __start_panamark_lds[] __attribute__((weak, visibility("hidden")));
extern unsigned char __stop_panamark_lds[] __attribute__((weak, visibility("hidden")));

namespace panamark {

enum { ITEMS = 1024, STACK = 64 << 10, OUT_OF_MEMORY = 2, LAUNCH_FAILURE = 719 };
enum state { WAITING, ENDED };
using body = void (*)(const panamark_call *);

/* One launch at a time: all of this is one launch's. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ucontext_t scheduler, items[ITEMS];
static state states[ITEMS];
static unsigned char *stacks, *dynamic_lds;
static unsigned current;
static const panamark_call *call;
static body run_item;

static void item() {
  run_item(call);
  states[current] = ENDED;
}

/* The work-items of one block, from barrier to barrier; 0 where they do not come to the same ones. */
static bool run_block(unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    getcontext(&items[i]);
    items[i].uc_stack.ss_sp = stacks + static_cast<size_t>(i) * STACK;
    items[i].uc_stack.ss_size = STACK;
    items[i].uc_link = &scheduler;
    makecontext(&items[i], item, 0);
  }
  for (unsigned waiting = count; waiting != 0;) {
    waiting = 0;
    for (current = 0; current < count; current++) {
      unsigned row = current / panamark_threads.x;
      panamark_thread = {current % panamark_threads.x, row % panamark_threads.y, row / panamark_threads.y};
      states[current] = WAITING;
      swapcontext(&scheduler, &items[current]);
      waiting += states[current] == WAITING;
    }
    if (waiting != 0 && waiting != count) return false;
  }
  return true;
}

static int run_blocks() {
  unsigned count = panamark_threads.x * panamark_threads.y * panamark_threads.z;
  for (unsigned z = 0; z < panamark_blocks.z; z++)
    for (unsigned y = 0; y < panamark_blocks.y; y++)
      for (unsigned x = 0; x < panamark_blocks.x; x++) {
        panamark_block = {x, y, z};
        if (__start_panamark_lds)
          memset(__start_panamark_lds, 0xff, static_cast<size_t>(__stop_panamark_lds - __start_panamark_lds));
        memset(dynamic_lds, 0xff, call->shared_bytes);
        if (!run_block(count)) return LAUNCH_FAILURE;
      }
  return 0;
}

static int run(const panamark_call *launched, body what) {
  pthread_mutex_lock(&lock);
  if (!stacks) {
    void *mapped = mmap(nullptr, static_cast<size_t>(ITEMS) * STACK, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    stacks = mapped == MAP_FAILED ? nullptr : static_cast<unsigned char *>(mapped);
  }
  dynamic_lds = static_cast<unsigned char *>(aligned_alloc(64, (launched->shared_bytes / 64 + 1) * 64));
  int status = OUT_OF_MEMORY;
  if (stacks && dynamic_lds) {
    call = launched;
    run_item = what;
    panamark_threads = {launched->block[0], launched->block[1], launched->block[2]};
    panamark_blocks = {launched->grid[0], launched->grid[1], launched->grid[2]};
    status = run_blocks();
  }
  free(dynamic_lds);
  pthread_mutex_unlock(&lock);
  return status;
}

/* -------- arguments, each at the next multiple of its alignment, as a code object has them -------- */

template <class... A> struct layout {
  size_t at[sizeof...(A) + 1];
  constexpr layout() : at{} {
    size_t end = 0, i = 0;
    ((end = (end + alignof(A) - 1) / alignof(A) * alignof(A), at[i++] = end, end += sizeof(A)), ...);
  }
};

template <class T> struct argument {
  static T of(const panamark_call *c, size_t at) {
    T value;
    memcpy(&value, static_cast<const unsigned char *>(c->parameters) + at, sizeof value);
    return value;
  }
};

template <class T> struct argument<T *> {
  static T *of(const panamark_call *c, size_t at) {
    uint64_t address = argument<uint64_t>::of(c, at);
    bool of_device = address >= c->first && address < c->end;
    return reinterpret_cast<T *>(of_device ? reinterpret_cast<uint64_t>(c->memory) + address : address);
  }
};

template <class... A, size_t... I>
void invoke(void (*kernel)(A...), const panamark_call *c, std::index_sequence<I...>) {
  constexpr layout<A...> arguments;
  kernel(argument<A>::of(c, arguments.at[I])...);
  (void)c;
}

template <class... A> void invoke(void (*kernel)(A...), const panamark_call *c) {
  invoke(kernel, c, std::index_sequence_for<A...>());
}

}  // namespace panamark

void panamark_barrier(void) { swapcontext(&panamark::items[panamark::current], &panamark::scheduler); }

void *panamark_dynamic_lds(void) { return panamark::dynamic_lds; }

#define PANAMARK_RUN(kernel)                                                                                        \
  extern "C" __attribute__((visibility("default"))) int panamark_run_##kernel(const panamark_call *call) {       \
    return panamark::run(call, [](const panamark_call *c) { panamark::invoke(kernel, c); });                      \
  }

#endif
