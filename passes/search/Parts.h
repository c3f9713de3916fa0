//===- Parts.h - what the parts of a model cost ------------------*- C++ -*-===//
//
// A model is a head and a tail around equal layers. What each costs is read from the
// commands that the compiler makes of it; a stage is a sum of parts.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_PASSES_SEARCH_PARTS_H
#define MPC_PASSES_SEARCH_PARTS_H

#include "cluster/pricing.h"
#include "cluster/work.h"
#include <array>
#include <cstdint>
#include <vector>

namespace mpc::search {

/// What a layer computes a second time, as `recompute` of the strategy.
enum class Recompute { kNone, kSelective, kFull };
inline constexpr int kRecomputes = 3;

/// One command of a list, as far as it takes time.
struct Command {
  enum class Kind { kCompute, kStart, kWait };
  Kind kind = Kind::kCompute;
  cluster::Work work;
  /// Of a start: what is transferred, and whether over data (else over tensor)
  /// parallel ranks. The group's numbers are not set.
  cluster::Transfer transfer;
  bool isOverData = false;
  /// Of a start and its wait.
  int64_t handle = 0;
};
using Commands = std::vector<Command>;

enum class Phase { kPrologue, kForward, kBackward, kWeight, kUpdate };
inline constexpr int kPhases = 5;

/// Bytes of a rank for one part.
struct Memory {
  /// Parameters, their gradients and optimizer state.
  int64_t states = 0;
  /// Of `states`, what the other end of a tied model holds as well, so that a stage
  /// with both has it once.
  int64_t tied = 0;
  /// Batch inputs of the whole step.
  int64_t batch = 0;
  /// What a message to or from a neighbour lies in.
  int64_t channels = 0;
  /// What a microbatch keeps, and what a list needs while it runs.
  int64_t slot = 0;
  int64_t transient = 0;
};

/// The commands of one part, of a microbatch that is neither first nor last where
/// there is one.
struct Part {
  std::array<Commands, kPhases> lists;
  Memory memory;
  /// Over data: of gradients, in the backward pass of the last microbatch, and of
  /// parameters, in the forward pass of the first.
  Commands reductions, gathers;
  /// Sent to the next stage for each microbatch, and received back.
  int64_t activationBytes = 0;
};

/// The parts of a model under one choice of how layers are split.
struct Parts {
  Part first, last;
  std::array<Part, kRecomputes> layer;
  /// Between the ends of a tied model, once a step in each direction.
  int64_t tiedBytes = 0;
};

/// The same commands at microbatch size `size`, given them at two sizes: all counts
/// and bytes are linear in it.
Part interpolate(const Part &low, int64_t lowSize, const Part &high,
                 int64_t highSize, int64_t size);
Parts interpolate(const Parts &low, int64_t lowSize, const Parts &high,
                  int64_t highSize, int64_t size);

/// Seconds of one list.
struct ListTime {
  double total = 0;
  /// Of `total`, waiting for tensor-parallel collectives; the rest computes.
  double exposed = 0;
  /// What these collectives take, hidden or not.
  double transfers = 0;
};

/// Walks a list as a device does: commands in order, transfers beside them where the
/// device can. Transfers over data are left out.
ListTime timeOf(const Commands &commands, const cluster::Pricing &pricing,
                const cluster::Group &tensorGroup);

/// The sum of the transfers over data of a list.
double dataSecondsOf(const Commands &commands, const cluster::Pricing &pricing,
                     const cluster::Group &dataGroup);

} // namespace mpc::search

#endif // MPC_PASSES_SEARCH_PARTS_H
