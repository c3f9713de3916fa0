// The loader never communicates: every rank reads what its shardings ask for.
#include "runtime/data/batch_loader.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

absl::Status CheckShape(const plan::Training& training,
                        const plan::State& state) {
  std::vector<int64_t> expected;
  if (state.slice().region() == plan::REGION_PERSISTENT)
    expected.push_back(training.microbatches());
  expected.push_back(training.global_batch() / training.microbatches());
  if (state.batch_input() != plan::BATCH_INPUT_SAMPLES)
    expected.push_back(training.sequence_length());
  const std::vector<int64_t> found(state.global_sizes().begin(),
                                   state.global_sizes().end());
  if (found != expected) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "batch input %s has sizes %s, expected %s: %d sequences of %d tokens "
        "in %d microbatches",
        state.name(), DescribeSizes(found), DescribeSizes(expected),
        training.global_batch(), training.sequence_length(),
        training.microbatches()));
  }
  if (state.type() != plan::DATA_TYPE_I32) {
    return absl::InvalidArgumentError(
        absl::StrCat("batch input ", state.name(), " is ",
                     DataTypeName(state.type()), ", expected i32"));
  }
  return absl::OkStatus();
}

}  // namespace

int32_t SampleOrdinal(int64_t sample) {
  return static_cast<int32_t>(static_cast<uint32_t>(sample));
}

BatchLoader::BatchLoader(const plan::Training& training,
                         const BatchSource* source, StateMemory memory)
    : source_(source),
      memory_(std::move(memory)),
      global_batch_(training.global_batch()),
      rows_(training.global_batch() / training.microbatches()) {}

absl::StatusOr<BatchLoader> BatchLoader::Create(const plan::Plan& plan,
                                                const plan::Role& role,
                                                int64_t rank,
                                                const BatchSource* source,
                                                StateMemory memory) {
  const plan::Training& training = plan.training();
  if (training.global_batch() % training.microbatches() != 0) {
    return absl::InvalidArgumentError(
        absl::StrFormat("%d sequences a step do not divide into %d "
                        "microbatches",
                        training.global_batch(), training.microbatches()));
  }
  BatchLoader loader(training, source, std::move(memory));
  for (int i = 0; i < role.states_size(); ++i) {
    const plan::State& state = role.states(i);
    if (state.kind() != plan::STATE_KIND_BATCH) continue;
    MPC_RETURN_IF_ERROR(CheckShape(training, state));
    Input input{i, state.batch_input(),
                state.slice().region() == plan::REGION_PERSISTENT,
                LocalBox(plan.mesh(), state, rank)};
    if (!input.persistent) {
      input.box.offsets.insert(input.box.offsets.begin(), 0);
      input.box.sizes.insert(input.box.sizes.begin(), 1);
    }
    if (input.kind == plan::BATCH_INPUT_SAMPLES) {
      input.box.offsets.push_back(0);
      input.box.sizes.push_back(1);
    }
    loader.inputs_.push_back(std::move(input));
  }
  return loader;
}

void BatchLoader::Fill(const Input& input, int64_t step,
                       int64_t first_microbatch,
                       absl::Span<int32_t> out) const {
  const Box& box = input.box;
  const int64_t positions = box.sizes[2];
  for (int64_t m = 0; m < box.sizes[0]; ++m) {
    for (int64_t r = 0; r < box.sizes[1]; ++r) {
      const int64_t microbatch = first_microbatch + box.offsets[0] + m;
      const int64_t row = box.offsets[1] + r;
      const int64_t sample = step * global_batch_ + microbatch * rows_ + row;
      auto line = out.subspan((m * box.sizes[1] + r) * positions, positions);
      switch (input.kind) {
        case plan::BATCH_INPUT_IDS:
          source_->ReadIds(sample, box.offsets[2], line);
          break;
        case plan::BATCH_INPUT_LABELS:
          source_->ReadLabels(sample, box.offsets[2], line);
          break;
        case plan::BATCH_INPUT_POSITIONS:
          source_->ReadPositions(sample, box.offsets[2], line);
          break;
        case plan::BATCH_INPUT_TOKEN_TYPES:
          std::fill(line.begin(), line.end(), 0);
          break;
        default:  // BATCH_INPUT_SAMPLES; the plan is valid.
          line[0] = SampleOrdinal(sample);
      }
    }
  }
}

void BatchLoader::LoadStep(int64_t step) const {
  for (const Input& input : inputs_)
    if (input.persistent) Fill(input, step, 0, memory_(input.state, 0));
}

void BatchLoader::LoadSlot(int64_t step, int64_t microbatch, int slot) const {
  for (const Input& input : inputs_)
    if (!input.persistent)
      Fill(input, step, microbatch, memory_(input.state, slot));
}

}  // namespace mpc::runtime
