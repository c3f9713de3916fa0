// Ranks, coordinates and groups of a mesh.
//
// These functions take a valid plan's messages and a rank of its mesh.
#ifndef MPC_RUNTIME_PLAN_MESH_H_
#define MPC_RUNTIME_PLAN_MESH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// The axis whose coordinate is a rank's pipeline stage.
inline constexpr absl::string_view kPipelineAxis = "pp";

/// The number of ranks; 1 for a mesh without axes.
int64_t RankCount(const plan::Mesh& mesh);

/// One coordinate an axis, in the order of the axes. The first axis is the
/// slowest: in ["dp"=2, "tp"=4] rank 6 is (1, 2).
std::vector<int64_t> CoordinatesOfRank(const plan::Mesh& mesh, int64_t rank);
int64_t RankOfCoordinates(const plan::Mesh& mesh,
                          absl::Span<const int64_t> coordinates);

/// "dp=1 tp=2"; "" for a mesh without axes.
std::string DescribeCoordinates(const plan::Mesh& mesh, int64_t rank);

/// The number of blocks that `axes` (indices into the mesh, major to minor) cut
/// a dimension into, and which of them is the rank's.
int64_t BlockCount(const plan::Mesh& mesh, absl::Span<const uint32_t> axes);
int64_t BlockIndex(const plan::Mesh& mesh, absl::Span<const uint32_t> axes,
                   int64_t rank);

/// The ranks of the rank's own group, by their index in it.
std::vector<int> GroupMembers(const plan::Mesh& mesh, const plan::Group& group,
                              int64_t rank);
int64_t GroupSize(const plan::Mesh& mesh, const plan::Group& group);
int64_t GroupIndex(const plan::Mesh& mesh, const plan::Group& group,
                   int64_t rank);

/// The index into Plan.roles: the coordinate of the axis `pp`, 0 without one.
int StageOfRank(const plan::Plan& plan, int64_t rank);

/// The rank of another stage (or the same) with the other coordinates of
/// `rank`.
int RankOfStage(const plan::Mesh& mesh, int64_t rank, int64_t stage);

/// The size of the axis `pp`, 1 without one.
int64_t StageCount(const plan::Mesh& mesh);

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_PLAN_MESH_H_
