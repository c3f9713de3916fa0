#include "runtime/device/cpu/narrow_attention.h"

#include <algorithm>

#include "runtime/device/cpu/attention.h"
#include "runtime/device/cpu/attention_tiles.h"
#include "runtime/floats/narrow_floats.h"

namespace mpc::runtime {
namespace {

/// Elements that a thread converts at a time.
constexpr int64_t kPart = 16 << 10;

/// The f32 copies of a call's operands, taken one after the other from the
/// workspace behind the lanes.
class WideCopies {
 public:
  WideCopies(const AttentionArguments& a, ThreadPool& pool)
      : type_(a.type),
        pool_(pool),
        queries_(QueryElements(a.shape)),
        keys_(KeyElements(a.shape)),
        query_size_(a.shape.batch * a.shape.queries * a.shape.key_value_heads *
                    a.shape.group * a.shape.head_size),
        key_size_(a.shape.batch * a.shape.keys * a.shape.key_value_heads *
                  a.shape.head_size),
        next_(static_cast<float*>(a.workspace) +
              Lanes(a.shape) * LaneElements(a.shape)) {}

  float* NewQueries() { return Take(queries_); }
  float* NewKeys() { return Take(keys_); }
  float* Queries(const void* from) { return Widen(from, query_size_, queries_); }
  float* Keys(const void* from) { return Widen(from, key_size_, keys_); }

  void StoreQueries(const void* wide, void* to) { Narrow(wide, query_size_, to); }
  void StoreKeys(const void* wide, void* to) { Narrow(wide, key_size_, to); }

 private:
  float* Take(int64_t elements) {
    float* const taken = next_;
    next_ += elements;
    return taken;
  }

  float* Widen(const void* from, int64_t size, int64_t elements) {
    float* const to = Take(elements);
    InParts(size, [&](int64_t begin, int64_t count) {
      WidenFloats(type_, static_cast<const uint16_t*>(from) + begin, count,
                  to + begin);
    });
    return to;
  }

  void Narrow(const void* wide, int64_t size, void* to) {
    InParts(size, [&](int64_t begin, int64_t count) {
      NarrowFloats(type_, static_cast<const float*>(wide) + begin, count,
                   static_cast<uint16_t*>(to) + begin);
    });
  }

  template <typename Body>
  void InParts(int64_t size, const Body& body) {
    pool_.Run((size + kPart - 1) / kPart, [&](int64_t part, int) {
      body(part * kPart, std::min(kPart, size - part * kPart));
    });
  }

  const plan::DataType type_;
  ThreadPool& pool_;
  const int64_t queries_, keys_, query_size_, key_size_;
  float* next_;
};

/// `a` with the inputs widened.
AttentionArguments Widened(const AttentionArguments& a, WideCopies& copies) {
  AttentionArguments wide = a;
  wide.type = plan::DATA_TYPE_F32;
  wide.query = copies.Queries(a.query);
  wide.key = copies.Keys(a.key);
  wide.value = copies.Keys(a.value);
  return wide;
}

}  // namespace

void NarrowAttention(const AttentionArguments& a, ThreadPool& pool) {
  WideCopies copies(a, pool);
  AttentionArguments wide = Widened(a, copies);
  wide.output = copies.NewQueries();
  Attention(wide, pool);
  copies.StoreQueries(wide.output, a.output);
}

void NarrowAttentionGrad(const AttentionGradArguments& g, ThreadPool& pool) {
  WideCopies copies(g.forward, pool);
  AttentionGradArguments wide;
  wide.forward = Widened(g.forward, copies);
  wide.forward.output = copies.Queries(g.forward.output);
  wide.output_grad = copies.Queries(g.output_grad);
  wide.query_grad = copies.NewQueries();
  wide.key_grad = copies.NewKeys();
  wide.value_grad = copies.NewKeys();
  AttentionGrad(wide, pool);
  copies.StoreQueries(wide.query_grad, g.query_grad);
  copies.StoreKeys(wide.key_grad, g.key_grad);
  copies.StoreKeys(wide.value_grad, g.value_grad);
}

}  // namespace mpc::runtime
