/* How exported functions begin and end. */
#ifndef PANAMARK_FAKE_CALLS_H
#define PANAMARK_FAKE_CALLS_H

#include "state.h"

#define EXPORT __attribute__((visibility("default")))
#define HIDDEN __attribute__((visibility("hidden")))

static inline int leave(int status) {
  fake_unlock();
  return status;
}

static inline uint64_t host(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

#define ENTER(needs)                     \
  static struct call call = {.name = __func__}; \
  int entered = fake_enter(&call, needs); \
  if (entered) return leave(entered)

#define REQUIRE(condition, status) \
  if (!(condition)) return leave(status)

#endif
