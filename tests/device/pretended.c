/* A device that has memory and computes nothing: what CUDA's runtime says of it, and its copies. */
#include <stdlib.h>
#include <string.h>

enum { MAJOR = 75, MINOR = 76, PROCESSORS = 16 }; /* attributes of a device */
static const size_t BYTES = (size_t)80 << 30;
static int handle;

/* What a test asks for: kernels that were started, graphs that were captured and repeated. */
static long launches, captures, repeats;
long pretended_launches(void) { return launches; }
long pretended_captures(void) { return captures; }
long pretended_repeats(void) { return repeats; }
int cudaLaunchKernel() { launches++; return 0; }
int __cudaLaunchKernel() { launches++; return 0; }
int cudaLaunchKernelExC() { launches++; return 0; }
int cudaStreamEndCapture(void *stream, void **graph) { captures++; *graph = &handle; return 0; }
int cudaGraphInstantiate(void **made, void *graph, unsigned long long flags) {
  *made = &handle;
  return 0;
}
int cudaGraphLaunch(void *graph, void *stream) { repeats++; return 0; }

int cudaGetDeviceCount(int *count) { *count = 1; return 0; }
int cudaGetDevice(int *device) { *device = 0; return 0; }
int cudaRuntimeGetVersion(int *version) { *version = 13000; return 0; }
int cudaDriverGetVersion(int *version) { *version = 13000; return 0; }
const char *cudaGetErrorString(int error) { return "no error"; }
const char *cudaGetErrorName(int error) { return "none"; }

int cudaDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == MAJOR ? 8 : attribute == MINOR ? 0 : attribute == PROCESSORS ? 108 : 65536;
  return 0;
}

/* cudaDeviceProp by its offsets, which CUDA 12 and 13 share as far as they are read. */
int cudaGetDeviceProperties(char *said, int device) {
  memset(said, 0, 1008);
  strcpy(said, "pretended");
  *(size_t *)(said + 288) = BYTES;
  *(size_t *)(said + 296) = 49152;
  *(int *)(said + 304) = 65536;
  *(int *)(said + 308) = 32;
  *(int *)(said + 320) = 1024;
  for (int axis = 0; axis < 3; axis++) {
    ((int *)(said + 324))[axis] = 1024;
    ((int *)(said + 336))[axis] = 65535;
  }
  *(size_t *)(said + 352) = 65536;
  *(int *)(said + 360) = 8;
  *(int *)(said + 384) = 108;
  return 0;
}

int cudaMemGetInfo(size_t *left, size_t *all) { *left = *all = BYTES; return 0; }
int cudaMalloc(void **place, size_t bytes) {
  return posix_memalign(place, 256, bytes ? bytes : 256) ? 2 : 0;
}
int cudaMallocHost(void **place, size_t bytes) { return cudaMalloc(place, bytes); }
int cudaHostAlloc(void **place, size_t bytes, unsigned flags) { return cudaMalloc(place, bytes); }
int cudaFree(void *place) { free(place); return 0; }
int cudaFreeHost(void *place) { free(place); return 0; }
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind) {
  memcpy(to, from, bytes);
  return 0;
}
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream) {
  memcpy(to, from, bytes);
  return 0;
}
int cudaMemset(void *to, int value, size_t bytes) { memset(to, value, bytes); return 0; }
int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream) {
  memset(to, value, bytes);
  return 0;
}

int cudaStreamCreate(void **stream) { *stream = &handle; return 0; }
int cudaStreamCreateWithFlags(void **stream, unsigned flags) { *stream = &handle; return 0; }
int cudaStreamIsCapturing(void *stream, int *status) { *status = 0; return 0; }
int cudaEventCreate(void **event) { *event = &handle; return 0; }
int cudaEventCreateWithFlags(void **event, unsigned flags) { *event = &handle; return 0; }
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *kernel, int threads, size_t bytes, unsigned flags) {
  *blocks = 1;
  return 0;
}
