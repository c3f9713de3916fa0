// How a launcher has started this process.
#ifndef MPC_RUNTIME_COMM_LAUNCH_ENVIRONMENT_H_
#define MPC_RUNTIME_COMM_LAUNCH_ENVIRONMENT_H_

namespace mpc::runtime {

/// What mpirun says in the environment, before anything is initialised.
struct LaunchEnvironment {
  /// How many processes it has started; 1 without a launcher.
  int processes = 1;
  /// Which of them this is.
  int process = 0;
};

/// Reads the variables of Open MPI (OMPI_COMM_WORLD_SIZE, …_RANK) and of
/// launchers of MPICH's family (PMI_SIZE, PMI_RANK).
LaunchEnvironment ReadLaunchEnvironment();

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_COMM_LAUNCH_ENVIRONMENT_H_
