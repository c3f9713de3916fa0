//===- mpc-opt.cpp - the optimizer driver -----------------------*- C++ -*-===//

#include "dialects/dist/IR/Dist.h"
#include "dialects/transformer/IR/Transformer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/partition/Passes.h"
#include "passes/planning/Passes.h"
#include "passes/sharding/Passes.h"
#include "passes/training/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mpc::dist::DistDialect, mpc::tfm::TfmDialect,
                  mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                  mlir::memref::MemRefDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect>();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mpc::registerTraining();
  mpc::registerPlanning();
  mpc::registerSharding();
  mpc::registerPartition();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "MPC optimizer\n", registry));
}
