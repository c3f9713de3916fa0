// Tensors as the model has them, taken from and given to the ranks of a mesh.
//
// "Logical" is the whole tensor without the padding of the vocabulary,
// row-major. These functions take a valid plan's messages.
#ifndef MPC_RUNTIME_VERIFY_LOGICAL_TENSOR_H_
#define MPC_RUNTIME_VERIFY_LOGICAL_TENSOR_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// One element of a rank's part.
struct HeldElement {
  int64_t rank = 0;
  /// In the whole tensor, padding included.
  std::vector<int64_t> index;
  double value = 0;
};

/// What the ranks hold together.
struct AssembledTensor {
  /// The logical region; exact: doubles hold every element.
  std::vector<double> values;
  /// The first element of a replica whose bits are not those of the first rank
  /// that holds it, and that rank's.
  struct ReplicaDifference {
    HeldElement replica;
    HeldElement first;
  };
  std::optional<ReplicaDifference> replica_difference;
  /// The first element of the padding that is not zero.
  std::optional<HeldElement> padding;
};

/// Joins the parts of a state, by rank: pieces are put where LocalBox says,
/// replicas compared bit for bit and counted once, partial values added (or
/// their maximum taken) in double and in ascending rank. A rank that does not
/// have the state contributes an empty string. kUnimplemented for an
/// unknown type.
absl::StatusOr<AssembledTensor> Assemble(const plan::Mesh& mesh,
                                         const plan::State& state,
                                         absl::Span<const std::string> pieces);

/// Writes a rank's part of a logical tensor of the state's type; padding
/// becomes zero. The state has no partial axes.
void WritePiece(const plan::Mesh& mesh, const plan::State& state, int64_t rank,
                absl::string_view logical, absl::Span<char> piece);

/// The logical tensor of a state that one rank holds whole.
std::string LogicalBytes(const plan::State& state, absl::string_view piece);

/// Elements as doubles; kUnimplemented for an unknown type.
absl::StatusOr<std::vector<double>> DecodeElements(plan::DataType type,
                                                   absl::string_view bytes);

/// The index of a row-major position, e.g. [1, 2].
std::vector<int64_t> IndexOf(absl::Span<const int64_t> sizes, int64_t position);

/// Who holds an element, of replicas the first: `rank 3`, or `ranks 0, 2
/// together` for a partial value. `pieces` as for Assemble.
std::string DescribeHolders(const plan::Mesh& mesh, const plan::State& state,
                            absl::Span<const std::string> pieces,
                            absl::Span<const int64_t> index);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_VERIFY_LOGICAL_TENSOR_H_
