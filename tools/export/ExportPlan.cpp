//===- ExportPlan.cpp - exec ops to a plan ----------------------*- C++ -*-===//

#include "tools/export/ExportPlan.h"

#include "dialects/transformer/IR/Transformer.h"
#include "passes/lowering/VerifyExec.h"
#include "tools/export/PlanMessages.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mpc {
namespace {

/// As the user would write it: what is not the default.
std::string describe(tfm::StrategyAttr strategy) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "tp=" << strategy.getTp();
  if (strategy.getPp() > 1)
    os << " pp=" << strategy.getPp();
  os << " dp=" << strategy.getDp()
     << " microbatches=" << strategy.getMicrobatches();
  if (strategy.getChunks() > 1)
    os << " chunks=" << strategy.getChunks();
  if (DenseI64ArrayAttr stages = strategy.getStages()) {
    os << " stages=";
    llvm::interleave(stages.asArrayRef(), os, ",");
  }
  if (StringAttr recompute = strategy.getRecompute())
    os << " recompute=" << recompute.getValue();
  if (StringAttr attention = strategy.getAttention())
    os << " attention=" << attention.getValue();
  if (StringAttr schedule = strategy.getSchedule())
    os << " schedule=" << schedule.getValue();
  if (strategy.getSequenceParallel())
    os << " sequence_parallel=true";
  if (strategy.getZero() != 0)
    os << " zero=" << strategy.getZero();
  if (strategy.getStrict())
    os << " strict=true";
  if (strategy.getReference())
    os << " reference=true";
  return text;
}

void convert(exec::TargetOp op, ModuleOp module, plan::Target &message) {
  message.set_device(plan::DEVICE_KIND_CPU);
  message.set_triple(op.getTriple().str());
  for (StringRef feature : op.getFeatures().getAsValueRange<StringAttr>())
    message.add_cpu_features(feature.str());
  if (std::optional<DenseResourceElementsAttr> object = op.getObject()) {
    ArrayRef<char> bytes = object->getRawHandle().getBlob()->getData();
    message.set_object(bytes.data(), bytes.size());
  }
  for (auto kernel : module.getOps<exec::KernelOp>()) {
    plan::Kernel &added = *message.add_kernels();
    added.set_symbol(kernel.getSymName().str());
    added.set_extent(kernel.getExtent());
    added.set_description(kernel.getDescription().str());
  }
}

void convert(tfm::TrainingAttr training, int64_t microbatches,
             plan::Training &message) {
  message.set_sequence_length(training.getSequenceLength());
  message.set_global_batch(training.getGlobalBatch());
  message.set_microbatches(microbatches);
  message.set_vocabulary(training.getVocabulary());
  plan::LearningRate &rate = *message.mutable_learning_rate();
  rate.set_learning_rate(training.getLearningRate().getValueAsDouble());
  rate.set_min_learning_rate(training.getMinLearningRate().getValueAsDouble());
  rate.set_warmup_steps(training.getWarmupSteps());
  rate.set_decay_steps(training.getDecaySteps());
}

void convert(tfm::MaskingAttr masking, plan::Masking &message) {
  message.set_mask_token(masking.getMaskToken());
  if (masking.getPadToken() >= 0)
    message.set_pad_token(masking.getPadToken());
  for (int64_t token : masking.getSpecialTokens().asArrayRef())
    message.add_special_tokens(token);
  message.set_rate(masking.getRate().getValueAsDouble());
  message.set_mask_share(masking.getMaskShare().getValueAsDouble());
  message.set_random_share(masking.getRandomShare().getValueAsDouble());
}

plan::Phase convert(exec::ListPhase phase) {
  switch (phase) {
  case exec::ListPhase::Prologue:
    return plan::PHASE_PROLOGUE;
  case exec::ListPhase::Forward:
    return plan::PHASE_FORWARD;
  case exec::ListPhase::Backward:
    return plan::PHASE_BACKWARD;
  case exec::ListPhase::ForwardBackward:
    return plan::PHASE_FORWARD_BACKWARD;
  case exec::ListPhase::Weight:
    return plan::PHASE_WEIGHT;
  case exec::ListPhase::Update:
    return plan::PHASE_UPDATE;
  case exec::ListPhase::Transfer:
    return plan::PHASE_TRANSFER;
  }
  llvm_unreachable("phase of another version");
}

plan::Variant convert(exec::Variant variant) {
  switch (variant) {
  case exec::Variant::Only:
    return plan::VARIANT_ONLY;
  case exec::Variant::First:
    return plan::VARIANT_FIRST;
  case exec::Variant::Middle:
    return plan::VARIANT_MIDDLE;
  case exec::Variant::Last:
    return plan::VARIANT_LAST;
  }
  llvm_unreachable("variant of another version");
}

