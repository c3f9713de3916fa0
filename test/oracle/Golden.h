//===- Golden.h - the numbers of another implementation ---------*- C++ -*-===//
//
// Reads what make_gpt2_golden.py and make_bert_golden.py write. Of the standard
// library alone: tests of the compiler and of the runtime read it.
//
//===----------------------------------------------------------------------===//

#ifndef MPC_TEST_ORACLE_GOLDEN_H
#define MPC_TEST_ORACLE_GOLDEN_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mpc {

struct Golden {
  /// Row-major.
  struct Tensor {
    std::vector<int64_t> shape;
    std::vector<double> values;
  };
  struct Step {
    double loss = 0;
    double gradNorm = 0;
  };

  /// [sequences, positions]
  Tensor ids, labels;
  /// Of no size if tokens are simply numbered from 0 in each sequence.
  Tensor positions;
  double validTokens = 0;
  /// Of the first step.
  double loss = 0;
  std::map<std::string, Tensor> parameters, gradients;
  /// The steps from 1 on.
  std::vector<Step> steps;
};

/// Nothing if the file is not there or not as it should be.
std::optional<Golden> readGolden(const std::string &path);

} // namespace mpc

#endif // MPC_TEST_ORACLE_GOLDEN_H
