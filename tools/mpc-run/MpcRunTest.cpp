//===- MpcRunTest.cpp - mpc-run as a process --------------------*- C++ -*-===//
//
// What only a process shows: exit codes, the version, and Ctrl-C.
//
//===----------------------------------------------------------------------===//

#include "runtime/plan/plan_bytes.h"
#include "runtime/testing/bigram_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace mpc;
using namespace mpc::runtime;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

std::string pathOf(const std::string &name) {
  return ::testing::TempDir() + "mpc_run_" +
         ::testing::UnitTest::GetInstance()->current_test_info()->name() + name;
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string writeFile(const std::string &name, const std::string &bytes) {
  std::string path = pathOf(name);
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

/// A running mpc-run whose standard output can be read line by line.
class Process {
public:
  explicit Process(std::vector<std::string> arguments)
      : errorPath(pathOf(".stderr")) {
    arguments.insert(arguments.begin(), MPC_RUN);
    std::vector<char *> argv;
    for (std::string &argument : arguments)
      argv.push_back(argument.data());
    argv.push_back(nullptr);
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      close(ends[1]);
      if (!std::freopen(errorPath.c_str(), "w", stderr))
        _exit(127);
      execv(argv[0], argv.data());
      _exit(127);
    }
    close(ends[1]);
    output = fdopen(ends[0], "r");
  }

  /// Empty at the end.
  std::string readLine() {
    std::string line;
    for (int c; (c = std::fgetc(output)) != EOF;) {
      line += static_cast<char>(c);
      if (c == '\n')
        break;
    }
    return line;
  }

  void interrupt() { kill(pid, SIGINT); }
  void closeOutput() {
    std::fclose(output);
    output = nullptr;
  }

  /// The exit code, or -1 if a signal ended the process.
  int wait() {
    while (output && !readLine().empty()) {
    }
    if (output)
      closeOutput();
    int status = 0;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  std::string error() const { return readFile(errorPath); }

private:
  std::string errorPath;
  pid_t pid;
  std::FILE *output;
};

/// The arguments of a training run that would take very long.
std::vector<std::string> longRun() {
  BigramOptions options;
  options.dp = 2;
  plan::Plan plan = MakeBigramPlan(options);
  return {"train", writeFile(".plan", SerializePlan(plan)),
          "--data=" + writeFile(".tokens", std::string(100, '\1')),
          "--steps=1000000000", "--log=-"};
}

TEST(MpcRunTest, VersionAndHelp) {
  Process version({"--version"});
  EXPECT_EQ(version.readLine(), "mpc-run " MPC_EXPECTED_VERSION "\n");
  EXPECT_EQ(version.wait(), 0);
  for (const std::string command : {"train", "verify", "inspect", "simulate"}) {
    Process help({command, "--help"});
    std::string text;
    for (std::string line; !(line = help.readLine()).empty();)
      text += line;
    EXPECT_EQ(help.wait(), 0);
    EXPECT_THAT(text, AllOf(HasSubstr("Usage: mpc-run " + command + " PLAN"),
                            HasSubstr("Examples:\n")));
  }
}

TEST(MpcRunTest, WrongCommandsExitWith2) {
  Process none({});
  EXPECT_EQ(none.wait(), 2);
  EXPECT_THAT(none.error(), HasSubstr("no command given"));
  Process typo({"trian"});
  EXPECT_EQ(typo.wait(), 2);
  EXPECT_THAT(typo.error(),
              HasSubstr("unknown command trian, did you mean train; "
                        "commands: train, verify, inspect, simulate, profile"));
  Process later({"eval"});
  EXPECT_EQ(later.wait(), 2);
  EXPECT_THAT(later.error(), HasSubstr("command eval is not in this version"));
}

TEST(MpcRunTest, InterruptEndsTheRunAfterAStep) {
  Process process(longRun());
  EXPECT_THAT(process.readLine(), HasSubstr("{\"step\": 1, "));
  process.interrupt();
  EXPECT_EQ(process.wait(), 0);
  EXPECT_THAT(process.error(), AllOf(HasSubstr("stopped on request after step"),
                                     HasSubstr("nothing was saved")));
}

TEST(MpcRunTest, AClosedPipeIsAnErrorWithAMessage) {
  Process process(longRun());
  process.readLine();
  process.closeOutput();
  EXPECT_EQ(process.wait(), 1);
  EXPECT_THAT(process.error(),
              HasSubstr("log on standard output: cannot be written: Broken "
                        "pipe"));
}

/// The exit code of a command line of mpc-run, redirections included.
int runInShell(const std::string &line) {
  int status = std::system((MPC_RUN " " + line).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(MpcRunTest, AClosedStandardStreamIsNoPlaceForALog) {
  std::string arguments =
      "train " + writeFile(".plan", SerializePlan(MakeBigramPlan({}))) +
      " --steps=2 --data=" + writeFile(".tokens", std::string(100, '\1'));
  EXPECT_EQ(runInShell(arguments + " --log=- >&- 2>" + pathOf(".stderr")), 1);
  EXPECT_THAT(readFile(pathOf(".stderr")),
              HasSubstr("log on standard output: cannot be written"));
  // Progress does not go into the file that is opened next.
  EXPECT_EQ(runInShell(arguments + " --log=" + pathOf(".log") + " 2>&-"), 0);
  EXPECT_THAT(readFile(pathOf(".log")),
              AllOf(HasSubstr("{\"step\": 2, "), Not(HasSubstr("training"))));
}

TEST(MpcRunTest, InspectEndsSilentlyWhenNoOneReadsOn) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  std::string plan = writeFile(".plan", SerializePlan(MakeBigramPlan({})));
  // The shell's code for SIGPIPE.
  EXPECT_EQ(runInShell("inspect " + plan + " >&" + std::to_string(ends[1]) +
                       " 2>" + pathOf(".stderr") + "; exit $?"),
            128 + SIGPIPE);
  close(ends[1]);
  EXPECT_EQ(readFile(pathOf(".stderr")), "");
}

TEST(MpcRunTest, VerifyRefusesAFormatOfNoData) {
  Process process(
      {"verify", "a.plan", "--reference=b.plan", "--data-format=u16"});
  EXPECT_EQ(process.wait(), 2);
  EXPECT_THAT(process.error(), HasSubstr("which is not given"));
}

TEST(MpcRunTest, SimulateNeedsAClusterThatCanHoldThePlan) {
  BigramOptions options;
  options.dp = 2;
  std::string plan = writeFile(".plan", SerializePlan(MakeBigramPlan(options)));
  Process none({"simulate", plan});
  EXPECT_EQ(none.wait(), 2);
  EXPECT_THAT(none.error(),
              HasSubstr("expected one of --cluster and --cluster-file"));
  Process known({"simulate", plan, "--cluster=gb200_nvl72",
                 "--html=" + pathOf(".html"), "--trace=" + pathOf(".trace")});
  EXPECT_EQ(known.wait(), 0);
  EXPECT_THAT(readFile(pathOf(".html")), HasSubstr("GB200 NVL72"));
  EXPECT_THAT(readFile(pathOf(".trace")), HasSubstr("traceEvents"));
  Process unknown({"simulate", plan, "--cluster=abacus"});
  EXPECT_EQ(unknown.wait(), 1);
  EXPECT_THAT(unknown.error(), HasSubstr("no machine is called abacus"));
  Process few({"simulate", plan, "--cluster=h100_dgx", "--devices=1"});
  EXPECT_EQ(few.wait(), 1);
  EXPECT_THAT(few.error(),
              HasSubstr("the plan has 2 ranks, but cluster DGX H100 has 1"));
}

TEST(MpcRunTest, SimulateNamesTheLineOfAWrongClusterFile) {
  std::string plan = writeFile(".plan", SerializePlan(MakeBigramPlan({})));
  Process wrong({"simulate", plan,
                 "--cluster-file=" + writeFile(".textproto", "\ndevices: 0")});
  EXPECT_EQ(wrong.wait(), 1);
  EXPECT_THAT(wrong.error(), HasSubstr(".textproto: line 2: devices is 0"));
}

TEST(MpcRunTest, SimulateSaysWhatDoesNotFit) {
  plan::Plan large = MakeBigramPlan({});
  large.mutable_roles(0)->set_transient_bytes(100'000'000'000);
  std::string plan = writeFile(".plan", SerializePlan(large));
  Process full({"simulate", plan, "--cluster=a100_dgx_80gb"});
  EXPECT_EQ(full.wait(), 1);
  EXPECT_THAT(full.error(), HasSubstr("a rank of stage 0 allocates 100.0 GB, a "
                                      "device has 84.3 GB to use"));
  Process anyway(
      {"simulate", plan, "--cluster=a100_dgx_80gb", "--allow-overflow"});
  EXPECT_EQ(anyway.wait(), 0);
}

TEST(MpcRunTest, InspectSaysWhatTwoPlansDoDifferently) {
  BigramOptions options;
  std::string one = writeFile(".1", SerializePlan(MakeBigramPlan(options)));
  options.dp = 2;
  std::string two = writeFile(".2", SerializePlan(MakeBigramPlan(options)));
  Process diff({"inspect", "--diff", one, two});
  EXPECT_EQ(diff.readLine(), "mesh           one rank\n");
  EXPECT_EQ(diff.readLine(), "               dp=2\n");
  EXPECT_EQ(diff.wait(), 0);
  Process json({"inspect", "--diff", one, two, "--format=json"});
  EXPECT_EQ(json.wait(), 2);
}

} // namespace
