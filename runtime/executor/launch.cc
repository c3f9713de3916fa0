#include "runtime/executor/launch.h"

#include <exception>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "runtime/comm/local/local_world.h"
#include "runtime/comm/open_channels.h"
#include "runtime/plan/mesh.h"
#include "runtime/status_macros.h"
#include "runtime/threads/spin.h"

namespace mpc::runtime {

/// Runs the ranks of one plan.
class RankLauncher {
 public:
  using Body = std::function<absl::Status(RankProgram&)>;

  RankLauncher(const plan::Plan& plan, const LaunchOptions& options,
               const Body& body)
      : plan_(plan), options_(options), body_(body) {}

  /// Checks all commands and loads the kernels.
  absl::Status Prepare();

  /// Returns when all ranks have ended.
  absl::Status Run();

 private:
  /// The life of one rank; its memory lives on in `program`.
  void LiveRank(RankProgram& program);
  absl::Status RunRank(RankProgram& program);
  absl::Status SetUp(RankProgram& program);
  /// Ends the other ranks too.
  void Fail(RankProgram& program, const absl::Status& status);
  void Note(int rank, absl::string_view line) const {
    if (options_.note) options_.note(rank, line);
  }

  const plan::Plan& plan_;
  const LaunchOptions options_;
  const Body& body_;
  std::unique_ptr<Platform> platform_;
  std::unique_ptr<KernelModule> kernels_;
  /// By stage.
  std::vector<std::unique_ptr<RoleProgram>> roles_;
  std::mutex mutex_;
  /// Of all ranks, as this process learned of it.
  absl::Status failure_;
};

absl::Status RankLauncher::Prepare() {
  MPC_ASSIGN_OR_RETURN(platform_, CreatePlatform(plan_.target().device()));
  if (plan_.target().kernels_size() > 0) {
    MPC_ASSIGN_OR_RETURN(kernels_, platform_->LoadKernels(plan_.target()));
  }
  for (const plan::Role& role : plan_.roles()) {
    MPC_ASSIGN_OR_RETURN(auto program,
                         CreateRoleProgram(plan_, role, kernels_.get()));
    roles_.push_back(std::move(program));
  }
  return absl::OkStatus();
}

absl::Status RankLauncher::SetUp(RankProgram& program) {
  const int rank = program.rank();
  program.program_ = roles_[StageOfRank(plan_, rank)].get();
  program.coordinates_ = CoordinatesOfRank(plan_.mesh(), rank);
  program.layout_ = ArenaLayout(program.role());
  MPC_ASSIGN_OR_RETURN(program.device_,
                       platform_->CreateDevice(options_.threads_per_rank));
  MPC_ASSIGN_OR_RETURN(program.arena_,
                       program.device_->Allocate(program.layout_.bytes()));
  for (const plan::Group& group : plan_.groups()) {
    MPC_ASSIGN_OR_RETURN(auto communicator, program.world_->Split(GroupMembers(
                                                plan_.mesh(), group, rank)));
    program.communicators_.push_back(std::move(communicator));
  }
  MPC_ASSIGN_OR_RETURN(program.channels_, OpenChannels(plan_, *program.world_));
  const std::string where = DescribeCoordinates(plan_.mesh(), rank);
  Note(rank, absl::StrCat("runs as one of ", program.world_->size(),
                          where.empty() ? "" : absl::StrCat(" (", where, ")"),
                          ": threads ", options_.threads_per_rank, ", arena ",
                          program.arena_bytes(), " bytes"));
  return absl::OkStatus();
}

void RankLauncher::Fail(RankProgram& program, const absl::Status& status) {
  const std::string own =
      absl::StrCat("rank ", program.rank(), ": ", status.message());
  Note(program.rank(), absl::StrCat("failed: ", status.message()));
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (failure_.ok()) failure_ = absl::Status(status.code(), own);
  }
  program.world_->Abort(status);
  if (options_.host == nullptr || options_.host->processes() == 1) return;
  // What was first may have been on the rank of another process: every call now
  // fails with it.
  const absl::Status first = program.world_->Barrier();
  std::lock_guard<std::mutex> lock(mutex_);
  if (first.message() != own) failure_ = first;
}

absl::Status RankLauncher::RunRank(RankProgram& program) {
  try {
    MPC_RETURN_IF_ERROR(SetUp(program));
    return body_(program);
  } catch (const std::exception& exception) {
    return absl::InternalError(exception.what());
  } catch (...) {
    return absl::InternalError("threw something that is no std::exception");
  }
}

void RankLauncher::LiveRank(RankProgram& program) {
  ComputingThread computing;
  const absl::Status status = RunRank(program);
  if (!status.ok())
    Fail(program, status);
  else
    Note(program.rank(), "has done its part");
  program.communicators_.clear();
  program.channels_.clear();
  program.world_.reset();
}

absl::Status RankLauncher::Run() {
  // Peers may read a rank's memory until all have stopped.
  std::vector<std::unique_ptr<RankProgram>> programs;
  std::vector<std::thread> threads;
  const int ranks = static_cast<int>(RankCount(plan_.mesh()));
  std::vector<std::unique_ptr<World>> worlds;
  if (options_.host != nullptr) {
    MPC_ASSIGN_OR_RETURN(worlds, options_.host->CreateWorlds(ranks));
  } else {
    worlds = CreateLocalWorlds(ranks);
  }
  for (auto& world : worlds) {
    programs.emplace_back(new RankProgram);
    RankProgram& program = *programs.back();
    program.world_ = std::move(world);
    try {
      threads.emplace_back([this, &program] { LiveRank(program); });
    } catch (const std::system_error& error) {
      Fail(program, absl::ResourceExhaustedError(absl::StrCat(
                        "its thread cannot be created: ", error.what())));
      program.world_.reset();
      break;
    }
  }
  for (std::thread& thread : threads) thread.join();
  return failure_;
}

absl::Status LaunchRanks(
    const plan::Plan& plan, const LaunchOptions& options,
    const std::function<absl::Status(RankProgram& program)>& body) {
  RankLauncher launcher(plan, options, body);
  MPC_RETURN_IF_ERROR(launcher.Prepare());
  return launcher.Run();
}

uint64_t RequiredBytes(const plan::Role& role) {
  return ArenaLayout(role).bytes();
}

uint64_t RequiredBytes(const plan::Plan& plan) {
  uint64_t bytes = 0;
  for (int64_t rank = 0; rank < RankCount(plan.mesh()); ++rank)
    bytes += RequiredBytes(plan.roles(StageOfRank(plan, rank)));
  return bytes;
}

uint64_t RequiredBytes(const plan::Plan& plan, absl::Span<const int> ranks) {
  uint64_t bytes = 0;
  for (const int rank : ranks)
    bytes += RequiredBytes(plan.roles(StageOfRank(plan, rank)));
  return bytes;
}

}  // namespace mpc::runtime
