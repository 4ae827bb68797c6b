/* What devices use, how their meters show it, and how those fail. Energy is exact: the integral of the power that the script gives. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

void fake_power_begin(struct power *p, double idle, double busy, uint64_t average, uint64_t instant) {
  memset(p, 0, sizeof *p);
  p->idle = idle;
  p->busy = busy;
  p->energy_period = 100000000;
  p->quantum = 1;
  p->gain = 1;
  p->average_window = average;
  p->instant_window = instant;
  p->sensor_period = 100000000;
  p->stuck = p->back = p->reset = p->lost = UINT64_MAX;
  p->minimum = 100;
  p->maximum = p->enforced = busy;
  p->temperature = 40;
  p->persistence = 1;
}

void fake_power_clear(void) {
  for (int d = 0; d < fake.count; d++) free(fake.devices[d].power.spans);
}

/* A kernel ran. Kernels of several streams at once are one stretch: the device is busy or it is not. */
void fake_power_busy(int device, uint64_t from, uint64_t to) {
  struct power *p = &fake.devices[device].power;
  struct span *last = p->span_count ? &p->spans[p->span_count - 1] : NULL;
  if (last && from < last->to) from = last->to;
  if (from >= to) return;
  if (last && from == last->to) {
    last->to = to;
    return;
  }
  if (p->span_count == p->span_room) {
    size_t room = p->span_room ? 2 * p->span_room : 64;
    struct span *grown = realloc(p->spans, room * sizeof *grown);
    if (!grown) return;
    p->spans = grown;
    p->span_room = room;
    last = p->span_count ? &p->spans[p->span_count - 1] : NULL;
  }
  uint64_t before = last ? last->before + (last->to - last->from) : 0;
  p->spans[p->span_count++] = (struct span){from, to, before};
}

/* ns before t in which a kernel ran. */
static uint64_t busy_before(const struct power *p, uint64_t t) {
  size_t low = 0, high = p->span_count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (p->spans[middle].from < t) low = middle + 1;
    else high = middle;
  }
  if (!low) return 0;
  const struct span *s = &p->spans[low - 1];
  return s->before + ((t < s->to ? t : s->to) - s->from);
}

/* J of the steps before t, which is within one repetition. */
static double of_steps(const struct power *p, uint64_t t) {
  double joules = 0;
  for (int i = 0; i < p->step_count; i++) {
    uint64_t from = p->steps[i].at, to = i + 1 < p->step_count ? p->steps[i + 1].at : UINT64_MAX;
    if (t <= from) break;
    joules += p->steps[i].watts * 1e-9 * (double)((t < to ? t : to) - from);
  }
  return joules;
}

double fake_joules(const struct power *p, uint64_t t) {
  if (!p->step_count) return 1e-9 * (p->idle * (double)t + (p->busy - p->idle) * (double)busy_before(p, t));
  if (!p->repeat) return of_steps(p, t);
  return (double)(t / p->repeat) * of_steps(p, p->repeat) + of_steps(p, t % p->repeat);
}

static double scatter(uint64_t k) {
  k += 0x9e3779b97f4a7c15ull;
  k = (k ^ k >> 30) * 0xbf58476d1ce4e5b9ull;
  k = (k ^ k >> 27) * 0x94d049bb133111ebull;
  return (double)((k ^ k >> 31) >> 11) / (double)(1ull << 53) - 0.5;
}

static uint64_t update(uint64_t k, uint64_t period, double jitter) {
  return k ? k * period + (uint64_t)(int64_t)(jitter * scatter(k) * (double)period) : 0;
}

/* The newest update at or before t. */
static uint64_t last_update(uint64_t t, uint64_t period, double jitter) {
  uint64_t k = t / period;
  if (update(k + 1, period, jitter) <= t) k++;
  while (k && update(k, period, jitter) > t) k--;
  return update(k, period, jitter);
}

uint64_t fake_energy(const struct power *p, uint64_t t) {
  uint64_t base = 123456789; /* since the driver was loaded */
  if (t > p->stuck) t = p->stuck;
  uint64_t at = last_update(t, p->energy_period, p->jitter);
  double since = 0;
  if (t >= p->reset) {
    base = 0;
    since = fake_joules(p, p->reset);
  }
  double millijoules = (fake_joules(p, at) - since) * 1e3 * p->gain;
  uint64_t counted = millijoules > 0 ? (uint64_t)millijoules / p->quantum * p->quantum : 0;
  uint64_t shown = base + counted;
  return t >= p->back ? shown - (p->back_by < shown ? p->back_by : shown) : shown;
}

uint32_t fake_milliwatts(const struct power *p, uint64_t t, uint64_t window, uint64_t *updated) {
  uint64_t at = last_update(t, p->sensor_period, 0);
  uint64_t from = at > window ? at - window : 0;
  *updated = at;
  if (at == from) return (uint32_t)(1e3 * fake_joules(p, 1000000) / 1e-3); /* before the first update */
  return (uint32_t)(1e12 * (fake_joules(p, at) - fake_joules(p, from)) / (double)(at - from) + 0.5);
}

