/* What CUPTI counts: the metrics that the script gives a device, and the launches of a range. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

static const char *const parts[PARTS] = {"architecture", "sli", "vgpu", "confidential", "cmp", "wsl"};

void fake_counters_begin(struct counters *c, const char *chip) {
  memset(c, 0, sizeof *c);
  snprintf(c->chip, sizeof c->chip, "%s", chip);
  for (int i = 0; i < PARTS; i++) c->support[i] = 3;
}

void fake_counters_clear(void) {
  for (int d = 0; d < fake.count; d++) {
    struct metric *m = fake.devices[d].counters.metrics;
    while (m) {
      struct metric *next = m->next;
      free(m);
      m = next;
    }
  }
}

static int read_metric(struct counters *c, const char *words) {
  struct metric *m = calloc(1, sizeof *m);
  int end = 0;
  int found = m ? sscanf(words, "%255s %lf%n %255s%n", m->name, &m->value, &end, m->kernel, &end) : 0;
  char *suffix = m ? strchr(m->name, '.') : NULL;
  if (found < 2 || words[end] || !suffix || suffix == m->name || !suffix[1]) return free(m), 0;
  for (struct metric *old = c->metrics; old; old = old->next) {
    if (strcmp(old->name, m->name) || strcmp(old->kernel, m->kernel)) continue;
    old->value = m->value;
    return free(m), 1;
  }
  if (c->last) c->last->next = m;
  else c->metrics = m;
  c->last = m;
  return 1;
}

static int read_support(struct counters *c, const char *words) {
  char part[32];
  int level;
  if (sscanf(words, "%31s %d", part, &level) != 2 || level < 0 || level > 3) return 0;
  for (int i = 0; i < PARTS; i++) {
    if (strcmp(part, parts[i])) continue;
    c->support[i] = level;
    return 1;
  }
  return 0;
}

int fake_counters_statement(struct counters *c, const char *verb, char *rest) {
  unsigned long long number;
  if (!strcmp(verb, "chip")) return *rest && strlen(rest) < CHIP && snprintf(c->chip, CHIP, "%s", rest) > 0;
  if (!strcmp(verb, "metric")) return read_metric(c, rest);
  if (!strcmp(verb, "support")) return read_support(c, rest);
  if (!strcmp(verb, "counters")) {
    c->forbidden = !strcmp(rest, "off");
    return c->forbidden || !strcmp(rest, "on");
  }
  uint64_t *to = !strcmp(verb, "passes") ? &c->passes : !strcmp(verb, "replays") ? &c->replays : !strcmp(verb, "dropped") ? &c->dropped : NULL;
  if (!to || sscanf(rest, "%llu", &number) != 1 || number > 1000) return 0;
  *to = number;
  return 1;
}

uint64_t fake_counted(int device, const char *kernel, uint64_t duration) {
  struct object *o = fake.devices[device].counters.profiler;
  if (!o) return duration;
  struct profiler *p = o->profiler;
  if (p->in_range) {
    p->launches++;
    if (p->pass == 0) {
      char(*grown)[NAME] = realloc(p->kernels, p->launches * sizeof *grown);
      if (!grown) abort();
      p->kernels = grown;
      snprintf(grown[p->launches - 1], NAME, "%s", kernel);
      p->kernel_count = p->launches;
    }
  }
  return 2 * duration + 10000;
}

int fake_counter(const struct counters *c, const char *metric) {
  for (const struct metric *m = c->metrics; m; m = m->next)
    if (!strcmp(m->name, metric)) return 1;
  return 0;
}

/* The kernel's own value, or that of all kernels, or 0. */
static double of_launch(const struct counters *c, const char *metric, const char *kernel) {
  double value = 0;
  for (const struct metric *m = c->metrics; m; m = m->next) {
    if (strcmp(m->name, metric)) continue;
    if (!strcmp(m->kernel, kernel)) return m->value;
    if (!*m->kernel) value = m->value;
  }
  return value;
}

double fake_count(const struct counters *c, const struct profiler *p, const char *metric) {
  size_t length = strlen(metric);
  int adds = length > 4 && !strcmp(metric + length - 4, ".sum");
  double value = 0;
  for (size_t i = 0; i < p->kernel_count; i++) {
    double own = of_launch(c, metric, p->kernels[i]);
    value = adds ? value + own : own;
  }
  return value;
}
