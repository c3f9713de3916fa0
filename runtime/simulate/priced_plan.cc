// One pass over each list.
#include "runtime/simulate/priced_plan.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "runtime/inspect/names.h"
#include "runtime/plan/layout.h"
#include "runtime/simulate/work_of.h"

namespace mpc::runtime {
namespace {

/// Where the gradients of a role's parameters are summed up.
class Accumulators {
 public:
  explicit Accumulators(const plan::Role& role) {
    for (const plan::State& state : role.states())
      if (state.kind() == plan::STATE_KIND_ACCUMULATOR &&
          state.slice().region() == plan::REGION_PERSISTENT)
        ranges_.emplace_back(
            state.slice().offset_bytes(),
            state.slice().offset_bytes() + SpanBytes(state.slice()));
    std::sort(ranges_.begin(), ranges_.end());
  }

  bool Hold(const plan::Slice& slice) const {
    if (slice.region() != plan::REGION_PERSISTENT) return false;
    auto next =
        std::upper_bound(ranges_.begin(), ranges_.end(),
                         std::make_pair(slice.offset_bytes(), ~uint64_t{0}));
    return next != ranges_.begin() &&
           slice.offset_bytes() < std::prev(next)->second;
  }

 private:
  std::vector<std::pair<uint64_t, uint64_t>> ranges_;
};

/// Calls `visit` with each slice of a message, however deep.
template <typename Visit>
void VisitSlices(const google::protobuf::Message& message, const Visit& visit) {
  if (message.GetDescriptor() == plan::Slice::descriptor())
    return visit(static_cast<const plan::Slice&>(message));
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const google::protobuf::FieldDescriptor* field : fields) {
    if (field->message_type() == nullptr) continue;
    if (!field->is_repeated()) {
      VisitSlices(reflection.GetMessage(message, field), visit);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i)
      VisitSlices(reflection.GetRepeatedMessage(message, field, i), visit);
  }
}

class Pricer {
 public:
  Pricer(const plan::Plan& plan, const cluster::Pricing& pricing)
      : plan_(plan), pricing_(pricing) {}

  PricedPlan Price() && {
    priced_.categories.push_back("messages");
    for (const plan::Role& role : plan_.roles()) {
      const Accumulators accumulators(role);
      std::vector<PricedList>& lists = priced_.roles.emplace_back();
      for (const plan::CommandList& list : role.lists())
        lists.push_back(PriceList(list, accumulators));
    }
    for (const auto& [type, flops] : flops_by_type_)
      if (flops > flops_by_type_[priced_.type]) priced_.type = type;
    return std::move(priced_);
  }

 private:
  PricedList PriceList(const plan::CommandList& list,
                       const Accumulators& accumulators) {
    PricedList priced;
    PricedStep step;
    bool in_backward = list.phase() == plan::PHASE_BACKWARD;
    for (const plan::Command& command : list.commands()) {
      VisitSlices(command, [&](const plan::Slice& slice) {
        if (slice.region() == plan::REGION_TRANSIENT)
          priced.transient_bytes = std::max<uint64_t>(
              priced.transient_bytes, slice.offset_bytes() + SpanBytes(slice));
      });
      if (const auto work = WorkOf(plan_, command)) {
        const double seconds = pricing_.Seconds(*work);
        step.seconds += seconds;
        AddComputing(*work, seconds, priced.computing);
        priced.flops.hardware += FlopsOf(*work);
        priced.flops.model +=
            ModelFlops(command, *work, accumulators, &in_backward);
        continue;
      }
      SetCommunication(command, step);
      if (step.kind == PricedStep::kCollectiveStart)
        priced.handles = std::max(priced.handles, step.number + 1);
      priced.steps.push_back(std::exchange(step, {}));
    }
    priced.steps.push_back(step);
    return priced;
  }

