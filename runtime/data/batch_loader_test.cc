#include "runtime/data/batch_loader.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/plan/mesh.h"

namespace mpc::runtime {
namespace {

using ::testing::HasSubstr;

// The id of position p of sample i is 1000 i + p, its label 1 more; odd samples
// have no label at position 0. The last position of a sample is padding.
class NumberedSamples : public BatchSource {
 public:
  void ReadIds(int64_t sample, int64_t begin,
               absl::Span<int32_t> ids) const override {
    for (size_t i = 0; i < ids.size(); ++i) ids[i] = 1000 * sample + begin + i;
  }
  void ReadLabels(int64_t sample, int64_t begin,
                  absl::Span<int32_t> labels) const override {
    for (size_t i = 0; i < labels.size(); ++i) {
      const int64_t position = begin + i;
      labels[i] =
          sample % 2 == 1 && position == 0 ? -1 : 1000 * sample + position + 1;
    }
  }
  void ReadPositions(int64_t, int64_t begin,
                     absl::Span<int32_t> positions) const override {
    for (size_t i = 0; i < positions.size(); ++i)
      positions[i] = begin + i == 7 ? -1 : begin + i;
  }
};

// How the batch is split: axes of the mesh of rows and positions.
struct Layout {
  std::string mesh;
  std::vector<uint32_t> row_axes;
  std::vector<uint32_t> position_axes;
};

constexpr int64_t kLength = 8;
constexpr int64_t kGlobalBatch = 8;

void SetAxes(plan::Sharding::Dimension* dimension,
             const std::vector<uint32_t>& axes) {
  for (uint32_t axis : axes) dimension->add_axes(axis);
}

// Adds a BATCH state whose slice has the sizes of a rank's part.
void AddInput(plan::Plan& plan, const Layout& layout, plan::BatchInput input,
              bool persistent) {
  plan::State* state = plan.mutable_roles(0)->add_states();
  state->set_kind(plan::STATE_KIND_BATCH);
  state->set_name(plan::BatchInput_Name(input));
  state->set_batch_input(input);
  state->set_type(plan::DATA_TYPE_I32);
  state->mutable_slice()->set_region(persistent ? plan::REGION_PERSISTENT
                                                : plan::REGION_SLOT);
  plan::Sharding* sharding = state->mutable_sharding();
  if (persistent) {
    state->add_global_sizes(plan.training().microbatches());
    sharding->add_dimensions();
  }
  state->add_global_sizes(kGlobalBatch / plan.training().microbatches());
  SetAxes(sharding->add_dimensions(), layout.row_axes);
  if (input != plan::BATCH_INPUT_SAMPLES) {
    state->add_global_sizes(kLength);
    SetAxes(sharding->add_dimensions(), layout.position_axes);
  }
}

plan::Plan MakePlan(const Layout& layout, int64_t microbatches,
                    bool persistent) {
  plan::Plan plan;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      layout.mesh, plan.mutable_mesh()));
  plan.mutable_training()->set_sequence_length(kLength);
  plan.mutable_training()->set_global_batch(kGlobalBatch);
  plan.mutable_training()->set_microbatches(microbatches);
  plan.add_roles();
  for (plan::BatchInput input :
       {plan::BATCH_INPUT_IDS, plan::BATCH_INPUT_LABELS,
        plan::BATCH_INPUT_POSITIONS, plan::BATCH_INPUT_SAMPLES,
        plan::BATCH_INPUT_TOKEN_TYPES})
    AddInput(plan, layout, input, persistent);
  return plan;
}

int64_t Count(const Box& box) { return ElementCount(box.sizes); }

// What the loaders of all ranks put at each (sample of the step, position) of
// each input; values of replicas must agree.
using Batch = std::map<std::pair<int64_t, int64_t>, int32_t>;

// Enters one rank's part of one microbatch into `batch`.
void Enter(Batch& batch, int64_t first_sample, const Box& box, int rank_of_box,
           absl::Span<const int32_t> values) {
  const bool has_positions = static_cast<int>(box.sizes.size()) > rank_of_box;
  const int64_t rows = box.sizes[rank_of_box - 1];
  const int64_t columns = has_positions ? box.sizes[rank_of_box] : 1;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      const int64_t sample = first_sample + box.offsets[rank_of_box - 1] + r;
      const int64_t position = has_positions ? box.offsets[rank_of_box] + c : 0;
      const int32_t value = values[r * columns + c];
      const auto [place, is_new] =
          batch.emplace(std::make_pair(sample, position), value);
      EXPECT_EQ(place->second, value) << "replicas differ";
    }
  }
}

