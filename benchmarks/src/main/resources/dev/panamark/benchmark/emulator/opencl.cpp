// Runs kernels.cl on the processor through OpenCL, on one thread where it is PoCL. Each function is called as
// HostFunction says: args[i] points to the i-th parameter; the grid and its blocks are not used.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_kernel matmul_kernel;
static cl_kernel attention_kernel;
static cl_mem matmul_buffers[3];
static cl_mem attention_buffers[4];
static std::string trouble;

template <class T> static T at(void **args, int i)
{
    return *static_cast<T *>(args[i]);
}

static bool good(cl_int code, const char *what)
{
    if (code != CL_SUCCESS && trouble.empty()) {
        trouble = std::string(what) + " returned " + std::to_string(code);
    }
    return trouble.empty();
}

// The name of the device, or what went wrong after a "!": in 256 bytes.
static void say(char *text, const std::string &words)
{
    snprintf(text, 256, "%s%s", trouble.empty() ? "" : "!", trouble.empty() ? words.c_str() : trouble.c_str());
}

// source, text
extern "C" void start(void **args, const int64_t *, int64_t, int64_t)
{
    const char *source = at<const char *>(args, 0);
    char *text = at<char *>(args, 1);
    setenv("POCL_MAX_PTHREAD_COUNT", "1", 1);
    cl_platform_id platforms[16];
    cl_uint count = 0;
    good(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    cl_platform_id platform = nullptr;
    char name[128] = "";
    char version[128] = "";
    for (cl_uint i = 0; i < count && platform == nullptr; i++) {
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, nullptr);
        if (strstr(name, "Portable Computing Language") != nullptr) {
            platform = platforms[i];
            clGetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof version, version, nullptr);
        }
    }
    if (platform == nullptr && trouble.empty()) {
        trouble = "none of " + std::to_string(count) + " OpenCL platforms is PoCL";
    }
    cl_device_id device = nullptr;
    cl_int code = CL_SUCCESS;
    if (trouble.empty() && good(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, nullptr), "clGetDeviceIDs")) {
        context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
        good(code, "clCreateContext");
    }
    if (trouble.empty()) {
        queue = clCreateCommandQueue(context, device, 0, &code);
        good(code, "clCreateCommandQueue");
    }
    if (trouble.empty()) {
        program = clCreateProgramWithSource(context, 1, &source, nullptr, &code);
        good(code, "clCreateProgramWithSource");
    }
    if (trouble.empty()) {
        good(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "clBuildProgram");
    }
    if (trouble.empty()) {
        matmul_kernel = clCreateKernel(program, "matmul", &code);
        good(code, "clCreateKernel");
        attention_kernel = clCreateKernel(program, "attention", &code);
        good(code, "clCreateKernel");
    }
    say(text, version);
}

static cl_mem buffer(const float *from, size_t count)
{
    cl_int code = CL_SUCCESS;
    cl_mem memory = clCreateBuffer(
        context,
        from == nullptr ? CL_MEM_WRITE_ONLY : CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR,
        count * sizeof(float),
        const_cast<float *>(from),
        &code);
    good(code, "clCreateBuffer");
    return memory;
}

template <class T> static void argument(cl_kernel kernel, cl_uint i, T value)
{
    good(clSetKernelArg(kernel, i, sizeof value, &value), "clSetKernelArg");
}

// a, b, n, text
extern "C" void matmul_inputs(void **args, const int64_t *, int64_t, int64_t)
{
    int n = at<int>(args, 2);
    size_t count = size_t(n) * n;
    matmul_buffers[0] = buffer(at<const float *>(args, 0), count);
    matmul_buffers[1] = buffer(at<const float *>(args, 1), count);
    matmul_buffers[2] = buffer(nullptr, count);
    for (int i = 0; i < 3; i++) {
        argument(matmul_kernel, i, matmul_buffers[i]);
    }
    argument(matmul_kernel, 3, n);
    say(at<char *>(args, 3), "");
}

// q, k, v, length, width, scale, heads, text
extern "C" void attention_inputs(void **args, const int64_t *, int64_t, int64_t)
{
    int length = at<int>(args, 3);
    int width = at<int>(args, 4);
    int heads = at<int>(args, 6);
    size_t count = size_t(heads) * length * width;
    for (int i = 0; i < 3; i++) {
        attention_buffers[i] = buffer(at<const float *>(args, i), count);
    }
    attention_buffers[3] = buffer(nullptr, count);
    for (int i = 0; i < 4; i++) {
        argument(attention_kernel, i, attention_buffers[i]);
    }
    argument(attention_kernel, 4, length);
    argument(attention_kernel, 5, width);
    argument(attention_kernel, 6, at<float>(args, 5));
    say(at<char *>(args, 7), "");
}

// n, text
extern "C" void matmul(void **args, const int64_t *, int64_t, int64_t)
{
    size_t all[2] = {size_t(at<int>(args, 0)), size_t(at<int>(args, 0))};
    size_t group[2] = {16, 16};
    good(clEnqueueNDRangeKernel(queue, matmul_kernel, 2, nullptr, all, group, 0, nullptr, nullptr), "matmul");
    good(clFinish(queue), "clFinish");
    say(at<char *>(args, 1), "");
}

// length, heads, text
extern "C" void attention(void **args, const int64_t *, int64_t, int64_t)
{
    size_t all[2] = {128 * size_t(at<int>(args, 0)), size_t(at<int>(args, 1))};
    size_t group[2] = {128, 1};
    good(clEnqueueNDRangeKernel(queue, attention_kernel, 2, nullptr, all, group, 0, nullptr, nullptr), "attention");
    good(clFinish(queue), "clFinish");
    say(at<char *>(args, 2), "");
}

static void read(cl_mem from, void *to, char *text)
{
    size_t bytes = 0;
    good(clGetMemObjectInfo(from, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr), "clGetMemObjectInfo");
    good(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, bytes, to, 0, nullptr, nullptr), "clEnqueueReadBuffer");
    say(text, "");
}

// out, text
extern "C" void matmul_output(void **args, const int64_t *, int64_t, int64_t)
{
    read(matmul_buffers[2], at<void *>(args, 0), at<char *>(args, 1));
}

// out, text
extern "C" void attention_output(void **args, const int64_t *, int64_t, int64_t)
{
    read(attention_buffers[3], at<void *>(args, 0), at<char *>(args, 1));
}
