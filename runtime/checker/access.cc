#include "runtime/checker/access.h"

#include <utility>

namespace mpc::runtime {
namespace {

class Collector {
 public:
  void Read(const plan::Slice& slice) { Add(slice, false); }
  void Write(const plan::Slice& slice) { Add(slice, true); }

  void ReadInputs(const plan::AttentionCommand& attention) {
    Read(attention.query());
    Read(attention.key());
    Read(attention.value());
    // Absent where neither mask nor dropout needs them.
    if (attention.has_query_positions()) Read(attention.query_positions());
    if (attention.has_key_positions()) Read(attention.key_positions());
    if (attention.has_seed()) Read(attention.seed());
    if (attention.has_samples()) Read(attention.samples());
    if (attention.has_heads()) Read(attention.heads());
  }

  std::vector<Access> Take() { return std::move(accesses_); }

 private:
  void Add(const plan::Slice& slice, bool writes) {
    accesses_.push_back({slice.region(), RangeOf(slice), writes});
  }

  std::vector<Access> accesses_;
};

/// Of commands that have both.
template <typename Command>
void Move(const Command& command, Collector& collector) {
  collector.Read(command.source());
  collector.Write(command.destination());
}

}  // namespace

std::vector<Access> AccessesOf(const plan::Command& command) {
  Collector collector;
  switch (command.kind_case()) {
    case plan::Command::kGemm: {
      const plan::GemmCommand& gemm = command.gemm();
      collector.Read(gemm.left());
      collector.Read(gemm.right());
      if (gemm.accumulate()) collector.Read(gemm.destination());
      collector.Write(gemm.destination());
      break;
    }
    case plan::Command::kAttention: {
      const plan::AttentionCommand& attention = command.attention();
      collector.ReadInputs(attention);
      collector.Write(attention.output());
      collector.Write(attention.logsumexp());
      collector.Write(attention.workspace());
      break;
    }
    case plan::Command::kAttentionGrad: {
      const plan::AttentionGradCommand& grad = command.attention_grad();
      collector.ReadInputs(grad.forward());
      collector.Read(grad.forward().output());
      collector.Read(grad.forward().logsumexp());
      collector.Read(grad.output_grad());
      collector.Write(grad.forward().workspace());
      collector.Write(grad.query_grad());
      collector.Write(grad.key_grad());
      collector.Write(grad.value_grad());
      break;
    }
    case plan::Command::kKernel:
      for (const plan::Slice& input : command.kernel().inputs())
        collector.Read(input);
      for (const plan::Slice& output : command.kernel().outputs())
        collector.Write(output);
      break;
    case plan::Command::kCollectiveStart:
      Move(command.collective_start(), collector);
      break;
    case plan::Command::kShard:
      Move(command.shard(), collector);
      break;
    case plan::Command::kKeepOnFirst:
      Move(command.keep_on_first(), collector);
      break;
    case plan::Command::kCopy:
      Move(command.copy(), collector);
      break;
    case plan::Command::kFill:
      collector.Write(command.fill().destination());
      break;
    case plan::Command::kSendStart:
      collector.Read(command.send_start().source());
      break;
    case plan::Command::kReceiveStart:
      collector.Write(command.receive_start().destination());
      break;
    case plan::Command::kCollectiveWait:
    case plan::Command::kSendWait:
    case plan::Command::kReceiveWait:
    case plan::Command::KIND_NOT_SET:
      break;
  }
  return collector.Take();
}

RoleAccesses AccessesOf(const plan::Role& role) {
  RoleAccesses accesses;
  for (const plan::CommandList& list : role.lists()) {
    auto& commands = accesses.emplace_back();
    commands.reserve(list.commands_size());
    for (const plan::Command& command : list.commands())
      commands.push_back(AccessesOf(command));
  }
  return accesses;
}

}  // namespace mpc::runtime
