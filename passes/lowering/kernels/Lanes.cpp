// Vectors of iterations in terms of the LLVM dialect: memory is addressed by
// pointers, because what a kernel knows of aliasing and strides is its own.
#include "passes/lowering/kernels/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace mpc::kernels {

Type laneType(Type element, int64_t width) {
  if (element.isIndex())
    element = IntegerType::get(element.getContext(), 64);
  return width == 1 ? element : VectorType::get({width}, element);
}

/// Rows begin anywhere, so no more than an element's alignment is known.
static unsigned alignmentOf(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

Value LaneBuilder::constant(TypedAttr value) {
  if (auto index = dyn_cast<IntegerAttr>(value);
      index && index.getType().isIndex())
    return i64(index.getInt());
  return arith::ConstantOp::create(b, loc, value);
}

Value LaneBuilder::i64(int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}

Value LaneBuilder::constantLanes(Type element, ArrayRef<int64_t> values) {
  SmallVector<APInt> lanes;
  for (int64_t value : values)
    lanes.emplace_back(element.getIntOrFloatBitWidth(), value,
                       /*isSigned=*/!element.isInteger(1));
  auto type = VectorType::get({int64_t(values.size())}, element);
  return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, lanes));
}

Value LaneBuilder::broadcast(Value value, int64_t width) {
  if (width == 1 || isa<VectorType>(value.getType()))
    return value;
  auto type = VectorType::get({width}, value.getType());
  TypedAttr scalar;
  if (matchPattern(value, m_Constant(&scalar)))
    return arith::ConstantOp::create(b, loc,
                                     DenseElementsAttr::get(type, scalar));
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  Value undefined = LLVM::PoisonOp::create(b, loc, type);
  Value first = LLVM::InsertElementOp::create(b, loc, undefined, value, zero);
  return LLVM::ShuffleVectorOp::create(b, loc, first, first,
                                       SmallVector<int32_t>(width, 0));
}

Value LaneBuilder::iota(Value first, int64_t width) {
  if (width == 1)
    return first;
  Value lanes = constantLanes(first.getType(),
                              llvm::to_vector(llvm::seq<int64_t>(width)));
  return arith::AddIOp::create(b, loc, broadcast(first, width), lanes);
}

Value LaneBuilder::maskBelow(Value count, int64_t width) {
  IntegerAttr known;
  if (matchPattern(count, m_Constant(&known))) {
    SmallVector<int64_t> lanes(width, 0);
    std::fill_n(lanes.begin(), known.getInt(), 1);
    return constantLanes(b.getI1Type(), lanes);
  }
  Value narrow = arith::TruncIOp::create(b, loc, b.getI32Type(), count);
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                               iota(zero, width), broadcast(narrow, width));
}

Value LaneBuilder::address(Type element, Value pointer, Value index) {
  return LLVM::GEPOp::create(b, loc, pointer.getType(), element, pointer,
                             ValueRange{index});
}

Value LaneBuilder::allLanes(int64_t width) {
  return constantLanes(b.getI1Type(), SmallVector<int64_t>(width, 1));
}

Value LaneBuilder::lanePointers(Type element, LaneMemory memory,
                                int64_t width) {
  SmallVector<int64_t> offsets;
  for (int64_t lane : llvm::seq<int64_t>(width))
    offsets.push_back(lane * memory.stride);
  auto type = VectorType::get({width}, memory.pointer.getType());
  return LLVM::GEPOp::create(
      b, loc, type, element, memory.pointer,
      ValueRange{constantLanes(b.getI64Type(), offsets)});
}

/// LLVM rounds a bf16 that it moves between registers, in a function that kernels
/// lack. So bf16 is loaded and stored as the integer of its bits.
static Type getMemoryType(Type element) {
  return element.isBF16() ? IntegerType::get(element.getContext(), 16)
                          : element;
}

Value LaneBuilder::reinterpret(Value value, Type element) {
  auto vector = dyn_cast<VectorType>(value.getType());
  Type type = laneType(element, vector ? vector.getNumElements() : 1);
  return type == value.getType()
             ? value
             : arith::BitcastOp::create(b, loc, type, value).getResult();
}

Value LaneBuilder::load(Type element, LaneMemory memory, int64_t width) {
  Type type = getMemoryType(element);
  return reinterpret(loadWords(type, memory, width), element);
}

Value LaneBuilder::loadWords(Type element, LaneMemory memory, int64_t width) {
  unsigned alignment = alignmentOf(element);
  if (width == 1 || memory.stride == 0)
    return LLVM::LoadOp::create(b, loc, element, memory.pointer, alignment);
  Type type = laneType(element, width);
  if (memory.stride != 1) {
    Value mask = memory.mask ? memory.mask : allLanes(width);
    return LLVM::masked_gather::create(
        b, loc, type, lanePointers(element, memory, width), mask,
        ValueRange{LLVM::ZeroOp::create(b, loc, type)},
        b.getI32IntegerAttr(alignment));
  }
  if (!memory.mask)
    return LLVM::LoadOp::create(b, loc, type, memory.pointer, alignment);
  return LLVM::MaskedLoadOp::create(b, loc, type, memory.pointer, memory.mask,
                                    LLVM::ZeroOp::create(b, loc, type),
                                    b.getI32IntegerAttr(alignment), UnitAttr());
}

Value LaneBuilder::gather(Type element, Value pointer, Value indices,
                          Value mask) {
  int64_t width = cast<VectorType>(indices.getType()).getNumElements();
  auto pointers = VectorType::get({width}, pointer.getType());
  Value addresses = LLVM::GEPOp::create(b, loc, pointers, element, pointer,
                                        ValueRange{indices});
  Type type = laneType(getMemoryType(element), width);
  Value words = LLVM::masked_gather::create(
      b, loc, type, addresses, mask ? mask : allLanes(width),
      ValueRange{LLVM::ZeroOp::create(b, loc, type)},
      b.getI32IntegerAttr(alignmentOf(element)));
  return reinterpret(words, element);
}

void LaneBuilder::store(Value value, LaneMemory memory, int64_t width) {
  Type element = getMemoryType(getElementTypeOrSelf(value.getType()));
  value = reinterpret(value, element);
  unsigned alignment = alignmentOf(element);
  if (width == 1 || memory.stride == 0) {
    LLVM::StoreOp::create(b, loc, value, memory.pointer, alignment);
    return;
  }
  value = broadcast(value, width);
  if (memory.stride != 1) {
    Value mask = memory.mask ? memory.mask : allLanes(width);
    LLVM::masked_scatter::create(b, loc, value,
                                 lanePointers(element, memory, width), mask,
                                 b.getI32IntegerAttr(alignment));
  } else if (memory.mask) {
    LLVM::MaskedStoreOp::create(b, loc, value, memory.pointer, memory.mask,
                                alignment);
  } else {
    LLVM::StoreOp::create(b, loc, value, memory.pointer, alignment);
  }
}

Value LaneBuilder::reduce(Value value,
                          llvm::function_ref<Value(Value, Value)> combine) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return value;
  for (int32_t half = type.getNumElements() / 2; half > 0; half /= 2) {
    auto low = llvm::to_vector(llvm::seq<int32_t>(0, half));
    auto high = llvm::to_vector(llvm::seq<int32_t>(half, 2 * half));
    Value a = LLVM::ShuffleVectorOp::create(b, loc, value, value, low);
    Value c = LLVM::ShuffleVectorOp::create(b, loc, value, value, high);
    value = combine(a, c);
  }
  Value zero = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(0));
  return LLVM::ExtractElementOp::create(b, loc, value, zero);
}

} // namespace mpc::kernels
