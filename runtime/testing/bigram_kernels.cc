// Kernels of the bigram plans (bigram_plan.h) in the form in which the compiler
// emits its own: inputs and then outputs, over a range of the outermost loop.
#include <cmath>
#include <cstdint>

namespace {

constexpr int kVocabulary = 8;

template <typename T>
T* Buffer(void* const* buffers, int index) {
  return static_cast<T*>(buffers[index]);
}

// Shared by the right kernel and the wrong one: `scale` multiplies gradients.
void CrossEntropy(void* const* buffers, int64_t begin, int64_t end,
                  float scale) {
  const float* logits = Buffer<const float>(buffers, 0);
  const int32_t* labels = Buffer<const int32_t>(buffers, 1);
  const float count = *Buffer<const float>(buffers, 2);
  float* gradient = Buffer<float>(buffers, 3);
  float* losses = Buffer<float>(buffers, 4);
  for (int64_t t = begin; t < end; ++t) {
    const float* row = logits + t * kVocabulary;
    float* out = gradient + t * kVocabulary;
    losses[t] = 0;
    for (int i = 0; i < kVocabulary; ++i) out[i] = 0;
    if (labels[t] < 0) continue;
    float sum = 0;
    for (int i = 0; i < kVocabulary; ++i) sum += std::exp(row[i]);
    losses[t] = (std::log(sum) - row[labels[t]]) / count;
    for (int i = 0; i < kVocabulary; ++i)
      out[i] = scale * (std::exp(row[i]) / sum - (i == labels[t])) / count;
  }
}

}  // namespace

extern "C" {

// ids [t] -> [t, vocabulary]
void one_hot(void* const* buffers, int64_t begin, int64_t end) {
  const int32_t* ids = Buffer<const int32_t>(buffers, 0);
  float* out = Buffer<float>(buffers, 1);
  for (int64_t t = begin; t < end; ++t)
    for (int i = 0; i < kVocabulary; ++i)
      out[t * kVocabulary + i] = ids[t] == i;
}

// labels [t] -> 1 where there is one
void has_label(void* const* buffers, int64_t begin, int64_t end) {
  const int32_t* labels = Buffer<const int32_t>(buffers, 0);
  float* out = Buffer<float>(buffers, 1);
  for (int64_t t = begin; t < end; ++t) out[t] = labels[t] >= 0;
}

// logits [t, vocabulary], labels [t], count -> gradient [t, vocabulary], loss
// [t]
void cross_entropy(void* const* buffers, int64_t begin, int64_t end) {
  CrossEntropy(buffers, begin, end, 1.0f);
}

void cross_entropy_wrong(void* const* buffers, int64_t begin, int64_t end) {
  CrossEntropy(buffers, begin, end, 1.01f);
}

void cross_entropy_not_a_number(void* const* buffers, int64_t begin,
                                int64_t end) {
  CrossEntropy(buffers, begin, end, 1.0f);
  Buffer<float>(buffers, 4)[begin] = std::nanf("");
}

// x -> sqrt(x)
void root(void* const* buffers, int64_t, int64_t) {
  *Buffer<float>(buffers, 1) = std::sqrt(*Buffer<const float>(buffers, 0));
}

// step -> step + 1
void count_step(void* const* buffers, int64_t, int64_t) {
  *Buffer<int32_t>(buffers, 1) = *Buffer<const int32_t>(buffers, 0) + 1;
}

// gradient, learning rate, parameter -> parameter
void sgd(void* const* buffers, int64_t begin, int64_t end) {
  const float* gradient = Buffer<const float>(buffers, 0);
  const float rate = *Buffer<const float>(buffers, 1);
  float* parameter = Buffer<float>(buffers, 3);
  for (int64_t i = begin; i < end; ++i) parameter[i] -= rate * gradient[i];
}

// Takes a step that is too long by less than the tolerance of `verify`.
void sgd_drift(void* const* buffers, int64_t begin, int64_t end) {
  const float* gradient = Buffer<const float>(buffers, 0);
  const float rate = *Buffer<const float>(buffers, 1) * 1.000006f;
  float* parameter = Buffer<float>(buffers, 3);
  for (int64_t i = begin; i < end; ++i) parameter[i] -= rate * gradient[i];
}

// gradient, learning rate, step, m, v, parameter -> m, v, parameter
void adam(void* const* buffers, int64_t begin, int64_t end) {
  const float* gradient = Buffer<const float>(buffers, 0);
  const float rate = *Buffer<const float>(buffers, 1);
  const int32_t step = *Buffer<const int32_t>(buffers, 2);
  float* m = Buffer<float>(buffers, 6);
  float* v = Buffer<float>(buffers, 7);
  float* parameter = Buffer<float>(buffers, 8);
  const float correct_m = 1 - std::pow(0.9f, step);
  const float correct_v = 1 - std::pow(0.999f, step);
  for (int64_t i = begin; i < end; ++i) {
    m[i] = 0.9f * m[i] + 0.1f * gradient[i];
    v[i] = 0.999f * v[i] + 0.001f * gradient[i] * gradient[i];
    parameter[i] -=
        rate * (m[i] / correct_m) / (std::sqrt(v[i] / correct_v) + 1e-8f);
  }
}

}  // extern "C"
