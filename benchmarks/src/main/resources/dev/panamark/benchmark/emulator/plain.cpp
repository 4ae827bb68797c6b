// What the kernels of kernels.cu compute, written for a processor: one thread, the same tiles. Each function is called as
// HostFunction says: args[i] points to the i-th parameter; the grid and its blocks are not used.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

template <class T> static T at(void **args, int i)
{
    return *static_cast<T *>(args[i]);
}

extern "C" void matmul(void **args, const int64_t *, int64_t, int64_t)
{
    constexpr int TILE = 16;
    const float *a = at<const float *>(args, 0);
    const float *b = at<const float *>(args, 1);
    float *c = at<float *>(args, 2);
    int n = at<int>(args, 3);
    for (int i = 0; i < n; i += TILE) {
        for (int j = 0; j < n; j += TILE) {
            float sums[TILE][TILE] = {};
            for (int t = 0; t < n; t += TILE) {
                float tileA[TILE][TILE];
                float tileB[TILE][TILE];
                for (int y = 0; y < TILE; y++) {
                    for (int x = 0; x < TILE; x++) {
                        tileA[y][x] = a[(i + y) * n + t + x];
                        tileB[y][x] = b[(t + y) * n + j + x];
                    }
                }
                for (int y = 0; y < TILE; y++) {
                    for (int k = 0; k < TILE; k++) {
                        for (int x = 0; x < TILE; x++) {
                            sums[y][x] += tileA[y][k] * tileB[k][x];
                        }
                    }
                }
            }
            for (int y = 0; y < TILE; y++) {
                for (int x = 0; x < TILE; x++) {
                    c[(i + y) * n + j + x] = sums[y][x];
                }
            }
        }
    }
}

extern "C" void attention(void **args, const int64_t *, int64_t, int64_t)
{
    const float *q = at<const float *>(args, 0);
    const float *k = at<const float *>(args, 1);
    const float *v = at<const float *>(args, 2);
    float *out = at<float *>(args, 3);
    int length = at<int>(args, 4);
    int width = at<int>(args, 5);
    float scale = at<float>(args, 6);
    int heads = at<int>(args, 7);
    std::vector<float> scores(length);
    for (int row = 0; row < heads * length; row++) {
        int head = row / length;
        const float *query = q + row * width;
        const float *keys = k + head * length * width;
        const float *values = v + head * length * width;
        float most = -3.4e38f;
        for (int j = 0; j < length; j++) {
            float score = 0;
            for (int d = 0; d < width; d++) {
                score += query[d] * keys[j * width + d];
            }
            scores[j] = score * scale;
            most = std::max(most, scores[j]);
        }
        float sum = 0;
        for (int j = 0; j < length; j++) {
            scores[j] = expf(scores[j] - most);
            sum += scores[j];
        }
        float *to = out + row * width;
        std::fill(to, to + width, 0.0f);
        for (int j = 0; j < length; j++) {
            for (int d = 0; d < width; d++) {
                to[d] += scores[j] * values[j * width + d];
            }
        }
        for (int d = 0; d < width; d++) {
            to[d] /= sum;
        }
    }
}
