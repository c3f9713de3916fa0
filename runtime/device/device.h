// What a rank computes with: the interface that a kind of device implements.
#ifndef MPC_RUNTIME_DEVICE_DEVICE_H_
#define MPC_RUNTIME_DEVICE_DEVICE_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// A dimension along which a product is repeated: elements from matrix to matrix.
struct GemmBatch {
  int64_t count = 0;
  int64_t left_stride = 0, right_stride = 0;
  /// 0: the products are added up, in ascending order.
  int64_t destination_stride = 0;
};

/// destination = op(left) · op(right), or += with `accumulate`; row-major. Both
/// factors are of `type`, the destination of that or f32; sums are in f32. A stride
/// is the elements from one row of the stored matrix to the next.
struct GemmArguments {
  plan::DataType type = plan::DATA_TYPE_F32;
  plan::DataType destination_type = plan::DATA_TYPE_F32;
  int64_t rows = 0, columns = 0, inner = 0;
  bool transpose_left = false, transpose_right = false;
  bool accumulate = false;
  const void* left = nullptr;
  int64_t left_stride = 0;
  const void* right = nullptr;
  int64_t right_stride = 0;
  void* destination = nullptr;
  int64_t destination_stride = 0;
  /// There is a product for each coordinate.
  absl::Span<const GemmBatch> batch;
};

/// Dimensions of q [b, s, kv, group, d] and k, v [b, t, kv, d].
struct AttentionShape {
  int64_t batch = 0;             // b
  int64_t queries = 0;           // s
  int64_t keys = 0;              // t
  int64_t key_value_heads = 0;   // kv
  int64_t group = 0;             // query heads of one key-value head
  int64_t head_size = 0;         // d
};

/// AttentionCommand of plan.proto with resolved memory, dense. Queries, keys,
/// values, outputs and their gradients are of `type`; softmax is in f32.
struct AttentionArguments {
  plan::DataType type = plan::DATA_TYPE_F32;
  AttentionShape shape;
  float scale = 1;
  bool causal = false;
  float dropout = 0;
  uint32_t dropout_key = 0;
  const void* query = nullptr;
  const void* key = nullptr;
  const void* value = nullptr;
  const int32_t* query_positions = nullptr;  // [b, s]
  const int32_t* key_positions = nullptr;    // [b, t]
  const int32_t* seed = nullptr;             // scalar; read with dropout only
  const int32_t* samples = nullptr;          // [b]; read with dropout only
  const int32_t* heads = nullptr;            // [kv, group]; the same
  void* output = nullptr;
  /// Natural logarithm of a row's sum of exponentials; -inf where all keys are
  /// masked.
  float* logsumexp = nullptr;
  /// AttentionWorkspaceBytes (attention_workspace.h), aligned to 64.
  void* workspace = nullptr;
};

/// `forward.output` and `forward.logsumexp` are read, the gradients written.
struct AttentionGradArguments {
  AttentionArguments forward;
  const void* output_grad = nullptr;
  void* query_grad = nullptr;
  void* key_grad = nullptr;
  void* value_grad = nullptr;
};

/// Compiled kernels in executable form; made once a process.
class KernelModule {
 public:
  virtual ~KernelModule() = default;
};

/// Memory of a device. Its contents are zero at first.
class Arena {
 public:
  virtual ~Arena() = default;
  virtual char* data() const = 0;
  virtual uint64_t bytes() const = 0;
};

/// The device of one rank. Operations take effect in the order of the calls and
/// give the same bits in every run with the same number of threads; only those of
/// Gemm may differ with it.
///
/// Thread-compatible: used by one thread at a time.
class Device {
 public:
  virtual ~Device() = default;

  virtual int threads() const = 0;

  /// kResourceExhausted if there is no such memory. Aligned to 64 bytes.
  virtual absl::StatusOr<std::unique_ptr<Arena>> Allocate(uint64_t bytes) = 0;

  virtual void Gemm(const GemmArguments& arguments) = 0;
  virtual void Attention(const AttentionArguments& arguments) = 0;
  virtual void AttentionGrad(const AttentionGradArguments& arguments) = 0;

  /// Runs kernel number `kernel` of a module of this kind of device on
  /// `buffers`, its inputs then its outputs.
  virtual void Launch(const KernelModule& module, int kernel,
                      absl::Span<void* const> buffers) = 0;

  /// Copies `rows` runs of `row_bytes`; strides are in bytes. No overlap.
  virtual void Copy(char* destination, int64_t destination_stride,
                    const char* source, int64_t source_stride, int64_t rows,
                    int64_t row_bytes) = 0;

  /// Sets `rows` runs of `row_elements` elements of 4 bytes to `bits`; the
  /// stride is in elements.
  virtual void Fill(uint32_t* destination, int64_t stride, int64_t rows,
                    int64_t row_elements, uint32_t bits) = 0;
  /// The same for elements of 2 bytes.
  virtual void Fill(uint16_t* destination, int64_t stride, int64_t rows,
                    int64_t row_elements, uint16_t bits) = 0;

  /// Calls `body` for parts [begin, end) of [0, extent) on the host's threads of
  /// this rank. How the range is cut depends on `threads()`.
  virtual void ParallelFor(
      int64_t extent,
      const std::function<void(int64_t begin, int64_t end)>& body) = 0;
};

/// A kind of device: what the ranks of a process share.
class Platform {
 public:
  virtual ~Platform() = default;

  /// kFailedPrecondition, naming what is missing, if this machine cannot run
  /// what `target` was compiled for.
  virtual absl::StatusOr<std::unique_ptr<KernelModule>> LoadKernels(
      const plan::Target& target) = 0;

  /// The device of one rank, with `threads` threads on the host.
  virtual absl::StatusOr<std::unique_ptr<Device>> CreateDevice(int threads) = 0;
};

/// kUnimplemented for a kind that this build lacks.
absl::StatusOr<std::unique_ptr<Platform>> CreatePlatform(plan::DeviceKind kind);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DEVICE_DEVICE_H_