  void AddComputing(const cluster::Work& work, double seconds,
                    ComputeSeconds& computing) {
    if (const auto* product = std::get_if<cluster::Product>(&work)) {
      computing.products += seconds;
      flops_by_type_[product->type] += product->flops();
    } else if (std::holds_alternative<cluster::Attention>(work)) {
      computing.attention += seconds;
    } else {
      computing.kernels += seconds;
    }
  }

  // A linear layer has one product for its weight's gradient, as large as that
  // of its forward pass. Attention has no weight: fused, its forward pass is
  // two fifths of the gradient command; unfused, it is the batched products of
  // the forward pass, which ends where the first gradient of a weight is.
  static double ModelFlops(const plan::Command& command,
                           const cluster::Work& work,
                           const Accumulators& accumulators,
                           bool* in_backward) {
    if (command.has_attention_grad()) return 3 * FlopsOf(work) * 2 / 5;
    if (!command.has_gemm()) return 0;
    if (accumulators.Hold(command.gemm().destination())) {
      // Sums of losses and of biases are no layers.
      if (command.gemm().rows() == 1 || command.gemm().columns() == 1) return 0;
      *in_backward = true;
      return 3 * FlopsOf(work);
    }
    const bool is_scores = command.gemm().batch_size() > 0 && !*in_backward;
    return is_scores ? 3 * FlopsOf(work) : 0;
  }

  void SetCommunication(const plan::Command& command, PricedStep& step) {
    switch (command.kind_case()) {
      case plan::Command::kCollectiveStart:
        step.kind = PricedStep::kCollectiveStart;
        step.number = command.collective_start().handle();
        step.argument = CollectiveOf(command.collective_start());
        break;
      case plan::Command::kCollectiveWait:
        step.kind = PricedStep::kCollectiveWait;
        step.number = command.collective_wait().handle();
        break;
      case plan::Command::kSendStart:
        step.kind = PricedStep::kSendStart;
        step.number = command.send_start().channel();
        step.argument = ElementBytes(command.send_start().source());
        break;
      case plan::Command::kSendWait:
        step.kind = PricedStep::kSendWait;
        step.number = command.send_wait().channel();
        break;
      case plan::Command::kReceiveStart:
        step.kind = PricedStep::kReceiveStart;
        step.number = command.receive_start().channel();
        break;
      default:
        step.kind = PricedStep::kReceiveWait;
        step.number = command.receive_wait().channel();
    }
  }

  uint64_t CollectiveOf(const plan::CollectiveStartCommand& start) {
    const cluster::Transfer transfer = TransferOf(plan_, start);
    const auto [found, is_new] =
        collectives_.try_emplace({start.kind(), start.group(), transfer.bytes},
                                 priced_.collectives.size());
    if (is_new)
      priced_.collectives.push_back({pricing_.Parts(transfer), start.group(),
                                     transfer.bytes, CategoryOf(start)});
    return found->second;
  }

  int CategoryOf(const plan::CollectiveStartCommand& start) {
    const std::string name = absl::StrCat(
        CollectiveKindName(start.kind()), " ",
        absl::StrJoin(plan_.groups(start.group()).axes(), " ",
                      [&](std::string* out, uint32_t axis) {
                        absl::StrAppend(out, plan_.mesh().axes(axis).name());
                      }));
    std::vector<std::string>& all = priced_.categories;
    const auto found = std::find(all.begin(), all.end(), name);
    if (found != all.end()) return found - all.begin();
    all.push_back(name);
    return all.size() - 1;
  }

  const plan::Plan& plan_;
  const cluster::Pricing& pricing_;
  PricedPlan priced_;
  std::map<std::tuple<int, uint32_t, int64_t>, uint64_t> collectives_;
  std::map<cluster::ElementType, double> flops_by_type_;
};

}  // namespace

void ComputeSeconds::Add(const ComputeSeconds& other, double times) {
  products += times * other.products;
  attention += times * other.attention;
  kernels += times * other.kernels;
}

PricedPlan PricePlan(const plan::Plan& plan, const cluster::Pricing& pricing) {
  return Pricer(plan, pricing).Price();
}

}  // namespace mpc::runtime
