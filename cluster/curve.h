// Functions that are given by points.
#ifndef MPC_CLUSTER_CURVE_H_
#define MPC_CLUSTER_CURVE_H_

#include "cluster/cluster.pb.h"

namespace mpc::cluster {

/// The value at a positive x; `otherwise` if the curve has no points.
double ValueAt(const Curve& curve, double x, double otherwise);

}  // namespace mpc::cluster

#endif  // MPC_CLUSTER_CURVE_H_