// Loads step `step` on all ranks and joins the parts, one batch an input.
std::vector<Batch> LoadGlobalBatch(const Layout& layout, int64_t microbatches,
                                   bool persistent, int64_t step) {
  const plan::Plan plan = MakePlan(layout, microbatches, persistent);
  const plan::Role& role = plan.roles(0);
  const NumberedSamples source;
  const int64_t rows = kGlobalBatch / microbatches;
  std::vector<Batch> batches(role.states_size());
  for (int64_t rank = 0; rank < RankCount(plan.mesh()); ++rank) {
    std::map<std::pair<int, int>, std::vector<int32_t>> memory;
    auto loader = BatchLoader::Create(
        plan, role, rank, &source, [&](int state, int slot) {
          auto& values = memory[{state, slot}];
          values.resize(Count(LocalBox(plan.mesh(), role.states(state), rank)),
                        5);
          return absl::MakeSpan(values);
        });
    EXPECT_TRUE(loader.ok()) << loader.status();
    loader->LoadStep(step);
    for (int64_t m = 0; m < microbatches; ++m) {
      if (!persistent) loader->LoadSlot(step, m, /*slot=*/3);
      for (int s = 0; s < role.states_size(); ++s) {
        const Box box = LocalBox(plan.mesh(), role.states(s), rank);
        absl::Span<const int32_t> values = memory[{s, persistent ? 0 : 3}];
        if (persistent) {
          const size_t size = values.size() / microbatches;
          values = values.subspan(m * size, size);
        }
        Enter(batches[s], m * rows, box, persistent ? 2 : 1, values);
      }
    }
  }
  return batches;
}

TEST(BatchLoaderTest, EveryLayoutLoadsTheSameGlobalBatch) {
  const std::string dp2_tp2 =
      "axes { name: 'dp' size: 2 } axes { name: 'tp' size: 2 }";
  const std::vector<Layout> layouts = {
      {"", {}, {}},
      {"axes { name: 'tp' size: 4 }", {}, {}},
      {"axes { name: 'dp' size: 2 }", {0}, {}},
      {dp2_tp2, {0}, {}},
      {dp2_tp2, {0}, {1}},
      {dp2_tp2, {1, 0}, {}},
      {"axes { name: 'cp' size: 4 }", {}, {0}},
  };
  constexpr int64_t kStep = 3;
  for (size_t l = 0; l < layouts.size(); ++l) {
    for (int64_t microbatches : {1, 2}) {
      for (bool persistent : {false, true}) {
        SCOPED_TRACE(::testing::Message()
                     << "layout " << l << " microbatches " << microbatches
                     << " persistent " << persistent);
        const std::vector<Batch> batches =
            LoadGlobalBatch(layouts[l], microbatches, persistent, kStep);
        for (int64_t j = 0; j < kGlobalBatch; ++j) {
          const int64_t sample = kStep * kGlobalBatch + j;
          for (int64_t p = 0; p < kLength; ++p) {
            EXPECT_EQ(batches[0].at({j, p}), 1000 * sample + p);
            EXPECT_EQ(batches[1].at({j, p}),
                      sample % 2 == 1 && p == 0 ? -1 : 1000 * sample + p + 1);
            EXPECT_EQ(batches[2].at({j, p}), p == 7 ? -1 : p);
            EXPECT_EQ(batches[4].at({j, p}), 0);
          }
          EXPECT_EQ(batches[3].at({j, 0}), sample);
        }
        EXPECT_EQ(batches[0].size(), kGlobalBatch * kLength);
      }
    }
  }
}

TEST(BatchLoaderTest, ShapesThatDoNotFitTheTrainingAreRefused) {
  const NumberedSamples source;
  plan::Plan plan = MakePlan({"", {}, {}}, 2, /*persistent=*/false);
  plan.mutable_roles(0)->mutable_states(0)->set_global_sizes(0, 5);
  EXPECT_THAT(
      std::string(BatchLoader::Create(plan, plan.roles(0), 0, &source, nullptr)
                      .status()
                      .message()),
      HasSubstr("BATCH_INPUT_IDS has sizes [5, 8], expected [4, 8]"));
  plan = MakePlan({"", {}, {}}, 2, /*persistent=*/false);
  plan.mutable_roles(0)->mutable_states(3)->set_type(plan::DATA_TYPE_F32);
  EXPECT_THAT(
      std::string(BatchLoader::Create(plan, plan.roles(0), 0, &source, nullptr)
                      .status()
                      .message()),
      HasSubstr("BATCH_INPUT_SAMPLES is f32, expected i32"));
}

TEST(SampleOrdinalTest, OrdinalsGoOnModuloTwoToThe32) {
  EXPECT_EQ(SampleOrdinal(5), 5);
  EXPECT_EQ(SampleOrdinal((int64_t{1} << 32) + 5), 5);
  EXPECT_EQ(SampleOrdinal((int64_t{1} << 31)), INT32_MIN);
}

}  // namespace
}  // namespace mpc::runtime
