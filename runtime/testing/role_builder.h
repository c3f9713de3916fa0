// Parts of plans made by hand for tests: what bigram_plan.h and pipeline_plan.h
// share.
#ifndef MPC_RUNTIME_TESTING_ROLE_BUILDER_H_
#define MPC_RUNTIME_TESTING_ROLE_BUILDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/plan/plan.pb.h"

namespace mpc::runtime {

/// Of the models and their kernels (bigram_kernels.cc); a step has kBatch
/// sequences of kSequence tokens.
inline constexpr int64_t kVocabulary = 8;
inline constexpr int64_t kSequence = 4;
inline constexpr int64_t kBatch = 8;

using Sizes = std::vector<int64_t>;
/// Indices into the mesh.
using Axes = std::vector<uint32_t>;

/// A plan without mesh and roles.
plan::Plan StartPlan(const std::string& model, int64_t parameter_count,
                     int64_t microbatches);

/// The axis as a list of one; none for size 1.
Axes AddAxis(plan::Plan& plan, const std::string& name, int64_t size);

Axes Join(Axes major, const Axes& minor);

/// Adds a role to a plan, in the order in which a step runs. Memory is never
/// reused.
class RoleBuilder {
 public:
  /// Adds a role for the next stage. The plan must outlive the builder.
  explicit RoleBuilder(plan::Plan* plan);

 protected:
  plan::Role& role() const { return *plan_->mutable_roles(stage_); }
  int64_t SizeOf(const Axes& axes) const;

  plan::Slice Transient(plan::DataType type, const Sizes& sizes);
  /// `split` has the axes of each dimension; missing ones are whole.
  plan::State& AddState(plan::StateKind kind, const std::string& name,
                        plan::DataType type, const Sizes& sizes,
                        std::vector<Axes> split = {}, const Axes& partial = {},
                        plan::Region region = plan::REGION_PERSISTENT);
  void AddBatch(const std::string& name, plan::BatchInput input,
                const Sizes& sizes, const std::vector<Axes>& split,
                plan::Region region);
  plan::Slice Of(plan::StateKind kind, const std::string& name) const;
  plan::Slice Metric(const std::string& name) const;

  /// Commands go to the list that began last. Its index.
  int BeginList(const std::string& name, plan::Phase phase,
                plan::Variant variant);
  plan::Command& Add(const std::string& location);
  void Kernel(const std::string& symbol, int64_t extent,
              const std::vector<plan::Slice>& inputs,
              const std::vector<plan::Slice>& outputs);
  plan::GemmCommand& Gemm(const std::string& location, int64_t rows,
                          int64_t inner, int64_t columns, plan::Slice left,
                          plan::Slice right, plan::Slice destination);
  /// destination = (or +=) Σ left·right over `inner` elements.
  plan::GemmCommand& Dot(const std::string& location, int64_t inner,
                         plan::Slice left, plan::Slice right,
                         plan::Slice destination);
  /// A copy where there are no axes.
  void Collective(plan::CollectiveKind kind, const Axes& axes,
                  const plan::Slice& source, const plan::Slice& destination);
  void AllReduce(const Axes& axes, const plan::Slice& source,
                 const plan::Slice& destination);
  void Fill(const plan::Slice& destination);

  void Schedule(int list, int64_t microbatch = 0, int64_t slot = 0,
                bool load_batch = false);
  /// Final after the last entry of the schedule so far.
  void Observe(const std::string& name, plan::StateKind kind,
               const std::string& location);

  /// Sets the sizes of the regions.
  void Finish(int64_t slots);

 private:
  plan::Plan* plan_;
  int stage_;
  uint64_t persistent_ = 0, slot_ = 0, transient_ = 0;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_TESTING_ROLE_BUILDER_H_
