// Finds the independent parts of a kernel and joins those that go together.
#include "passes/lowering/kernels/KernelParts.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace mpc::kernels {

/// The ops that `values` are computed by, in the order of the block.
static llvm::SetVector<Operation *> opsBehind(ValueRange values, Block &block) {
  llvm::DenseSet<Operation *> found;
  SmallVector<Value> pending(values);
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val().getDefiningOp();
    if (!op || !found.insert(op).second)
      continue;
    llvm::append_range(pending, op->getOperands());
    // Bodies of linalg ops may name values of the function.
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (operand.getParentBlock() == &block)
          pending.push_back(operand);
    });
  }
  llvm::SetVector<Operation *> ops;
  for (Operation &op : block)
    if (found.contains(&op))
      ops.insert(&op);
  return ops;
}

/// Groups the results of `kernel` by the computing ops that they share.
static SmallVector<SmallVector<unsigned>>
independentResults(func::FuncOp kernel) {
  Block &block = kernel.front();
  SmallVector<SmallVector<unsigned>> groups;
  SmallVector<llvm::DenseSet<Operation *>> behind;
  for (auto [index, value] :
       llvm::enumerate(block.getTerminator()->getOperands())) {
    SmallVector<unsigned> group;
    llvm::DenseSet<Operation *> ops;
    // Filled and empty tensors, like constants, are no work to share.
    for (Operation *op : opsBehind(value, block))
      if (isa<linalg::LinalgOp>(op) && !isa<linalg::FillOp>(op))
        ops.insert(op);
    for (unsigned i = 0; i != groups.size();) {
      if (llvm::none_of(
              ops, [&](Operation *op) { return behind[i].contains(op); })) {
        ++i;
        continue;
      }
      group.append(groups[i]);
      ops.insert(behind[i].begin(), behind[i].end());
      groups.erase(groups.begin() + i);
      behind.erase(behind.begin() + i);
    }
    group.push_back(index);
    groups.push_back(group);
    behind.push_back(std::move(ops));
  }
  return groups;
}

/// A function from the arguments of `kernel` to some of its results.
static OwningOpRef<func::FuncOp> extractResults(func::FuncOp kernel,
                                                ArrayRef<unsigned> results) {
  Block &block = kernel.front();
  SmallVector<Value> values;
  for (unsigned result : results)
    values.push_back(block.getTerminator()->getOperand(result));
  OpBuilder builder(kernel.getContext());
  auto type = builder.getFunctionType(kernel.getArgumentTypes(),
                                      ValueRange(values).getTypes());
  OwningOpRef<func::FuncOp> part =
      func::FuncOp::create(kernel.getLoc(), kernel.getName(), type);
  builder.setInsertionPointToStart(part->addEntryBlock());
  IRMapping mapping;
  mapping.map(kernel.getArguments(), part->getArguments());
  for (Operation *op : opsBehind(values, block))
    builder.clone(*op, mapping);
  SmallVector<Value> returned;
  for (Value value : values)
    returned.push_back(mapping.lookupOrDefault(value));
  func::ReturnOp::create(builder, kernel.getLoc(), returned);
  return part;
}

static FailureOr<KernelParts::Part> makePart(func::FuncOp kernel,
                                             ArrayRef<unsigned> results) {
  KernelParts::Part part;
  part.owned = extractResults(kernel, results);
  part.function = *part.owned;
  part.results.assign(results.begin(), results.end());
  FailureOr<Schedule> schedule = Schedule::create(part.function);
  if (failed(schedule))
    return failure();
  part.schedule = std::move(*schedule);
  return part;
}

static bool readsInput(const Schedule &schedule, unsigned input) {
  return llvm::any_of(schedule.graph.nodes, [&](const Node &node) {
    auto isInput = [&](unsigned tensor) {
      return schedule.graph.tensors[tensor].input == input;
    };
    bool reads = llvm::any_of(node.gathered, isInput);
    KernelGraph::forEachRead(
        node, [&](const Access &access) { reads |= isInput(access.tensor); });
    return reads;
  });
}

/// Whether both parts read an argument of more than one element.
static bool shareInput(const Schedule &a, const Schedule &b) {
  return llvm::any_of(a.graph.tensors, [&](const TensorInfo &tensor) {
    return tensor.input && tensor.type.getNumElements() > 1 &&
           readsInput(a, *tensor.input) && readsInput(b, *tensor.input);
  });
}

void KernelParts::mergeParts(func::FuncOp kernel) {
  // A joint schedule that does not work out is no error.
  ScopedDiagnosticHandler quiet(kernel.getContext(),
                                [](Diagnostic &) { return success(); });
  for (unsigned a = 0; a < parts.size(); ++a)
    for (unsigned b = a + 1; b < parts.size();) {
      const Schedule &first = parts[a].schedule, &second = parts[b].schedule;
      if (first.extent() != second.extent() || !shareInput(first, second)) {
        ++b;
        continue;
      }
      SmallVector<unsigned> results = parts[a].results;
      results.append(parts[b].results);
      FailureOr<Part> joint = makePart(kernel, results);
      if (failed(joint) || joint->schedule.extent() != first.extent()) {
        ++b;
        continue;
      }
      parts[a] = std::move(*joint);
      parts.erase(parts.begin() + b);
      b = a + 1;
    }
}

LogicalResult KernelParts::build(func::FuncOp kernel) {
  SmallVector<SmallVector<unsigned>> groups;
  if (llvm::hasSingleElement(kernel.getBody()))
    groups = independentResults(kernel);
  if (groups.size() <= 1) {
    FailureOr<Schedule> schedule = Schedule::create(kernel);
    if (failed(schedule))
      return failure();
    Part part;
    part.function = kernel;
    for (unsigned result = 0; result != kernel.getNumResults(); ++result)
      part.results.push_back(result);
    part.schedule = std::move(*schedule);
    parts.push_back(std::move(part));
    return success();
  }
  for (ArrayRef<unsigned> results : groups) {
    FailureOr<Part> part = makePart(kernel, results);
    if (failed(part))
      return failure();
    parts.push_back(std::move(*part));
  }
  mergeParts(kernel);
  for (unsigned i = 1; i < parts.size(); ++i)
    parts[i].firstRow = parts[i - 1].firstRow + parts[i - 1].schedule.extent();
  return success();
}

FailureOr<KernelParts> KernelParts::create(func::FuncOp kernel) {
  KernelParts parts;
  if (failed(parts.build(kernel)))
    return failure();
  return parts;
}

int64_t KernelParts::extent() const {
  return parts.back().firstRow + parts.back().schedule.extent();
}

bool KernelParts::canAlias(unsigned input, unsigned output) const {
  return llvm::all_of(parts, [&](const Part &part) {
    auto result = llvm::find(part.results, output);
    if (result == part.results.end())
      return !readsInput(part.schedule, input);
    return part.schedule.canAlias(input, result - part.results.begin());
  });
}

} // namespace mpc::kernels
