// The kernels of kernels.cu in OpenCL C.
#define TILE 16
#define THREADS 128

kernel void matmul(global const float *a, global const float *b, global float *c, int n)
{
    local float tileA[TILE][TILE];
    local float tileB[TILE][TILE];
    int x = get_local_id(0);
    int y = get_local_id(1);
    int row = get_group_id(1) * TILE + y;
    int column = get_group_id(0) * TILE + x;
    float sum = 0;
    for (int tile = 0; tile < n / TILE; tile++) {
        tileA[y][x] = a[row * n + tile * TILE + x];
        tileB[y][x] = b[(tile * TILE + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int k = 0; k < TILE; k++) {
            sum += tileA[y][k] * tileB[k][x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

kernel void attention(
    global const float *q,
    global const float *k,
    global const float *v,
    global float *out,
    int length,
    int width,
    float scale)
{
    local float scores[512];
    local float parts[THREADS];
    int thread = get_local_id(0);
    int head = get_group_id(1);
    int row = get_group_id(0);
    global const float *query = q + (head * length + row) * width;
    global const float *keys = k + head * length * width;
    global const float *values = v + head * length * width;
    float most = -3.4e38f;
    for (int j = thread; j < length; j += THREADS) {
        float score = 0;
        for (int d = 0; d < width; d++) {
            score += query[d] * keys[j * width + d];
        }
        score *= scale;
        scores[j] = score;
        most = fmax(most, score);
    }
    parts[thread] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int rest = THREADS / 2; rest > 0; rest >>= 1) {
        if (thread < rest) {
            parts[thread] = fmax(parts[thread], parts[thread + rest]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    most = parts[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int j = thread; j < length; j += THREADS) {
        float weight = native_exp(scores[j] - most);
        scores[j] = weight;
        sum += weight;
    }
    parts[thread] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int rest = THREADS / 2; rest > 0; rest >>= 1) {
        if (thread < rest) {
            parts[thread] += parts[thread + rest];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sum = parts[0];
    for (int d = thread; d < width; d += THREADS) {
        float dot = 0;
        for (int j = 0; j < length; j++) {
            dot += scores[j] * values[j * width + d];
        }
        out[(head * length + row) * width + d] = dot / sum;
    }
}
