//===- DistBase.td - the dist dialect ----------------------*- tablegen -*-===//
#ifndef MPC_DIALECTS_DIST_IR_DISTBASE_TD
#define MPC_DIALECTS_DIST_IR_DISTBASE_TD

include "mlir/IR/OpBase.td"

def Dist_Dialect : Dialect {
  let name = "dist";
  let cppNamespace = "::mpc::dist";
  let summary = "Shardings as types, and the communication that changes them";
  let description = [{
    A sharding is the encoding of a ranked tensor type: the type is that of the
    whole tensor, the encoding says which part of it a rank holds.

    ```mlir
    #mesh = #dist.mesh<["dp"=2, "tp"=2]>
    #rows_sum = #dist.sharding<#mesh, [{"dp"}, {} ], sum = {"tp"}>
    func.func @f(%x: tensor<8x4xf32, #rows_sum>) -> tensor<8x4xf32, #rows_sum> {
      return %x : tensor<8x4xf32, #rows_sum>
    }
    ```

    Dimension 0 of `%x` is split over `dp`; the true value is the sum over `tp`
    of what the ranks hold. A tensor without encoding is whole, or local after
    partitioning.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Name of the argument attribute that pins an argument's sharding.
    static constexpr llvm::StringLiteral kPinAttrName = "dist.pin";
    /// Name of the attribute that keeps the sharded type of an argument or result
    /// of a partitioned function.
    static constexpr llvm::StringLiteral kGlobalAttrName = "dist.global";

  private:
    void registerAttributes();

  public:
  }];
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

#endif // MPC_DIALECTS_DIST_IR_DISTBASE_TD
