// The handler only sets a flag; the training loop looks at it after each step.
#include "runtime/train/stop_signal.h"

#include <atomic>

namespace mpc::runtime {
namespace {

std::atomic<bool> stop_requested{false};
static_assert(std::atomic<bool>::is_always_lock_free,
              "a signal handler may not take a lock");

void RequestStop(int) { stop_requested = true; }

}  // namespace

StopSignal::StopSignal(bool has_launcher) {
  stop_requested = false;
  struct sigaction action = {};
  action.sa_handler = RequestStop;
  sigemptyset(&action.sa_mask);
  // The second signal finds the default action; reads and writes go on.
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  sigaction(SIGINT, &action, &old_interrupt_);
  struct sigaction on_terminate = action;
  if (has_launcher) on_terminate.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &on_terminate, &old_terminate_);
  sigaction(SIGHUP, nullptr, &old_hang_up_);
  // Under nohup it stays ignored.
  if (old_hang_up_.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

StopSignal::~StopSignal() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
  sigaction(SIGHUP, &old_hang_up_, nullptr);
}

bool StopSignal::requested() { return stop_requested; }

}  // namespace mpc::runtime
