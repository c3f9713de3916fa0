#include "runtime/comm/mpi/rendezvous.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pmix.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "runtime/status_macros.h"

namespace mpc::runtime {
namespace {

constexpr char kKey[] = "mpc.watch";
constexpr int kTokenBytes = 16;
/// For rank 0 to answer at one of its addresses.
constexpr int kAnswerMilliseconds = 1000;

absl::Status PmixError(absl::string_view call, pmix_status_t status) {
  return absl::UnavailableError(
      absl::StrCat(call, ": ", PMIx_Error_string(status),
                   "; expected to be started by mpirun of Open MPI"));
}

/// IPv4 addresses of this host, loopback last.
std::vector<std::string> OwnAddresses() {
  std::vector<std::string> addresses, loopback;
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {"127.0.0.1"};
  for (const ifaddrs* i = list; i != nullptr; i = i->ifa_next) {
    if (i->ifa_addr == nullptr || i->ifa_addr->sa_family != AF_INET ||
        (i->ifa_flags & IFF_UP) == 0)
      continue;
    char text[INET_ADDRSTRLEN];
    const auto* address = reinterpret_cast<const sockaddr_in*>(i->ifa_addr);
    inet_ntop(AF_INET, &address->sin_addr, text, sizeof(text));
    ((i->ifa_flags & IFF_LOOPBACK) != 0 ? loopback : addresses).push_back(text);
  }
  freeifaddrs(list);
  addresses.insert(addresses.end(), loopback.begin(), loopback.end());
  return addresses;
}

absl::Status Publish(std::string text) {
  pmix_value_t value;
  PMIX_VALUE_CONSTRUCT(&value);
  value.type = PMIX_STRING;
  value.data.string = text.data();
  pmix_status_t status = PMIx_Put(PMIX_GLOBAL, kKey, &value);
  if (status == PMIX_SUCCESS) status = PMIx_Commit();
  return status == PMIX_SUCCESS ? absl::OkStatus()
                                : PmixError("PMIx_Put", status);
}

/// Waits for rank 0 of this run to publish.
absl::StatusOr<std::string> FindFirst(pmix_proc_t first) {
  first.rank = 0;
  for (;;) {
    pmix_value_t* value = nullptr;
    const pmix_status_t status = PMIx_Get(&first, kKey, nullptr, 0, &value);
    if (status == PMIX_SUCCESS) {
      std::string text = value->data.string;
      PMIX_VALUE_RELEASE(value);
      return text;
    }
    if (status != PMIX_ERR_NOT_FOUND && status != PMIX_ERR_TIMEOUT)
      return PmixError("PMIx_Get", status);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

absl::Status ListenFor(Watch& watch) {
  const int listener =
      socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  socklen_t length = sizeof(address);
  char random[kTokenBytes];
  if (listener < 0 ||
      bind(listener, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      listen(listener, SOMAXCONN) != 0 ||
      getsockname(listener, reinterpret_cast<sockaddr*>(&address), &length) !=
          0 ||
      getrandom(random, sizeof(random), 0) != sizeof(random)) {
    const absl::Status status =
        absl::ErrnoToStatus(errno, "a socket for the other processes");
    if (listener >= 0) close(listener);
    return status;
  }
  const std::string token =
      absl::BytesToHexString(absl::string_view(random, sizeof(random)));
  watch.Listen(listener, token);
  return Publish(absl::StrCat(token, "|", ntohs(address.sin_port), "|",
                              absl::StrJoin(OwnAddresses(), ","), "|",
                              DescribeThisProcess()));
}

/// Null if nobody who knows the token answers in time.
std::unique_ptr<Connection> TryAddress(const std::string& host, int port,
                                       const Frame& hello,
                                       std::vector<Frame>& frames) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1) return nullptr;
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return nullptr;
  auto connection = std::make_unique<Connection>(descriptor);
  if (connect(descriptor, reinterpret_cast<sockaddr*>(&address),
              sizeof(address)) != 0 &&
      errno != EINPROGRESS)
    return nullptr;
  pollfd polled = {descriptor, POLLOUT, 0};
  if (poll(&polled, 1, kAnswerMilliseconds) != 1) return nullptr;
  connection->Put(hello);
  polled.events = POLLIN;
  if (!connection->Flush() || poll(&polled, 1, kAnswerMilliseconds) != 1 ||
      !connection->Receive(frames) || frames.empty() ||
      frames[0].kind != Frame::Kind::kWelcome)
    return nullptr;
  return connection;
}

absl::Status ConnectTo(const pmix_proc_t& self, int rank, Watch& watch) {
  MPC_ASSIGN_OR_RETURN(const std::string text, FindFirst(self));
  const std::vector<std::string> fields = absl::StrSplit(text, '|');
  int port;
  if (fields.size() != 4 || !absl::SimpleAtoi(fields[1], &port))
    return absl::InternalError(
        absl::StrCat("rank 0 is at \"", text, "\", which cannot be read"));
  const Frame hello = {Frame::Kind::kHello, 0, rank,
                       absl::StrCat(fields[0], DescribeThisProcess())};
  const std::vector<std::string> hosts = absl::StrSplit(fields[2], ',');
  for (;;) {
    for (const std::string& host : hosts) {
      std::vector<Frame> frames;
      auto connection = TryAddress(host, port, hello, frames);
      if (!connection) continue;
      watch.Connect(std::move(connection), fields[3], frames);
      return absl::OkStatus();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

std::string DescribeThisProcess() {
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  return absl::StrCat("host ", host, ", process ", getpid());
}

absl::Status MeetThroughLauncher(int rank, int size, Watch& watch) {
  pmix_proc_t self;
  const pmix_status_t status = PMIx_Init(&self, nullptr, 0);
  if (status != PMIX_SUCCESS) return PmixError("PMIx_Init", status);
  return rank == 0 ? ListenFor(watch) : ConnectTo(self, rank, watch);
}

// PMIx counts how often it has been initialised; a last Finalize before MPI's
// Init would end this process in the launcher's eyes.
void LeaveLauncher() { PMIx_Finalize(nullptr, 0); }

}  // namespace mpc::runtime
