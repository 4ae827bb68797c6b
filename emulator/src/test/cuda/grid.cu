// A grid whose blocks wait for each other.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(int* a) {
  auto g = cg::this_grid();
  int i = g.thread_rank(), n = g.size();
  a[i] = i;
  g.sync();
  int other = a[n - 1 - i];
  g.sync();
  a[i] = other;
}
