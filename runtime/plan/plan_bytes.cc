#include "runtime/plan/plan_bytes.h"

#include <zlib.h>

#include <cstdint>

namespace mpc::runtime {
namespace {

// The tag of Plan.checksum and its four bytes, little-endian.
constexpr size_t kChecksumBytes = 5;

std::string ChecksumField(absl::string_view bytes) {
  const uint32_t checksum = static_cast<uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  constexpr uint32_t kFixed32 = 5;  // The wire type.
  std::string field(1, plan::Plan::kChecksumFieldNumber << 3 | kFixed32);
  for (int shift = 0; shift < 32; shift += 8)
    field += static_cast<char>(checksum >> shift);
  return field;
}

}  // namespace

std::string SerializePlan(plan::Plan plan) {
  plan.clear_checksum();
  std::string bytes = plan.SerializeAsString();
  return bytes += ChecksumField(bytes);
}

bool HasValidChecksum(absl::string_view bytes) {
  if (bytes.size() < kChecksumBytes) return false;
  const size_t end = bytes.size() - kChecksumBytes;
  return bytes.substr(end) == ChecksumField(bytes.substr(0, end));
}

}  // namespace mpc::runtime
