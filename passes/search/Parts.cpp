//===- Parts.cpp - what the parts of a model cost ----------------*- C++ -*-===//

#include "passes/search/Parts.h"
#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>

namespace mpc::search {
namespace {

/// The line through two points.
class Line {
public:
  Line(int64_t lowSize, int64_t highSize, int64_t size)
      : share(highSize == lowSize
                  ? 0
                  : double(size - lowSize) / double(highSize - lowSize)) {}

  int64_t operator()(int64_t low, int64_t high) const {
    return std::llround(double(low) + share * double(high - low));
  }

private:
  double share;
};

cluster::Work interpolate(const cluster::Work &low, const cluster::Work &high,
                          const Line &line) {
  assert(low.index() == high.index() && "the same commands at both sizes");
  if (auto *product = std::get_if<cluster::Product>(&low)) {
    const auto &other = std::get<cluster::Product>(high);
    return cluster::Product{line(product->rows, other.rows),
                            line(product->inner, other.inner),
                            line(product->columns, other.columns),
                            line(product->count, other.count), product->type};
  }
  if (auto *attention = std::get_if<cluster::Attention>(&low)) {
    cluster::Attention result = *attention;
    result.heads =
        line(attention->heads, std::get<cluster::Attention>(high).heads);
    return result;
  }
  const auto &a = std::get<cluster::Traffic>(low);
  const auto &b = std::get<cluster::Traffic>(high);
  return cluster::Traffic{line(a.bytes, b.bytes),
                          double(line(a.operations, b.operations))};
}

} // namespace

Part interpolate(const Part &low, int64_t lowSize, const Part &high,
                 int64_t highSize, int64_t size) {
  Line line(lowSize, highSize, size);
  Part part = low;
  for (int phase = 0; phase < kPhases; ++phase) {
    assert(low.lists[phase].size() == high.lists[phase].size());
    for (size_t i = 0; i < low.lists[phase].size(); ++i) {
      const Command &a = low.lists[phase][i], &b = high.lists[phase][i];
      Command &command = part.lists[phase][i];
      if (a.kind == Command::Kind::kCompute)
        command.work = interpolate(a.work, b.work, line);
      else
        command.transfer.bytes = line(a.transfer.bytes, b.transfer.bytes);
    }
  }
  for (auto field : {&Memory::states, &Memory::tied, &Memory::batch,
                     &Memory::channels, &Memory::slot, &Memory::transient})
    part.memory.*field = line(low.memory.*field, high.memory.*field);
  part.activationBytes = line(low.activationBytes, high.activationBytes);
  return part;
}

Parts interpolate(const Parts &low, int64_t lowSize, const Parts &high,
                  int64_t highSize, int64_t size) {
  auto at = [&](const Part &a, const Part &b) {
    return interpolate(a, lowSize, b, highSize, size);
  };
  Parts parts = {at(low.first, high.first), at(low.last, high.last), {},
                 low.tiedBytes};
  for (int mode = 0; mode < kRecomputes; ++mode)
    parts.layer[mode] = at(low.layer[mode], high.layer[mode]);
  return parts;
}

ListTime timeOf(const Commands &commands, const cluster::Pricing &pricing,
                const cluster::Group &tensorGroup) {
  ListTime time;
  double linkFree = 0;
  std::map<int64_t, double> done;
  for (const Command &command : commands) {
    if (command.kind == Command::Kind::kCompute) {
      time.total += pricing.Seconds(command.work);
      continue;
    }
    if (command.isOverData)
      continue;
    if (command.kind == Command::Kind::kWait) {
      double late = std::max(0.0, done[command.handle] - time.total);
      time.exposed += late;
      time.total += late;
      continue;
    }
    cluster::Transfer transfer = command.transfer;
    transfer.group = tensorGroup;
    double seconds = pricing.Seconds(transfer);
    time.transfers += seconds;
    if (!pricing.overlaps_transfers()) {
      time.exposed += seconds;
      time.total += seconds;
    }
    linkFree = std::max(linkFree, time.total) +
               (pricing.overlaps_transfers() ? seconds : 0);
    done[command.handle] = pricing.overlaps_transfers() ? linkFree : time.total;
  }
  return time;
}

double dataSecondsOf(const Commands &commands, const cluster::Pricing &pricing,
                     const cluster::Group &dataGroup) {
  double seconds = 0;
  for (const Command &command : commands)
    if (command.kind == Command::Kind::kStart && command.isOverData) {
      cluster::Transfer transfer = command.transfer;
      transfer.group = dataGroup;
      seconds += pricing.Seconds(transfer);
    }
  return seconds;
}

} // namespace mpc::search
