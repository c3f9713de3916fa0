//===- Golden.cpp - the numbers of another implementation -------*- C++ -*-===//

#include "test/oracle/Golden.h"

#include <fstream>
#include <limits>

namespace mpc {

namespace {

/// A file of words, of which each entry begins with its label.
class Reader {
public:
  explicit Reader(const std::string &path) : stream(path) {}

  std::optional<Golden> read() {
    Golden golden;
    for (std::string label; nextLabel(label);)
      readEntry(label, golden);
    if (!stream.eof() || golden.steps.empty())
      return std::nullopt;
    return golden;
  }

private:
  bool nextLabel(std::string &label) {
    while (stream >> label) {
      if (label[0] != '#')
        return true;
      stream.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return false;
  }

  void readEntry(const std::string &label, Golden &golden) {
    if (label == "ids")
      golden.ids = readTensor(2);
    else if (label == "labels")
      golden.labels = readTensor(2);
    else if (label == "positions")
      golden.positions = readTensor(2);
    else if (label == "valid_tokens")
      stream >> golden.validTokens;
    else if (label == "loss")
      stream >> golden.loss;
    else if (label == "parameter")
      readNamed(golden.parameters);
    else if (label == "gradient")
      readNamed(golden.gradients);
    else if (label == "step")
      readStep(golden.steps);
    else
      stream.setstate(std::ios::failbit);
  }

  Golden::Tensor readTensor(size_t rank) {
    Golden::Tensor tensor;
    tensor.shape.resize(rank);
    int64_t count = 1;
    for (int64_t &size : tensor.shape) {
      stream >> size;
      count *= size;
    }
    if (!stream)
      return {};
    tensor.values.resize(count);
    for (double &value : tensor.values)
      stream >> value;
    return tensor;
  }

  void readNamed(std::map<std::string, Golden::Tensor> &tensors) {
    std::string name;
    size_t rank = 0;
    if (stream >> name >> rank)
      tensors[name] = readTensor(rank);
  }

  void readStep(std::vector<Golden::Step> &steps) {
    size_t number = 0;
    Golden::Step step;
    stream >> number >> step.loss >> step.gradNorm;
    steps.push_back(step);
    if (number != steps.size())
      stream.setstate(std::ios::failbit);
  }

  std::ifstream stream;
};

} // namespace

std::optional<Golden> readGolden(const std::string &path) {
  return Reader(path).read();
}

} // namespace mpc
