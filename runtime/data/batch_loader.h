// Fills a rank's batch inputs from a source of samples.
#ifndef MPC_RUNTIME_DATA_BATCH_LOADER_H_
#define MPC_RUNTIME_DATA_BATCH_LOADER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/data/batch_source.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// One rank's part of every batch. With B samples in M microbatches a step,
/// sample j of step k (both from 0) is the ordinal k·B + j and row j mod B/M of
/// microbatch j div B/M, whatever the mesh; a rank takes the rows and positions
/// of its box.
///
/// A BATCH state is [rows, positions] (`samples`: [rows]), in the persistent
/// region with a leading dimension of microbatches.
class BatchLoader {
 public:
  /// Where the rank's part of state `state` of the role lies in a slot.
  using StateMemory = std::function<absl::Span<int32_t>(int state, int slot)>;

  /// `source` must outlive the loader. kInvalidArgument if a BATCH state does
  /// not have the shape that Training asks for.
  static absl::StatusOr<BatchLoader> Create(const plan::Plan& plan,
                                            const plan::Role& role,
                                            int64_t rank,
                                            const BatchSource* source,
                                            StateMemory memory);

  /// Fills the persistent BATCH states with a whole step, from 0.
  void LoadStep(int64_t step) const;

  /// Fills a slot's BATCH states with one microbatch of a step.
  void LoadSlot(int64_t step, int64_t microbatch, int slot) const;

 private:
  struct Input {
    int state;
    plan::BatchInput kind;
    bool persistent;
    /// Always [microbatches, rows, positions]; in a slot one microbatch, of
    /// `samples` one position.
    Box box;
  };

  BatchLoader(const plan::Training& training, const BatchSource* source,
              StateMemory memory);

  void Fill(const Input& input, int64_t step, int64_t first_microbatch,
            absl::Span<int32_t> out) const;

  const BatchSource* source_;
  StateMemory memory_;
  int64_t global_batch_;
  int64_t rows_;
  std::vector<Input> inputs_;
};

/// The ordinal that the program sees: modulo 2³², since it only keys random
/// numbers.
int32_t SampleOrdinal(int64_t sample);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_DATA_BATCH_LOADER_H_
