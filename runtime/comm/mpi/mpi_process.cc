#include "runtime/comm/mpi/mpi_process.h"

#include <signal.h>
#include <sys/prctl.h>

#include <array>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "runtime/comm/launch_environment.h"
#include "runtime/comm/mpi/rendezvous.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

/// Tells which machine a process is on: containers of one have the same.
using Kernel = std::array<char, 36>;

Kernel ReadKernel() {
  Kernel kernel = {};
  std::ifstream("/proc/sys/kernel/random/boot_id")
      .read(kernel.data(), kernel.size());
  return kernel;
}

}  // namespace

absl::Status MpiError(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return absl::InternalError(absl::StrCat("MPI: ", std::string(text, length)));
}

absl::StatusOr<std::unique_ptr<MpiProcess>> MpiProcess::Start(
    Watch::Seconds timeout,
    std::function<void(const absl::Status&, bool)> end_process) {
  std::unique_ptr<MpiProcess> process(new MpiProcess);
  const LaunchEnvironment launch = ReadLaunchEnvironment();
  process->rank_ = launch.process;
  process->size_ = launch.processes;
  if (launch.processes > 1) {
    CatchTermination();
    // A launcher that is killed cannot end its processes; even a stopped one
    // goes with it.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  }
  Watch::Options options;
  options.rank = process->rank_;
  options.size = process->size_;
  options.timeout = timeout;
  options.end_process = std::move(end_process);
  process->watch_ = std::make_unique<Watch>(std::move(options));
  MPC_RETURN_IF_ERROR(process->Initialize());
  process->watch_->EndStartUp();
  return process;
}

absl::Status MpiProcess::Initialize() {
  if (size_ > 1)
    MPC_RETURN_IF_ERROR(MeetThroughLauncher(rank_, size_, *watch_));
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  if (size_ > 1) LeaveLauncher();
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != size_)
    return absl::FailedPreconditionError(absl::StrCat(
        "communicator mpi: the launcher has started ", size_,
        " processes, MPI sees ", size,
        "; expected the mpirun of the MPI that mpc-run was built with"));
  if (provided < MPI_THREAD_SERIALIZED)
    return absl::FailedPreconditionError(
        "communicator mpi: this MPI may be called by the main thread only; "
        "expected MPI_THREAD_SERIALIZED");
  MPI_Comm_dup(MPI_COMM_WORLD, &communicator_);
  MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
  shared_.Open(communicator_);
  FindRanksOfThisMachine();
  return absl::OkStatus();
}

void MpiProcess::FindRanksOfThisMachine() {
  const Kernel own = ReadKernel();
  std::vector<Kernel> all(size_);
  MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE,
                communicator_);
  for (int i = 0; i < size_; ++i)
    if (all[i] == own) ranks_of_this_machine_.push_back(i);
}

absl::Status MpiProcess::Finish() {
  MPC_RETURN_IF_ERROR(watch_->SayGoodbye());
  MPI_Finalize();
  watch_.reset();
  return absl::OkStatus();
}

}  // namespace mpc::runtime
