/* A script for processes that nobody steers by calls: the file that PANAMARK_FAKE_SCRIPT names, read when the library is loaded. */
#include <stdio.h>
#include <stdlib.h>

#include "fake.h"

enum { MOST = 1 << 16 };

__attribute__((constructor)) static void read_environment(void) {
  const char *name = getenv("PANAMARK_FAKE_SCRIPT");
  if (!name || !*name) return;
  static char text[MOST];
  FILE *file = fopen(name, "r");
  if (!file) {
    perror(name);
    abort();
  }
  size_t bytes = fread(text, 1, sizeof text - 1, file);
  text[bytes] = '\0';
  fclose(file);
  const char *problem = fake_reset(text);
  if (problem) {
    fprintf(stderr, "%s: %s\n", name, problem);
    abort();
  }
}
