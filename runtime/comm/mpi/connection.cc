#include "runtime/comm/mpi/connection.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace mpc::runtime {
namespace {

/// What goes before the text of a frame. All processes run on machines of one
/// byte order, as MPI without conversions asks for anyway.
struct Header {
  uint32_t text_bytes;
  Frame::Kind kind;
  int32_t world;
  int32_t rank;
};

/// Beyond it a stranger is at the other end.
constexpr uint32_t kMaxTextBytes = 1 << 20;

bool IsAgain(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

Connection::Connection(int descriptor) : descriptor_(descriptor) {
  fcntl(descriptor_, F_SETFL, fcntl(descriptor_, F_GETFL) | O_NONBLOCK);
  fcntl(descriptor_, F_SETFD, FD_CLOEXEC);
  const int on = 1;
  setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

Connection::~Connection() { close(descriptor_); }

void Connection::Put(const Frame& frame) {
  Header header = {};
  header.text_bytes = static_cast<uint32_t>(frame.text.size());
  header.kind = frame.kind;
  header.world = frame.world;
  header.rank = frame.rank;
  output_.append(reinterpret_cast<const char*>(&header), sizeof(header));
  output_.append(frame.text);
}

bool Connection::Flush() {
  while (!output_.empty()) {
    const ssize_t sent =
        send(descriptor_, output_.data(), output_.size(), MSG_NOSIGNAL);
    if (sent < 0) return IsAgain(errno);
    output_.erase(0, sent);
  }
  return true;
}

bool Connection::Receive(std::vector<Frame>& frames) {
  bool is_open = true;
  char buffer[4096];
  for (;;) {
    const ssize_t got = recv(descriptor_, buffer, sizeof(buffer), 0);
    if (got <= 0) {
      is_open = got < 0 && IsAgain(errno);
      break;
    }
    input_.append(buffer, got);
  }
  size_t done = 0;
  Header header;
  while (input_.size() - done >= sizeof(header)) {
    std::memcpy(&header, input_.data() + done, sizeof(header));
    if (header.text_bytes > kMaxTextBytes) return false;
    if (input_.size() - done < sizeof(header) + header.text_bytes) break;
    Frame frame;
    frame.kind = header.kind;
    frame.world = header.world;
    frame.rank = header.rank;
    frame.text = input_.substr(done + sizeof(header), header.text_bytes);
    frames.push_back(std::move(frame));
    done += sizeof(header) + header.text_bytes;
  }
  input_.erase(0, done);
  return is_open;
}

}  // namespace mpc::runtime
