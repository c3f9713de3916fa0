// Sizes of operands as work.
#include "runtime/simulate/work_of.h"

#include <algorithm>
#include <variant>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/mesh.h"

namespace mpc::runtime {
namespace {

cluster::ElementType ElementTypeOf(plan::DataType type) {
  switch (type) {
    case plan::DATA_TYPE_BF16:
      return cluster::ElementType::kBf16;
    case plan::DATA_TYPE_F16:
      return cluster::ElementType::kF16;
    default:
      return cluster::ElementType::kF32;
  }
}

cluster::Product ProductOf(const plan::GemmCommand& gemm) {
  cluster::Product product;
  product.rows = gemm.rows();
  product.inner = gemm.inner();
  product.columns = gemm.columns();
  for (const auto& batch : gemm.batch()) product.count *= batch.count();
  product.type = ElementTypeOf(gemm.left().type());
  return product;
}

cluster::Attention AttentionOf(const plan::AttentionCommand& command,
                               bool gradient) {
  const plan::Slice& query = command.query();
  cluster::Attention attention;
  attention.heads = query.sizes(0) * query.sizes(2) * query.sizes(3);
  attention.queries = query.sizes(1);
  attention.keys = command.key().sizes(1);
  attention.depth = query.sizes(4);
  attention.causal = command.causal();
  attention.gradient = gradient;
  attention.type = ElementTypeOf(query.type());
  return attention;
}

// An embedding copies a row of its first operand, the table, for each token.
cluster::Traffic TrafficOf(const plan::KernelCommand& command,
                           absl::string_view description) {
  cluster::Traffic traffic;
  for (const plan::Slice& slice : command.outputs())
    traffic.bytes += ElementBytes(slice);
  const int64_t written = traffic.bytes;
  const bool gathers = absl::StrContains(description, "embedding") &&
                       !absl::StrContains(description, "grad") &&
                       command.inputs_size() > 0;
  for (int i = 0; i < command.inputs_size(); ++i) {
    const int64_t bytes = ElementBytes(command.inputs(i));
    traffic.bytes += gathers && i == 0 ? std::min(bytes, written) : bytes;
  }
  return traffic;
}

cluster::Traffic Moving(const plan::Slice& source,
                        const plan::Slice& destination) {
  return {std::min(ElementBytes(source), ElementBytes(destination)) +
              ElementBytes(destination),
          0};
}

}  // namespace

int64_t ElementBytes(const plan::Slice& slice) {
  return ElementCount(slice.sizes()) * DataTypeBytes(slice.type());
}

std::optional<cluster::Work> WorkOf(const plan::Plan& plan,
                                    const plan::Command& command) {
  switch (command.kind_case()) {
    case plan::Command::kGemm:
      return ProductOf(command.gemm());
    case plan::Command::kAttention:
      return AttentionOf(command.attention(), /*gradient=*/false);
    case plan::Command::kAttentionGrad:
      return AttentionOf(command.attention_grad().forward(),
                         /*gradient=*/true);
    case plan::Command::kKernel:
      return TrafficOf(
          command.kernel(),
          plan.target().kernels(command.kernel().kernel()).description());
    case plan::Command::kShard:
      return Moving(command.shard().source(), command.shard().destination());
    case plan::Command::kKeepOnFirst:
      return Moving(command.keep_on_first().source(),
                    command.keep_on_first().destination());
    case plan::Command::kCopy:
      return Moving(command.copy().source(), command.copy().destination());
    case plan::Command::kFill:
      return cluster::Traffic{ElementBytes(command.fill().destination()), 0};
    case plan::Command::kCollectiveStart:
    case plan::Command::kCollectiveWait:
    case plan::Command::kSendStart:
    case plan::Command::kSendWait:
    case plan::Command::kReceiveStart:
    case plan::Command::kReceiveWait:
    case plan::Command::KIND_NOT_SET:
      break;
  }
  return std::nullopt;
}

double FlopsOf(const cluster::Work& work) {
  if (const auto* product = std::get_if<cluster::Product>(&work))
    return product->flops();
  if (const auto* attention = std::get_if<cluster::Attention>(&work))
    return attention->flops();
  return 0;
}

cluster::Transfer TransferOf(const plan::Plan& plan,
                             const plan::CollectiveStartCommand& start) {
  cluster::Transfer transfer;
  switch (start.kind()) {
    case plan::COLLECTIVE_KIND_ALL_GATHER:
      transfer.kind = cluster::CollectiveKind::kAllGather;
      break;
    case plan::COLLECTIVE_KIND_REDUCE_SCATTER:
      transfer.kind = cluster::CollectiveKind::kReduceScatter;
      break;
    case plan::COLLECTIVE_KIND_ALL_TO_ALL:
      transfer.kind = cluster::CollectiveKind::kAllToAll;
      break;
    default:
      transfer.kind = cluster::CollectiveKind::kAllReduce;
  }
  transfer.bytes =
      std::max(ElementBytes(start.source()), ElementBytes(start.destination()));
  transfer.group = PlacesOf(plan.mesh(), plan.groups(start.group()));
  return transfer;
}

cluster::Group PlacesOf(const plan::Mesh& mesh, const plan::Group& group) {
  cluster::Group places;
  int64_t stride = 1;
  bool innermost = true;
  for (int axis = mesh.axes_size() - 1; axis >= 0; --axis) {
    const int64_t size = mesh.axes(axis).size();
    if (absl::c_linear_search(group.axes(), static_cast<uint32_t>(axis))) {
      if (innermost) places.stride = stride;
      innermost = false;
      places.size *= size;
      places.span += (size - 1) * stride;
    }
    stride *= size;
  }
  return places;
}

}  // namespace mpc::runtime
