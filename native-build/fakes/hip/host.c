/*
 * Runs launches by host builds of the same source (build-host makes them). A kernel that no build has does nothing, as all
 * do where the script names no build.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "../state.h"
#include "call.h"
#include "host.h"

/* Loaded for good: a launch may be within one while a reset forgets it. */
struct build {
  void *library;
  struct build *next;
};
static struct build *builds;

static panamark_run runner_of(const char *kernel) {
  char symbol[NAME + 16];
  snprintf(symbol, sizeof symbol, "panamark_run_%s", kernel);
  for (struct build *b = builds; b; b = b->next) {
    void *found = dlsym(b->library, symbol);
    if (found) return (panamark_run)found;
  }
  return NULL;
}

static int launch(const fake_launch *l) {
  fake_lock();
  panamark_run run = runner_of(l->kernel);
  struct panamark_call call = {.grid = {l->grid[0], l->grid[1], l->grid[2]},
                               .block = {l->block[0], l->block[1], l->block[2]},
                               .shared_bytes = l->shared_bytes,
                               .parameters = l->parameters,
                               .memory = fake_memory_base(),
                               .first = LOWEST,
                               .end = LOWEST + DEVICES * SPAN};
  fake_unlock();
  return run ? run(&call) : 0;
}

int fake_add_host(const char *file) {
  struct build *made = calloc(1, sizeof *made);
  if (made) made->library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!made || !made->library) {
    free(made);
    return 0;
  }
  made->next = builds;
  builds = made;
  if (!fake.launcher) fake.launcher = launch;
  return 1;
}

void fake_forget_hosts(void) {
  while (builds) {
    struct build *next = builds->next;
    free(builds);
    builds = next;
  }
  if (fake.launcher == launch) fake.launcher = NULL;
}
