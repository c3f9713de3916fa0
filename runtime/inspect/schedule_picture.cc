#include "runtime/inspect/schedule_picture.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace mpc::runtime {
namespace {

constexpr size_t kColumns = 150;

// (phase, piece of the model, microbatch).
using Key = std::tuple<plan::Phase, uint32_t, uint32_t>;

// A pass of a stage, and when it runs.
struct Pass {
  Key key;
  int begin = 0;
  int end = 0;
};

// The passes of all stages in time.
class Timeline {
 public:
  explicit Timeline(const plan::Plan& plan) {
    for (const plan::Role& role : plan.roles()) {
      std::vector<Pass>& passes = stages_.emplace_back();
      for (const plan::ScheduleEntry& entry : role.schedule()) {
        const plan::CommandList& list = role.lists(entry.list());
        if (list.phase() != plan::PHASE_FORWARD &&
            list.phase() != plan::PHASE_BACKWARD &&
            list.phase() != plan::PHASE_WEIGHT)
          continue;
        splits_weights_ |= list.phase() == plan::PHASE_WEIGHT;
        pieces_ = std::max(pieces_, list.chunk() + 1);
        passes.push_back({{list.phase(), list.chunk(), entry.microbatch()}});
      }
    }
    std::vector<size_t> next(stages_.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t stage = 0; stage < stages_.size(); ++stage)
        for (; next[stage] < stages_[stage].size() && Place(stage, next[stage]);
             ++next[stage])
          moved = true;
    }
  }

  const std::vector<std::vector<Pass>>& stages() const { return stages_; }
  uint32_t pieces() const { return pieces_; }

 private:
  // Places a pass behind the stage's last one and what it reads; false if that
  // has no place yet.
  bool Place(size_t stage, size_t index) {
    Pass& pass = stages_[stage][index];
    const auto [phase, piece, microbatch] = pass.key;
    pass.begin = index == 0 ? 0 : stages_[stage][index - 1].end;
    std::optional<uint32_t> source;
    if (phase == plan::PHASE_FORWARD && piece > 0) source = piece - 1;
    if (phase == plan::PHASE_BACKWARD && piece + 1 < pieces_) source = piece + 1;
    if (source) {
      const auto read = ends_.find({phase, *source, microbatch});
      if (read == ends_.end()) return false;
      pass.begin = std::max(pass.begin, read->second);
    }
    const bool is_long = phase == plan::PHASE_BACKWARD && !splits_weights_;
    pass.end = pass.begin + (is_long ? 2 : 1);
    ends_[pass.key] = pass.end;
    return true;
  }

  std::vector<std::vector<Pass>> stages_;
  std::map<Key, int> ends_;
  uint32_t pieces_ = 0;
  bool splits_weights_ = false;
};

std::string Label(const Key& key, size_t stages, uint32_t pieces) {
  const auto [phase, piece, microbatch] = key;
  const char* letter = phase == plan::PHASE_FORWARD    ? "F"
                       : phase == plan::PHASE_BACKWARD ? "B"
                                                       : "W";
  if (pieces == stages) return absl::StrCat(letter, microbatch);
  return absl::StrCat(letter, microbatch, ".", piece / stages);
}

}  // namespace

std::string PrintSchedulePicture(const plan::Plan& plan) {
  const Timeline timeline(plan);
  const size_t stages = timeline.stages().size();
  size_t width = 1;
  int units = 0, busy = 0;
  for (const std::vector<Pass>& passes : timeline.stages())
    for (const Pass& pass : passes) {
      width = std::max(width, Label(pass.key, stages, timeline.pieces()).size());
      units = std::max(units, pass.end);
      busy += pass.end - pass.begin;
    }
  if (units == 0) return "";
  std::string out;
  for (size_t stage = 0; stage < stages; ++stage) {
    std::string line;
    int time = 0;
    const auto add = [&](const std::string& label) {
      line += absl::StrFormat(" %-*s", width, label);
      ++time;
    };
    for (const Pass& pass : timeline.stages()[stage]) {
      while (time < pass.begin) add(".");
      add(Label(pass.key, stages, timeline.pieces()));
      while (time < pass.end) add("-");
    }
    while (time < units) add(".");
    if (line.size() > kColumns)
      line = line.substr(0, kColumns / (width + 1) * (width + 1)) + " ...";
    absl::StrAppend(&out, "  stage ", stage, " ", line, "\n");
  }
  const double bubble = 1 - static_cast<double>(busy) / (units * stages);
  absl::StrAppendFormat(
      &out,
      "  %d units, stages idle %.1f %% of the time if all passes of a kind take "
      "the same\n",
      units, 100 * bubble);
  return out;
}

}  // namespace mpc::runtime
