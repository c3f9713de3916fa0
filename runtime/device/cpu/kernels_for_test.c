/* Kernels as the compiler would make them, for tests of loading and launching. */
#include <stdint.h>

/* buffers: x [n], y [n], sum [n] */
void add_rows(void *const *buffers, int64_t begin, int64_t end) {
  const float *x = (const float *)buffers[0];
  const float *y = (const float *)buffers[1];
  float *sum = (float *)buffers[2];
  for (int64_t i = begin; i < end; ++i)
    sum[i] = x[i] + y[i];
}

/* buffers: ranges [n, 2]: writes to row `begin` what the call covered. */
void record_range(void *const *buffers, int64_t begin, int64_t end) {
  int32_t *ranges = (int32_t *)buffers[0];
  ranges[2 * begin] = (int32_t)begin;
  ranges[2 * begin + 1] = (int32_t)end;
}
