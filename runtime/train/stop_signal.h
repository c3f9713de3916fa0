// Ctrl-C as a request that a run can answer at a good moment.
#ifndef MPC_RUNTIME_TRAIN_STOP_SIGNAL_H_
#define MPC_RUNTIME_TRAIN_STOP_SIGNAL_H_

#include <signal.h>

namespace mpc::runtime {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP is noted instead of
/// ending the process; a second one ends it as usual. At most one at a time.
///
/// With `has_launcher` every SIGTERM is only noted: mpirun sends several when
/// another process has failed, and ends by force what does not end by itself.
class StopSignal {
 public:
  explicit StopSignal(bool has_launcher = false);
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// May be asked from any thread.
  static bool requested();

 private:
  struct sigaction old_interrupt_;
  struct sigaction old_terminate_;
  struct sigaction old_hang_up_;
};

}  // namespace mpc::runtime

#endif  // MPC_RUNTIME_TRAIN_STOP_SIGNAL_H_
