//===- PartBuilder.h - the parts that models are made of --------*- C++ -*-===//

#ifndef MPC_FRONTENDS_MODEL_PARTBUILDER_H
#define MPC_FRONTENDS_MODEL_PARTBUILDER_H

#include "frontends/model/ModelSpec.h"
#include "frontends/model/PartNames.h"

namespace mpc {

/// A dimension of a parameter.
struct Dim {
  tfm::DimensionKind kind;
  int64_t size;
};

/// Builds products, norms and the like in `@forward`, with their parameters. A
/// part is told its name; its parameters are called `model` . name, as
/// checkpoints call them, and its ops have the name as location, which messages
/// of the runtime print.
class PartBuilder {
public:
  PartBuilder(mlir::MLIRContext *context, const ModelSpec &spec,
              const TrainingSpec &training)
      : names(getPartNames(spec)), builder(context), spec(spec),
        batch(training.globalBatch), sequence(*training.sequenceLength) {}

protected:
  /// A new one, in front of the inputs.
  mlir::Value parameter(const std::string &name, llvm::ArrayRef<Dim> dims,
                        tfm::InitialKind initial, double value, bool decay);
  mlir::Value matrix(const std::string &name, llvm::ArrayRef<Dim> dims,
                     double deviation);
  mlir::Value bias(const std::string &name, llvm::ArrayRef<Dim> dims);
  /// A batch input or scalar, behind all parameters.
  mlir::Value input(tfm::StateKind kind, llvm::StringRef name,
                    llvm::ArrayRef<int64_t> shape);
  /// The numbers from `start` on, in row-major order.
  mlir::Value iota(const std::string &part, llvm::ArrayRef<int64_t> shape,
                   int32_t start = 0);

  mlir::Value norm(mlir::Value x, const std::string &part);
  /// A product with a new weight [out..., in...] and, if the model has them, a
  /// bias. `location` is the part's name unless given.
  mlir::Value linear(mlir::Value x, const std::string &part,
                     llvm::ArrayRef<Dim> out, llvm::ArrayRef<Dim> in,
                     double deviation,
                     std::optional<std::string> location = std::nullopt);
  mlir::Value activation(mlir::Value x, const std::string &part,
                         Activation kind);
  mlir::Value dropout(mlir::Value x, const std::string &part, double rate);
  /// What keys the dropout of a part.
  mlir::IntegerAttr key(const std::string &part);
  /// Marks the stream. `reader` is the layer that reads it from here on, if
  /// that is another one than before.
  mlir::Value mark(mlir::Value stream, const std::string &part,
                   std::optional<int64_t> reader = std::nullopt);

  template <typename OpTy, typename... Args>
  OpTy create(const std::string &part, Args &&...args) {
    return tfm::build<OpTy>(builder, at(part), dist::Phase::Forward,
                            std::forward<Args>(args)...);
  }
  mlir::Location at(llvm::StringRef name) {
    return mlir::NameLoc::get(builder.getStringAttr(name));
  }
  /// What a parameter of a part is called, without `.weight` or `.bias`: the
  /// head's names are whole.
  std::string inModel(const std::string &part) const;
  mlir::RankedTensorType floats(llvm::ArrayRef<int64_t> shape) {
    return mlir::RankedTensorType::get(shape, builder.getF32Type());
  }
  mlir::RankedTensorType integers(llvm::ArrayRef<int64_t> shape) {
    return mlir::RankedTensorType::get(shape, builder.getI32Type());
  }
  mlir::FloatAttr f32(double value) { return builder.getF32FloatAttr(value); }
  Dim hiddenDim() const { return {tfm::DimensionKind::Hidden, spec.hidden}; }
  Dim vocabularyDim() const {
    return {tfm::DimensionKind::Vocabulary, spec.vocabulary};
  }

  const PartNames names;
  mlir::OpBuilder builder;
  const ModelSpec &spec;
  const int64_t batch, sequence;
  mlir::Block *body = nullptr;
  llvm::SmallVector<mlir::DictionaryAttr> argAttrs;
  mlir::Value seed, samples, positions;

private:
  unsigned parameterCount = 0;
  mlir::Value features;
};

} // namespace mpc

#endif // MPC_FRONTENDS_MODEL_PARTBUILDER_H
