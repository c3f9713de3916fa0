// The rules that the numbers of a cluster obey.
#include "cluster/fault.h"

#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace mpc::cluster {
namespace {

using Path = std::vector<Fault::Step>;

Path Append(Path path, std::string field, int index = -1) {
  path.push_back({std::move(field), index});
  return path;
}

/// Keeps the first fault that it is told of.
class Checker {
 public:
  void Check(bool holds, const Path& path, const std::string& text) {
    if (!holds && !fault_) fault_ = Fault{path, text};
  }

  void Positive(double value, const Path& path) {
    Check(std::isfinite(value) && value > 0, path,
          absl::StrCat("is ", value, ", expected a positive number"));
  }

  void NotNegative(double value, const Path& path) {
    Check(
        std::isfinite(value) && value >= 0, path,
        absl::StrCat("is ", value, ", expected a number that is not negative"));
  }

  void Efficiency(const Curve& curve, const Path& path) {
    for (int i = 0; i < curve.points_size(); ++i) {
      const Path point = Append(path, "points", i);
      const double x = curve.points(i).x(), y = curve.points(i).y();
      Positive(x, Append(point, "x"));
      if (i > 0)
        Check(x > curve.points(i - 1).x(), Append(point, "x"),
              absl::StrCat("is ", x, ", expected more than the ",
                           curve.points(i - 1).x(), " of the point before"));
      Check(y > 0 && y <= 1, Append(point, "y"),
            absl::StrCat("is ", y,
                         ", expected an efficiency above 0, at most 1"));
    }
  }

  std::optional<Fault> fault() && { return std::move(fault_); }

 private:
  std::optional<Fault> fault_;
};

void CheckPeaks(const Device& device, const Path& path, Checker* checker) {
  std::set<std::string> seen;
  for (int i = 0; i < device.peaks_size(); ++i) {
    const Peak& peak = device.peaks(i);
    const Path at = Append(path, "peaks", i);
    checker->Check(
        peak.type() == "f32" || peak.type() == "bf16" || peak.type() == "f16",
        Append(at, "type"),
        absl::StrCat("is \"", peak.type(),
                     "\", expected \"f32\", \"bf16\" or \"f16\""));
    checker->Check(
        seen.insert(peak.type()).second, Append(at, "type"),
        absl::StrCat("is \"", peak.type(), "\" for the second time"));
    checker->Positive(peak.flops_per_second(), Append(at, "flops_per_second"));
  }
  checker->Check(seen.count("f32") > 0, Append(path, "peaks"),
                 "have none of type \"f32\", expected one");
}

void CheckDevice(const Device& device, const Path& path, Checker* checker) {
  checker->Check(device.memory_bytes() > 0, Append(path, "memory_bytes"),
                 "is 0, expected a positive number");
  checker->Check(device.reserved_bytes() < device.memory_bytes(),
                 Append(path, "reserved_bytes"),
                 absl::StrCat("is ", device.reserved_bytes(),
                              ", expected less than memory_bytes, ",
                              device.memory_bytes()));
  CheckPeaks(device, path, checker);
  checker->Positive(device.memory_bytes_per_second(),
                    Append(path, "memory_bytes_per_second"));
  checker->Efficiency(device.product_efficiency(),
                      Append(path, "product_efficiency"));
  checker->Efficiency(device.narrow_efficiency(),
                      Append(path, "narrow_efficiency"));
  checker->Efficiency(device.attention_efficiency(),
                      Append(path, "attention_efficiency"));
  checker->Efficiency(device.memory_efficiency(),
                      Append(path, "memory_efficiency"));
  checker->Positive(device.operations_per_second(),
                    Append(path, "operations_per_second"));
  checker->NotNegative(device.launch_seconds(), Append(path, "launch_seconds"));
}

void CheckLinks(const Cluster& cluster, Checker* checker) {
  int64_t within = 1;
  for (int i = 0; i < cluster.links_size(); ++i) {
    const Link& link = cluster.links(i);
    const Path at = {{"links", i}};
    const Path devices = Append(at, "devices");
    const bool outermost = i + 1 == cluster.links_size();
    if (link.devices() == 0) {
      checker->Check(
          outermost, devices,
          "is 0, which means all and is for the outermost level alone; "
          "expected a positive number");
    } else {
      checker->Check(
          link.devices() > 0, devices,
          absl::StrCat("is ", link.devices(), ", expected a positive number"));
      checker->Check(
          link.devices() % within == 0 && (i == 0 || link.devices() > within),
          devices,
          absl::StrCat("is ", link.devices(), ", expected a multiple of the ",
                       within, " of the level within"));
      within = link.devices();
      if (outermost)
        checker->Check(
            cluster.devices() <= within, devices,
            absl::StrCat("is ", within,
                         " in the outermost level, but the "
                         "cluster has ",
                         cluster.devices(),
                         " devices; expected as many, or 0 for all"));
    }
    checker->Positive(link.bytes_per_second(), Append(at, "bytes_per_second"));
    checker->NotNegative(link.latency_seconds(), Append(at, "latency_seconds"));
    checker->Efficiency(link.efficiency(), Append(at, "efficiency"));
    checker->NotNegative(static_cast<double>(link.sharing()),
                         Append(at, "sharing"));
    checker->NotNegative(link.start_seconds(), Append(at, "start_seconds"));
    checker->Efficiency(link.message_efficiency(),
                        Append(at, "message_efficiency"));
    checker->Efficiency(link.group_efficiency(),
                        Append(at, "group_efficiency"));
  }
  checker->Check(cluster.devices() == 1 || cluster.links_size() > 0,
                 {{"links", -1}},
                 absl::StrCat("are none, expected at least one level for ",
                              cluster.devices(), " devices"));
}

}  // namespace

std::string Fault::Place() const {
  std::string place;
  for (const Step& step : path) {
    absl::StrAppend(&place, place.empty() ? "" : ".", step.field);
    if (step.index >= 0) absl::StrAppend(&place, "[", step.index, "]");
  }
  return place;
}

std::optional<Fault> FindFault(const Cluster& cluster) {
  Checker checker;
  checker.Check(
      cluster.devices() > 0, {{"devices", -1}},
      absl::StrCat("is ", cluster.devices(), ", expected a positive number"));
  CheckDevice(cluster.device(), {{"device", -1}}, &checker);
  CheckLinks(cluster, &checker);
  return std::move(checker).fault();
}

}  // namespace mpc::cluster
