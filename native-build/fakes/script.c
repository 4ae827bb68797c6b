/* Reads scripts; see fake.h for the statements. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

static char problem[512];

struct device *fake_begin_device(const char *name, int pci, int units, uint64_t memory) {
  struct device *d = &fake.devices[fake.count];
  memset(d, 0, sizeof *d);
  snprintf(d->name, sizeof d->name, "%s", name);
  snprintf(d->bus, sizeof d->bus, "0000:%02x:00.0", (pci + 0x10 * fake.count) & 0xff);
  for (int b = 0; b < 16; b++) d->uuid[b] = (unsigned char)(17 * b + 31 * fake.count + units);
  d->memory = memory;
  return d;
}

static int read_number(const char *words, uint64_t *value) {
  char *end;
  *value = strtoull(words, &end, 10);
  return *words >= '0' && *words <= '9' && !*end;
}

/* Keeps what the script tells of a kernel, in place of what it told before; images that are loaded have copies. */
static int keep(const struct kernel *k) {
  for (int i = 0; i < fake.known_count; i++) {
    if (strcmp(fake.known[i].name, k->name) != 0) continue;
    fake.known[i] = *k;
    return 1;
  }
  struct kernel *grown = realloc(fake.known, (size_t)(fake.known_count + 1) * sizeof *grown);
  if (!grown) return 0;
  fake.known = grown;
  grown[fake.known_count++] = *k;
  return 1;
}

static int read_kernel(char *words) {
  struct kernel k;
  memset(&k, 0, sizeof k);
  k.regs = k.shared = k.local = -1;
  char *save = NULL;
  char *word = strtok_r(words, " \t", &save);
  if (!word) return 0;
  snprintf(k.name, sizeof k.name, "%s", word);
  while ((word = strtok_r(NULL, " \t", &save))) {
    char *value = strtok_r(NULL, " \t", &save);
    if (!value) return 0;
    if (!strcmp(word, "regs")) k.regs = atoi(value);
    else if (!strcmp(word, "shared")) k.shared = atoi(value);
    else if (!strcmp(word, "local")) k.local = atoi(value);
    else if (!strcmp(word, "params")) {
      char *parts = NULL;
      for (char *part = strtok_r(value, ",", &parts); part; part = strtok_r(NULL, ",", &parts)) {
        uint64_t size;
        if (!read_number(part, &size) || size < 1 || size > PARAMETER_BYTES) return 0;
        uint32_t align = (uint32_t)(size & -size);
        if (!fake_add_parameter(&k, size, align > 16 ? 16 : align)) return 0;
      }
    } else return 0;
  }
  return keep(&k);
}

static int read_fault(int type, const char *words) {
  struct fault *f = calloc(1, sizeof *f);
  if (!f) return 0;
  char at[32] = "";
  int status = S_UNKNOWN;
  int found = sscanf(words, "%255s %31s %d", f->name, at, &status);
  char *end;
  f->at = strtoull(at, &end, 10);
  f->later = *end == '+';
  f->status = status;
  f->type = type;
  f->next = fake.faults;
  fake.faults = f;
  return found == (type == F_HANG ? 2 : 3) && f->at > 0 && (*end == 0 || !strcmp(end, "+"));
}

int fake_read_release(const char *words) {
  int major, minor, end = 0;
  return sscanf(words, "%d.%d%n", &major, &minor, &end) == 2 && !words[end] ? fake_api.release(major, minor) : 0;
}

/* 0 where it cannot be read. */
static int statement(const char *verb, char *rest) {
  struct device *last = fake.count ? &fake.devices[fake.count - 1] : NULL;
  uint64_t number;
  if (!strcmp(verb, "driver")) return (fake.version = fake_read_release(rest)) > 0;
  if (!strcmp(verb, "device")) return fake.count < DEVICES && fake_api.add_device(rest);
  if (!strcmp(verb, "name") && last) return snprintf(last->name, sizeof last->name, "%s", rest) > 0;
  if (!strcmp(verb, "memory") && last) {
    if (!read_number(rest, &number) || number > SPAN / 2 || number < last->used) return 0;
    last->memory = number;
    return 1;
  }
  if (!strcmp(verb, "attribute") && last) {
    int which, value;
    if (sscanf(rest, "%d %d", &which, &value) != 2 || fake_api.attribute(which) < 0) return 0;
    last->attribute[fake_api.attribute(which)] = value;
    return 1;
  }
  if (!strcmp(verb, "kernel")) return read_kernel(rest);
  if (!strcmp(verb, "duration")) {
    struct named *d = calloc(1, sizeof *d);
    unsigned long long ns;
    if (!d || sscanf(rest, "%255s %llu", d->name, &ns) != 2) return free(d), 0;
    d->value = ns;
    d->next = fake.durations;
    fake.durations = d;
    return 1;
  }
  if (!strcmp(verb, "call")) return read_number(rest, &fake.call_ns);
  if (!strcmp(verb, "resolution")) return read_number(rest, &number) && number > 0 && (fake.resolution = number);
  if (!strcmp(verb, "fail")) return read_fault(F_FAIL, rest);
  if (!strcmp(verb, "fatal")) return read_fault(F_FATAL, rest);
  if (!strcmp(verb, "fault")) return read_fault(F_FAULT, rest);
  if (!strcmp(verb, "hang")) return read_fault(F_HANG, rest);
  if (!strcmp(verb, "clock")) return !strcmp(rest, "host") && (fake_follow_host(), 1);
  return fake_api.statement(last, verb, rest) || (last && fake_power_statement(&last->power, verb, rest));
}

const char *fake_read_script(const char *script) {
  char *copy = strdup(script), *save = NULL;
  if (!copy) return "out of memory";
  const char *result = NULL;
  int number = 0;
  for (char *line = copy, *next; line && !result; line = next) {
    next = strchr(line, '\n');
    if (next) *next++ = 0;
    number++;
    char *comment = strchr(line, '#');
    if (comment) *comment = 0;
    size_t length = strlen(line);
    while (length && strchr(" \t\r", line[length - 1])) line[--length] = 0;
    char *shown = strdup(line);
    char *verb = strtok_r(line, " \t", &save);
    if (verb) {
      char *rest = save ? save + strspn(save, " \t") : "";
      if (!statement(verb, rest)) {
        snprintf(problem, sizeof problem, "line %d of the script, '%s': no statement that fake.h describes", number,
                 shown ? shown : "");
        result = problem;
      }
    }
    free(shown);
  }
  free(copy);
  return result;
}

const struct kernel *fake_known(const char *name) {
  for (int i = 0; i < fake.known_count; i++)
    if (!strcmp(fake.known[i].name, name)) return &fake.known[i];
  return NULL;
}

uint64_t fake_duration(const char *kernel) {
  uint64_t otherwise = 1000;
  for (struct named *d = fake.durations; d; d = d->next) {
    if (!strcmp(d->name, kernel)) return d->value;
    if (!strcmp(d->name, "*")) otherwise = d->value;
  }
  return otherwise;
}
