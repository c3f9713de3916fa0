// Interpolation.
#include "cluster/curve.h"

#include <cmath>

namespace mpc::cluster {

double ValueAt(const Curve& curve, double x, double otherwise) {
  if (curve.points().empty()) return otherwise;
  const Curve::Point* before = nullptr;
  for (const Curve::Point& point : curve.points()) {
    if (x < point.x()) {
      if (before == nullptr) return point.y();
      const double share =
          std::log(x / before->x()) / std::log(point.x() / before->x());
      return before->y() + share * (point.y() - before->y());
    }
    before = &point;
  }
  return before->y();
}

}  // namespace mpc::cluster
