// What benchmarks/emulator runs. kernels.ptx is made of it by: nvcc -ptx -arch=sm_75 -lineinfo kernels.cu
#define TILE 16
#define THREADS 128

extern "C" __global__ void vecadd(const float *x, const float *y, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sum[i] = x[i] + y[i];
    }
}

extern "C" __global__ void gather(const int *index, const float *table, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = table[index[i]];
    }
}

// n is a multiple of TILE; a block has TILE x TILE threads.
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int n)
{
    __shared__ float tileA[TILE][TILE];
    __shared__ float tileB[TILE][TILE];
    int x = threadIdx.x;
    int y = threadIdx.y;
    int row = blockIdx.y * TILE + y;
    int column = blockIdx.x * TILE + x;
    float sum = 0;
    for (int tile = 0; tile < n / TILE; tile++) {
        tileA[y][x] = a[row * n + tile * TILE + x];
        tileB[y][x] = b[(tile * TILE + y) * n + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) {
            sum += tileA[y][k] * tileB[k][x];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// One block a query and head; at most 512 keys.
extern "C" __global__ void attention(
    const float *q, const float *k, const float *v, float *out, int length, int width, float scale)
{
    __shared__ float scores[512];
    __shared__ float parts[THREADS];
    int thread = threadIdx.x;
    const float *query = q + (blockIdx.y * length + blockIdx.x) * width;
    const float *keys = k + blockIdx.y * length * width;
    const float *values = v + blockIdx.y * length * width;
    float most = -3.4e38f;
    for (int j = thread; j < length; j += THREADS) {
        float score = 0;
        for (int d = 0; d < width; d++) {
            score += query[d] * keys[j * width + d];
        }
        score *= scale;
        scores[j] = score;
        most = fmaxf(most, score);
    }
    parts[thread] = most;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half >>= 1) {
        if (thread < half) {
            parts[thread] = fmaxf(parts[thread], parts[thread + half]);
        }
        __syncthreads();
    }
    most = parts[0];
    __syncthreads();
    float sum = 0;
    for (int j = thread; j < length; j += THREADS) {
        float weight = __expf(scores[j] - most);
        scores[j] = weight;
        sum += weight;
    }
    parts[thread] = sum;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half >>= 1) {
        if (thread < half) {
            parts[thread] += parts[thread + half];
        }
        __syncthreads();
    }
    sum = parts[0];
    for (int d = thread; d < width; d += THREADS) {
        float dot = 0;
        for (int j = 0; j < length; j++) {
            dot += scores[j] * values[j * width + d];
        }
        out[(blockIdx.y * length + blockIdx.x) * width + d] = dot / sum;
    }
}
