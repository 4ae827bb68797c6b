#include <stdint.h>

typedef void kernel(void **args, const int64_t grid[3], int64_t first, int64_t last);

/* The kernel that costs nothing. */
void empty(void **args, const int64_t grid[3], int64_t first, int64_t last)
{
    (void) args;
    (void) grid;
    (void) first;
    (void) last;
}

/* Volatile, so that the compiler cannot know which function it is and drop the call. */
static kernel *volatile target = empty;

/* What the same launches cost in C: calls [first, last), one block each, through a function pointer. */
void c_loop(void **args, const int64_t grid[3], int64_t first, int64_t last)
{
    kernel *call = target;
    for (int64_t i = first; i < last; i++) {
        call(args, grid, 0, 1);
    }
}
