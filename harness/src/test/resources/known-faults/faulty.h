/* What the two kernels with faults share. FAULT is a number of KnownFaultsTest, which says what it is; 0 is none. */
#include <stdint.h>
#include <string.h>

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

static float of_bits(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

static float of_f16(uint16_t h) {
  float f = of_bits((uint32_t)(h & 0x7fff) << 13) * 0x1p112f;
  return h & 0x8000 ? -f : f;
}

static float of_bf16(uint16_t h) {
  return of_bits((uint32_t)h << 16);
}

static float of_f32(float f) {
  return f;
}

static float of_e4m3(uint8_t b) {
  int e = b >> 3 & 15, m = b & 7;
  float f = e ? of_bits((uint32_t)(e + 120) << 23 | (uint32_t)m << 20) : (float)m * 0x1p-9f;
  return b & 0x80 ? -f : f;
}

/* Rounded to e4m3 and held at 448. */
static float through_e4m3(float x) {
  uint32_t bits;
  if (x < 0x1p-6f) {
    return (x + 0x1p14f) - 0x1p14f; /* steps of 2^-9 */
  }
  memcpy(&bits, &x, sizeof bits);
  bits = (bits + 0x7ffff + (bits >> 20 & 1)) & ~0xfffffu;
  return of_bits(bits) > 448 ? 448 : of_bits(bits);
}

static uint16_t to_bf16(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float to_f32(float x) {
  return x;
}

/* For values below 65504. */
static uint16_t to_f16(float x) {
  uint32_t bits, sign;
  float magnitude = x < 0 ? -x : x;
  memcpy(&bits, &x, sizeof bits);
  sign = bits >> 16 & 0x8000;
  if (magnitude < 0x1p-14f) {
    return (uint16_t)(sign | (uint32_t)(int)((magnitude * 0x1p24f + 0x1p23f) - 0x1p23f));
  }
  memcpy(&bits, &magnitude, sizeof bits);
  return (uint16_t)(sign | (bits + 0xfff + (bits >> 13 & 1) - (112u << 23)) >> 13);
}

/* e^x by halving x until a short series is exact to double precision; slow, and right. */
static double exponential(double x) {
  double sum = 1, term = 1;
  if (x < -700) {
    return 0;
  }
  for (int k = 1; k < 14; k++) {
    term *= x / 1024 / k;
    sum += term;
  }
  for (int k = 0; k < 10; k++) {
    sum *= sum;
  }
  return sum;
}

/* ln x for x >= 1, by Newton steps on e^y = x. */
static double logarithm(double x) {
  double y = 0;
  for (double rest = x; rest > 2; rest /= 2) {
    y += 0.69314718055994530942;
  }
  for (int k = 0; k < 6; k++) {
    y += x / exponential(y) - 1;
  }
  return y;
}
