/*
 * What a driver must know of an image to load and launch it: of PTX its version, target, kernels with their parameters and
 * shared memory, and variables, read from the text; of other images what the script tells.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"
#include "types.h"

/* A copy of the text with comments blanked out. */
static char *without_comments(const char *text) {
  char *copy = strdup(text);
  if (!copy) return NULL;
  for (char *p = copy; *p; p++) {
    if (p[0] == '/' && p[1] == '/') {
      while (*p && *p != '\n') *p++ = ' ';
      if (!*p) break;
    } else if (p[0] == '/' && p[1] == '*') {
      while (*p && !(p[0] == '*' && p[1] == '/')) *p++ = ' ';
      if (!*p) break;
      p[0] = p[1] = ' ';
    } else if (*p == '"') {
      for (p++; *p && *p != '"'; p++)
        if (*p == '\\' && p[1]) p++;
      if (!*p) break;
    }
  }
  return copy;
}

/* Bytes of a type such as .u32, or 0. */
static uint32_t type_bytes(const char *word) {
  if (word[0] != '.' || !strchr("bsuf", word[1]) || !isdigit((unsigned char)word[2])) return 0;
  char *end;
  unsigned long bits = strtoul(word + 2, &end, 10);
  if (!strcmp(end, "x2")) bits *= 2;
  return (uint32_t)(bits / 8);
}

/* Reads "[.align N] .type name[SIZE]" from `from` up to `to`. */
static int variable(const char *from, const char *to, char *name, uint32_t *align, uint64_t *bytes) {
  char text[1024];
  size_t length = (size_t)(to - from);
  if (length >= sizeof text) return 0;
  memcpy(text, from, length);
  text[length] = 0;
  char *equals = strchr(text, '=');
  if (equals) *equals = 0;
  uint32_t element = 0;
  *align = 0;
  int pointer = 0;
  char *save = NULL, *last = NULL;
  for (char *word = strtok_r(text, " \t\r\n", &save); word; word = strtok_r(NULL, " \t\r\n", &save)) {
    if (!strcmp(word, ".ptr")) pointer = 1;
    else if (!strcmp(word, ".align")) {
      word = strtok_r(NULL, " \t\r\n", &save);
      if (word && !pointer) *align = (uint32_t)atoi(word);
    } else if (type_bytes(word) && !element) element = type_bytes(word);
    else if (word[0] != '.') last = last ? last : word;
  }
  if (!last || !element) return 0;
  uint64_t count = 1;
  char *bracket = strchr(last, '[');
  while (bracket) {
    count *= strtoull(bracket + 1, NULL, 10);
    *bracket = 0;
    bracket = strchr(bracket + 1, '[');
  }
  snprintf(name, NAME, "%s", last);
  *bytes = count * element;
  if (!*align) *align = element;
  return 1;
}

static const char *closing(const char *open) {
  int depth = 0;
  char o = *open, c = o == '{' ? '}' : ')';
  for (const char *p = open; *p; p++) {
    if (*p == o) depth++;
    if (*p == c && --depth == 0) return p;
  }
  return NULL;
}

