// The commands of a plan in the terms that a cluster is priced in.
#ifndef MPC_RUNTIME_SIMULATE_WORK_OF_H_
#define MPC_RUNTIME_SIMULATE_WORK_OF_H_

#include <optional>

#include "cluster/work.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// What a command of a valid plan computes; none for a start or wait of
/// communication. Bytes are those of all operands, what is read and written
/// twice; of an embedding's table the rows that it can have read.
std::optional<cluster::Work> WorkOf(const plan::Plan& plan,
                                    const plan::Command& command);

/// Floating-point operations of products and attention; 0 of other work.
double FlopsOf(const cluster::Work& work);

/// The collective that a command starts.
cluster::Transfer TransferOf(const plan::Plan& plan,
                             const plan::CollectiveStartCommand& start);

/// Where the members of a group lie, in numbers of ranks.
cluster::Group PlacesOf(const plan::Mesh& mesh, const plan::Group& group);

/// The bytes of a slice's elements, gaps between its rows left out.
int64_t ElementBytes(const plan::Slice& slice);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_SIMULATE_WORK_OF_H_
