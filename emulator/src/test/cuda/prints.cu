#include <cassert>
#include <cstdio>

// What a thread of a kernel prints, and one whose assertion fails.
extern "C" __global__ void prints(int n) {
    printf("thread %d of %u: %5.2f|%-6s|%08x|%lld|%c%%\n", threadIdx.x, blockDim.x, threadIdx.x * 1.5, "ab", 0xbeef + n,
           -5000000000ll * n, 'x');
    printf("nothing\n");
}

extern "C" __global__ void asserts(const int* in) {
    assert(in[threadIdx.x] < 7);
}
