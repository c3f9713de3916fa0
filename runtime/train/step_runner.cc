// Whatever differs from step to step is written here; the program itself is the
// same in every step.
#include "runtime/train/step_runner.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "runtime/status_macros.h"
#include "runtime/train/learning_rate.h"

namespace mpc::runtime {
namespace {

constexpr char kLearningRate[] = "learning_rate";
constexpr char kSeed[] = "seed";

}  // namespace

absl::StatusOr<StepRunner> StepRunner::Create(RankProgram* program,
                                              const BatchSource* source,
                                              uint32_t seed) {
  for (int index : program->StatesOfKind(plan::STATE_KIND_INPUT_SCALAR)) {
    const std::string& name = program->role().states(index).name();
    if (name != kLearningRate && name != kSeed) {
      return absl::InvalidArgumentError(
          absl::StrCat("input scalar ", name, " is unknown, expected ",
                       kLearningRate, " or ", kSeed));
    }
  }
  MPC_ASSIGN_OR_RETURN(
      BatchLoader loader,
      BatchLoader::Create(program->plan(), program->role(), program->rank(),
                          source, [program](int state, int slot) {
                            return program->StateData<int32_t>(state, slot);
                          }));
  return StepRunner(program, std::move(loader), seed);
}

float StepRunner::LearningRate(int64_t step) const {
  return static_cast<float>(
      LearningRateOf(program_->plan().training().learning_rate(), step));
}

absl::Status StepRunner::WriteInputs(int64_t step) {
  for (int index : program_->StatesOfKind(plan::STATE_KIND_INPUT_SCALAR)) {
    const std::string& name = program_->role().states(index).name();
    const double value = name == kSeed ? seed_ : LearningRate(step);
    MPC_RETURN_IF_ERROR(
        program_->WriteScalar(plan::STATE_KIND_INPUT_SCALAR, name, value));
  }
  return absl::OkStatus();
}

absl::Status StepRunner::Run(
    int64_t step, const std::function<absl::Status(int entry)>& after_entry) {
  MPC_RETURN_IF_ERROR(WriteInputs(step));
  const int64_t ordinal = step - 1;
  loader_.LoadStep(ordinal);
  StepCallbacks callbacks;
  callbacks.load_batch = [&](const plan::ScheduleEntry& entry) {
    loader_.LoadSlot(ordinal, entry.microbatch(), entry.slot());
    return absl::OkStatus();
  };
  callbacks.after_entry = after_entry;
  return program_->RunStep(callbacks);
}

}  // namespace mpc::runtime
