// Prices of commands.
#include "cluster/pricing.h"

#include <algorithm>
#include <variant>

#include "cluster/curve.h"

namespace mpc::cluster {
namespace {

const char* NameOf(ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return "f32";
    case ElementType::kBf16:
      return "bf16";
    case ElementType::kF16:
      return "f16";
  }
  return "";
}

double MemorySeconds(const Device& device, double bytes) {
  if (bytes <= 0) return 0;
  return bytes / (device.memory_bytes_per_second() *
                  ValueAt(device.memory_efficiency(), bytes, 1));
}

}  // namespace

Pricing::Pricing(const Cluster& cluster) : cluster_(cluster) {}

double Pricing::PeakFlops(ElementType type) const {
  double f32 = 0;
  for (const Peak& peak : cluster_.device().peaks()) {
    if (peak.type() == NameOf(type)) return peak.flops_per_second();
    if (peak.type() == NameOf(ElementType::kF32)) f32 = peak.flops_per_second();
  }
  return f32;
}

double Pricing::Seconds(const Work& work) const {
  const Device& device = cluster_.device();
  double computing = 0, moving = 0;
  if (const auto* product = std::get_if<Product>(&work)) {
    const double flops = product->flops();
    if (flops > 0) {
      const auto narrowest = static_cast<double>(
          std::min({product->rows, product->inner, product->columns}));
      computing = flops / (PeakFlops(product->type) *
                           ValueAt(device.product_efficiency(), flops, 1) *
                           ValueAt(device.narrow_efficiency(), narrowest, 1));
    }
    moving = MemorySeconds(device, product->bytes());
  } else if (const auto* attention = std::get_if<Attention>(&work)) {
    const double flops = attention->flops();
    if (flops > 0)
      computing =
          flops / (PeakFlops(attention->type) *
                   ValueAt(device.attention_efficiency(), flops,
                           ValueAt(device.product_efficiency(), flops, 1)));
    moving = MemorySeconds(device, attention->bytes());
  } else {
    const auto& traffic = std::get<Traffic>(work);
    if (traffic.operations > 0)
      computing = traffic.operations / device.operations_per_second();
    moving = MemorySeconds(device, static_cast<double>(traffic.bytes));
  }
  return device.launch_seconds() + std::max(computing, moving);
}

}  // namespace mpc::cluster
