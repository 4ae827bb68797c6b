/* The kernels of a module, whatever its image is. */
#define _GNU_SOURCE
#include <stdlib.h>

#include "state.h"

int fake_add_parameter(struct kernel *k, uint64_t bytes, uint32_t align) {
  if (k->count == PARAMETERS || !align || align > PARAMETER_BYTES) return 0;
  uint32_t at = (k->bytes + align - 1) / align * align;
  if (at > PARAMETER_BYTES || bytes > PARAMETER_BYTES - at) return 0;
  k->offset[k->count] = at;
  k->size[k->count++] = (uint32_t)bytes;
  k->bytes = at + (uint32_t)bytes;
  return 1;
}

int fake_add_kernel(struct object *module, const struct kernel *kernel) {
  struct kernel *grown = realloc(module->kernels, (size_t)(module->kernel_count + 1) * sizeof *grown);
  if (!grown) return 0;
  module->kernels = grown;
  grown[module->kernel_count++] = *kernel;
  return 1;
}

void fake_tell(struct kernel *k) {
  const struct kernel *known = fake_known(k->name);
  if (!known) return;
  if (known->regs >= 0) k->regs = known->regs;
  if (known->shared >= 0) k->shared = known->shared;
  if (known->local >= 0) k->local = known->local;
}

int fake_add_known(struct object *module) {
  for (int i = 0; i < fake.known_count; i++) {
    struct kernel k = fake.known[i];
    k.regs = k.regs < 0 ? 32 : k.regs;
    k.shared = k.shared < 0 ? 0 : k.shared;
    k.local = k.local < 0 ? 0 : k.local;
    k.threads = 1024;
    if (!fake_add_kernel(module, &k)) return S_OUT_OF_MEMORY;
  }
  return 0;
}