/* What an identifier of PTX consists of; a leading % makes a register of it. */
static int of_identifier(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%'; }

static int names(const char *from, const char *to, const char *name) {
  size_t length = strlen(name);
  for (const char *p = from; p + length <= to; p++)
    if (!memcmp(p, name, length) && !of_identifier(p[length]) && (p == from || !of_identifier(p[-1]))) return 1;
  return 0;
}

/* A kernel from after ".entry" on; the end of its body, or NULL. */
static const char *read_entry(struct object *module, const char *from, const char *text) {
  struct kernel k;
  memset(&k, 0, sizeof k);
  k.regs = 32;
  k.threads = 1024;
  int length = 0;
  if (sscanf(from, " %255[A-Za-z0-9_$%%]%n", k.name, &length) != 1) return NULL;
  const char *p = from + length;
  p += strspn(p, " \t\r\n");
  if (*p == '(') {
    const char *end = closing(p);
    if (!end) return NULL;
    const char *at = p + 1;
    while (at < end) {
      const char *comma = memchr(at, ',', (size_t)(end - at));
      const char *to = comma ? comma : end;
      char name[NAME];
      uint32_t align;
      uint64_t bytes;
      if (variable(at, to, name, &align, &bytes)) {
        if (!fake_add_parameter(&k, bytes, align)) return NULL;
      }
      at = to + 1;
    }
    p = end + 1;
  }
  const char *body = strchr(p, '{');
  if (!body) return NULL;
  for (const char *d = p; d < body; d++) {
    int x, y = 1, z = 1;
    if ((!strncmp(d, ".maxntid", 8) || !strncmp(d, ".reqntid", 8)) && sscanf(d + 8, " %d , %d , %d", &x, &y, &z) >= 1)
      k.threads = x * y * z;
  }
  const char *end = closing(body);
  if (!end) return NULL;
  for (const char *s = text; (s = strstr(s, ".shared")); s += 7) {
    const char *semicolon = strchr(s, ';');
    char name[NAME];
    uint32_t align;
    uint64_t bytes;
    if (!isspace((unsigned char)s[7]) || !semicolon || !variable(s + 7, semicolon, name, &align, &bytes)) continue;
    if ((s > body && s < end) || names(body, end, name))
      k.shared = (int)((k.shared + align - 1) / align * align + bytes);
  }
  fake_tell(&k);
  return fake_add_kernel(module, &k) ? end : NULL;
}

static void read_globals(struct object *module, const char *text) {
  int depth = 0;
  for (const char *p = text; *p; p++) {
    if (*p == '{') depth++;
    if (*p == '}') depth--;
    size_t skip = !strncmp(p, ".global", 7) ? 7 : !strncmp(p, ".const", 6) ? 6 : 0;
    if (depth || !skip || !isspace((unsigned char)p[skip])) continue;
    const char *semicolon = strchr(p, ';'), *equals = strchr(p, '=');
    if (!semicolon) return;
    struct global *g = calloc(1, sizeof *g);
    uint32_t align;
    if (g && variable(p + skip, equals && equals < semicolon ? equals : semicolon, g->name, &align, &g->bytes) && g->bytes) {
      g->next = module->globals;
      module->globals = g;
    } else free(g);
    p = semicolon;
  }
}

static int read_text(struct object *module, const char *text, struct device *device, char *log, size_t log_bytes) {
  const char *version = strstr(text, ".version"), *target = strstr(text, ".target");
  int major = 0, minor = 0, arch = 0;
  if (!version || sscanf(version + 8, "%d.%d", &major, &minor) != 2) return CUDA_ERROR_INVALID_IMAGE;
  if (!target || sscanf(target + 7, " sm_%d", &arch) != 1) {
    snprintf(log, log_bytes, "the text has no .target sm_");
    return CUDA_ERROR_INVALID_PTX;
  }
  if (1000 * major + 10 * minor > fake.ptx) {
    snprintf(log, log_bytes, "the text is of PTX %d.%d; this driver takes versions up to %d.%d", major, minor,
             fake.ptx / 1000, fake.ptx % 1000 / 10);
    return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  }
  int cc = 10 * device->attribute[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] +
           device->attribute[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR];
  if (arch > cc) {
    snprintf(log, log_bytes, "the text is for sm_%d and newer; this device is sm_%d", arch, cc);
    return CUDA_ERROR_INVALID_PTX;
  }
  module->ptx_arch = arch;
  for (const char *p = text; (p = strstr(p, ".entry"));) {
    p = isspace((unsigned char)p[6]) ? read_entry(module, p + 6, text) : p + 6;
    if (!p) {
      snprintf(log, log_bytes, "an .entry cannot be read");
      return CUDA_ERROR_INVALID_PTX;
    }
  }
  read_globals(module, text);
  return 0;
}

int fake_read_image(struct object *module, const void *image, int device, char *log, size_t log_bytes) {
  const char *bytes = image;
  int binary = !strncmp(bytes, "\177ELF", 4) || !strncmp(bytes, "\x50\xed\x55\xba", 4);
  if (binary) return fake_add_known(module);
  char *text = without_comments(image);
  if (!text) return CUDA_ERROR_OUT_OF_MEMORY;
  int status = read_text(module, text, &fake.devices[device], log, log_bytes);
  free(text);
  for (struct global *g = module->globals; g && !status; g = g->next) {
    g->address = fake_allocate(device, g->bytes);
    if (!g->address) status = CUDA_ERROR_OUT_OF_MEMORY;
    else memset(fake_host(g->address, g->bytes), 0, g->bytes);
  }
  return status;
}
