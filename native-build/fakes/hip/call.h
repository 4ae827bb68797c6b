/* What a host build of a kernel gets of a launch (runner.h), from the fake that runs it (host.c). */
#ifndef PANAMARK_FAKE_HIP_CALL_H
#define PANAMARK_FAKE_HIP_CALL_H

#include <stdint.h>

struct panamark_call {
  uint32_t grid[3], block[3];
  uint32_t shared_bytes;     /* dynamic LDS of a block */
  const void *parameters;    /* in the layout of the code object's arguments */
  unsigned char *memory;     /* where device address 0 would lie */
  uint64_t first, end;       /* device addresses are within; others are the host's own */
};

/* Exported as panamark_run_KERNEL; returns 0 or the status that later calls shall get. */
typedef int (*panamark_run)(const struct panamark_call *call);

#endif
