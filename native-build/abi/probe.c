/*
 * Prints what the C compiler makes of the headers that the bindings were generated from, one fact a line, for the test
 * that compares each with the generated layouts. The test writes headers.inc and facts.inc from the symbol lists and
 * from the layouts themselves, so that no structure, field or constant is left out.
 */
#include <stddef.h>
#include <stdio.h>

#include "headers.inc"

#define STRUCTURE(type) printf("size %s %zu\nalignment %s %zu\n", #type, sizeof(type), #type, _Alignof(type));
#define FIELD(type, field) \
  printf("offset %s %s %zu\nwidth %s %s %zu\n", #type, #field, offsetof(type, field), #type, #field, \
         sizeof(((type *)0)->field));
#define CONSTANT(name) printf("value %s %lld\n", #name, (long long)(name));

int main(void) {
#include "facts.inc"
  return 0;
}