/// Fills the message of one role.
class RoleConverter {
public:
  RoleConverter(PlanIndex &index, plan::Role &message)
      : index(index), message(message) {}

  void convertRole(exec::RoleOp role) {
    message.set_stage(role.getStage());
    message.set_persistent_bytes(role.getPersistentBytes());
    message.set_slot_bytes(role.getSlotBytes());
    message.set_slots(role.getSlots());
    message.set_transient_bytes(role.getTransientBytes());
    for (auto state : role.getOps<exec::StateOp>()) {
      states[{(int)state.getKind(), state.getNameAttr()}] =
          message.states_size();
      convertState(state, *message.add_states());
    }
    for (auto list : role.getOps<exec::ListOp>())
      convertList(list, *message.add_lists());
    for (auto run : role.getOps<exec::RunOp>()) {
      plan::ScheduleEntry &entry = *message.add_schedule();
      entry.set_list(lists.lookup(run.getList()));
      entry.set_microbatch(run.getMicrobatch());
      entry.set_slot(run.getSlot());
      entry.set_load_batch(run.getLoadBatch());
    }
    for (auto observe : role.getOps<exec::ObserveOp>()) {
      plan::Observable &observable = *message.add_observables();
      observable.set_name(observe.getName().str());
      observable.set_state(
          states.lookup({(int)observe.getKind(), observe.getStateAttr()}));
      observable.set_schedule_entry(observe.getEntry());
      if (std::optional<StringRef> location = observe.getLocation())
        observable.set_location(location->str());
    }
  }

private:
  void convertList(exec::ListOp list, plan::CommandList &added) {
    lists.insert({list.getSymName(), lists.size()});
    added.set_name(list.getSymName().str());
    added.set_phase(convert(list.getPhase()));
    added.set_variant(convert(list.getVariant()));
    added.set_chunk(list.getPiece());
    for (Operation &command : list.getBody().front())
      convertCommand(&command, index, *added.add_commands());
  }

  PlanIndex &index;
  plan::Role &message;
  llvm::DenseMap<std::pair<int, StringAttr>, unsigned> states;
  llvm::StringMap<unsigned> lists;
};

/// Elements of all masters, without padding.
int64_t countParameters(exec::RoleOp role) {
  int64_t count = 0;
  for (auto state : role.getOps<exec::StateOp>()) {
    if (state.getKind() != exec::StateKind::Master)
      continue;
    int64_t elements = 1;
    for (int64_t size : state.getLogical())
      elements *= size;
    count += elements;
  }
  return count;
}

} // namespace

FailureOr<plan::Plan> exportPlan(ModuleOp module, StringRef compilerVersion) {
  if (failed(verifyExec(module)))
    return failure();
  tfm::TrainingAttr training = tfm::getTraining(module);
  if (!training)
    return module.emitOpError("has no tfm.training, which a plan needs");
  tfm::StrategyAttr strategy = tfm::getStrategy(module);
  plan::Plan plan;
  plan.set_version(1);
  plan.set_compiler_version(compilerVersion.str());
  if (strategy)
    plan.set_strategy(describe(strategy));
  if (StringAttr hash = tfm::getModelHash(module))
    plan.set_model_hash(hash.str());
  if (StringAttr name = tfm::getModelName(module))
    plan.set_model_name(name.str());
  convert(*module.getOps<exec::TargetOp>().begin(), module,
          *plan.mutable_target());
  convert(training, strategy ? strategy.getMicrobatches() : 1,
          *plan.mutable_training());
  if (tfm::MaskingAttr masking = tfm::getMasking(module))
    convert(masking, *plan.mutable_training()->mutable_masking());
  dist::MeshAttr mesh = (*module.getOps<exec::RoleOp>().begin()).getMesh();
  for (auto [name, size] : llvm::zip_equal(mesh.getAxes(), mesh.getSizes())) {
    plan::Mesh::Axis &axis = *plan.mutable_mesh()->add_axes();
    axis.set_name(name.str());
    axis.set_size(size);
  }
  PlanIndex index(module, mesh);
  int64_t parameters = 0;
  for (auto role : module.getOps<exec::RoleOp>()) {
    RoleConverter(index, *plan.add_roles()).convertRole(role);
    parameters += countParameters(role);
  }
  plan.set_parameter_count(parameters);
  for (dist::AxesAttr axes : index.getGroups())
    convertAxes(mesh, axes, *plan.add_groups());
  for (auto channel : module.getOps<exec::ChannelOp>()) {
    plan::Channel &added = *plan.add_channels();
    added.set_name(channel.getSymName().str());
    added.set_source_stage(channel.getSourceStage());
    added.set_destination_stage(channel.getDestinationStage());
  }
  for (StringRef text : tfm::getRemarks(module))
    plan.add_remarks()->set_text(text.str());
  return plan;
}

} // namespace mpc
