/* Host builds of kernels, which run launches (host.c). */
#ifndef PANAMARK_FAKE_HIP_HOST_H
#define PANAMARK_FAKE_HIP_HOST_H

int fake_add_host(const char *file); /* 0 where it cannot be loaded */
void fake_forget_hosts(void);

#endif