static int read_curve(struct power *p, char *words) {
  char *save = NULL, *points = strtok_r(words, " \t", &save), *parts = NULL;
  p->step_count = 0;
  p->repeat = 0;
  for (char *point = points ? strtok_r(points, ",", &parts) : NULL; point; point = strtok_r(NULL, ",", &parts)) {
    unsigned long long at;
    double watts;
    int end = 0;
    if (p->step_count == STEPS || sscanf(point, "%llu:%lf%n", &at, &watts, &end) != 2 || point[end] || watts < 0) return 0;
    if (p->step_count ? at <= p->steps[p->step_count - 1].at : at != 0) return 0;
    p->steps[p->step_count++] = (struct step){at, watts};
  }
  char *word = strtok_r(NULL, " \t", &save);
  if (!word) return p->step_count > 0;
  char *length = strtok_r(NULL, " \t", &save);
  if (strcmp(word, "repeat") || !length) return 0;
  p->repeat = strtoull(length, NULL, 10);
  return p->step_count > 0 && p->repeat > p->steps[p->step_count - 1].at;
}

static int read_counter(struct power *p, const char *words) {
  unsigned long long at, by;
  if (!strcmp(words, "absent")) return p->absent = 1;
  if (sscanf(words, "stuck %llu", &at) == 1) return p->stuck = at, 1;
  if (sscanf(words, "reset %llu", &at) == 1) return p->reset = at, 1;
  if (sscanf(words, "back %llu %llu", &at, &by) == 2) return p->back = at, p->back_by = by, 1;
  return sscanf(words, "gain %lf", &p->gain) == 1 && p->gain >= 0;
}

static int read_sensor(struct power *p, const char *words) {
  char which[16];
  unsigned long long window, period;
  if (sscanf(words, "%15s %llu %llu", which, &window, &period) != 3 || !period) return 0;
  p->sensor_period = period;
  if (!strcmp(which, "average")) return p->average_window = window, 1;
  return !strcmp(which, "instant") && (p->instant_window = window, 1);
}

static int read_mode(struct power *p, const char *words) {
  char which[16], how[16];
  if (sscanf(words, "%15s %15s", which, how) != 2) return 0;
  int *mode = !strcmp(which, "ecc") ? &p->ecc : !strcmp(which, "mig") ? &p->mig : !strcmp(which, "persistence") ? &p->persistence : NULL;
  if (!mode) return 0;
  *mode = !strcmp(how, "on") ? 1 : !strcmp(how, "off") ? 0 : -1;
  return *mode >= 0 || !strcmp(how, "none");
}

int fake_power_statement(struct power *p, const char *verb, char *rest) {
  unsigned long long a, b, c;
  if (!strcmp(verb, "power"))
    return (p->step_count = 0, sscanf(rest, "%lf %lf", &p->idle, &p->busy) == 2) && p->idle >= 0 && p->busy >= 0;
  if (!strcmp(verb, "curve")) return read_curve(p, rest);
  if (!strcmp(verb, "energy")) {
    p->jitter = 0;
    if (sscanf(rest, "%llu %llu %lf", &a, &b, &p->jitter) < 2 || !a || !b || p->jitter < 0 || p->jitter >= 1) return 0;
    p->energy_period = a;
    p->quantum = b;
    return 1;
  }
  if (!strcmp(verb, "sensor")) return read_sensor(p, rest);
  if (!strcmp(verb, "counter")) return read_counter(p, rest);
  if (!strcmp(verb, "lost")) return sscanf(rest, "%llu", &a) == 1 && (p->lost = a, 1);
  if (!strcmp(verb, "throttle")) {
    if (p->episode_count == EPISODES || sscanf(rest, "%llu %llu %llu", &a, &b, &c) != 3 || b <= a) return 0;
    p->episodes[p->episode_count++] = (struct episode){a, b, c};
    return 1;
  }
  if (!strcmp(verb, "clocks")) return sscanf(rest, "%u %u", &p->sm_mhz, &p->memory_mhz) == 2;
  if (!strcmp(verb, "limit")) return sscanf(rest, "%lf %lf %lf", &p->minimum, &p->maximum, &p->enforced) == 3;
  if (!strcmp(verb, "temperature")) return sscanf(rest, "%d", &p->temperature) == 1;
  if (!strcmp(verb, "mode")) return read_mode(p, rest);
  if (!strcmp(verb, "module") && !*rest) return p->module = 1;
  if (!strcmp(verb, "process")) {
    if (p->process_count == PROCESSES || sscanf(rest, "%llu %llu", &a, &b) != 2) return 0;
    p->processes[p->process_count++] = (struct process){(uint32_t)a, b};
    return 1;
  }
  if (!strcmp(verb, "field")) {
    if (p->field_count == FIELDS || sscanf(rest, "%llu %llu", &a, &b) != 2) return 0;
    p->fields[p->field_count++] = (struct field){(uint32_t)a, (int)b};
    return 1;
  }
  return 0;
}
