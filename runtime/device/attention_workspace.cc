#include "runtime/device/attention_workspace.h"

#include "runtime/device/cpu/attention_tiles.h"
#include "runtime/floats/narrow_floats.h"

namespace mpc::runtime {

uint64_t AttentionWorkspaceBytes(const plan::AttentionCommand& command,
                                 plan::DeviceKind device) {
  const plan::Slice& query = command.query();
  if (device != plan::DEVICE_KIND_CPU || query.sizes_size() != 5) return 0;
  AttentionShape shape;
  shape.batch = query.sizes(0);
  shape.queries = query.sizes(1);
  if (command.key().sizes_size() == 4) shape.keys = command.key().sizes(1);
  shape.key_value_heads = query.sizes(2);
  shape.group = query.sizes(3);
  shape.head_size = query.sizes(4);
  const int64_t wide = IsNarrowFloat(query.type()) ? WideElements(shape) : 0;
  return (Lanes(shape) * LaneElements(shape) + wide) * sizeof(float);
}

}  // namespace mpc::runtime
