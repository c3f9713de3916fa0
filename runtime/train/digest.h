// A number that tells whether two runs have come to the same bits.
#ifndef MPC_RUNTIME_TRAIN_DIGEST_H_
#define MPC_RUNTIME_TRAIN_DIGEST_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "runtime/data/batch_source.h"
#include "runtime/executor/rank_program.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Of bytes, in the order in which they are added and with their cuts. Not
/// meant against someone who wants two to be equal.
class Digest {
 public:
  void Add(absl::string_view bytes);
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

/// Of some samples, from the first to the millionth: it tells most files apart,
/// also by their length.
uint64_t DigestOfSamples(const BatchSource& source,
                         const plan::Training& training);

/// This rank's part of parameters, optimizer state and counters.
uint64_t DigestOfState(const RankProgram& program);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_TRAIN_DIGEST_H_
