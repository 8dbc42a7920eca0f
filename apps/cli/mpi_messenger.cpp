#include "mpi_messenger.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <thread>
#include <vector>

#include "command.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/memory.hpp"
#include "mpi_environment.hpp"
#ifdef FISHERMAN_MPI
#include <mpi.h>
#endif

namespace fisherman::cli {

#ifdef FISHERMAN_MPI
namespace {

using Clock = std::chrono::steady_clock;

class MpiMessenger final : public Messenger {
 public:
  MpiMessenger() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
    MPI_Comm_dup(MPI_COMM_WORLD, &at_the_end_);
    MPI_Comm here = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    int sharing = 1;
    MPI_Comm_size(here, &sharing);
    MPI_Comm_free(&here);
    share_memory_among(sharing);
  }

  int rank() const override { return rank_; }
  int count() const override { return count_; }

  void send(const std::string& bytes, int to) override {
    const Timed timed(bytes.size());
    pieces(bytes.size(), [&](std::size_t at, int size) {
      MPI_Send(bytes.data() + at, size, MPI_BYTE, to, 0, MPI_COMM_WORLD);
    });
  }

  std::string receive(int from) override {
    const Timed timed;
    std::string bytes;
    for (int size = piece_; size == piece_;) {
      MPI_Status status;
      MPI_Probe(from, 0, MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_BYTE, &size);
      const std::size_t at = bytes.size();
      bytes.resize(at + std::size_t(size));
      MPI_Recv(bytes.data() + at, size, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return bytes;
  }

  std::optional<int> sender() override {
    int there = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &there, &status);
    return there != 0 ? std::optional(status.MPI_SOURCE) : std::nullopt;
  }

  void broadcast(std::string& bytes, int from) override {
    const Timed timed(rank_ == from ? bytes.size() : 0);
    std::uint64_t size = bytes.size();
    MPI_Bcast(&size, 1, MPI_UINT64_T, from, MPI_COMM_WORLD);
    bytes.resize(size);
    pieces(size, [&](std::size_t at, int count) {
      MPI_Bcast(bytes.data() + at, count, MPI_BYTE, from, MPI_COMM_WORLD);
    });
  }

  // In turns of one partner each way, so that no more than one message is on its way to anybody.
  std::vector<std::string> exchange(std::vector<std::string> to_each) override {
    std::vector<std::string> out(static_cast<std::size_t>(count_));
    out[std::size_t(rank_)] = std::move(to_each[std::size_t(rank_)]);
    for (int step = 1; step < count_; ++step) {
      const int to = (rank_ + step) % count_, from = (rank_ + count_ - step) % count_;
      std::string& mine = to_each[std::size_t(to)];
      std::string& theirs = out[std::size_t(from)];
      const Timed timed(mine.size());
      std::uint64_t size = mine.size(), their_size = 0;
      MPI_Sendrecv(&size, 1, MPI_UINT64_T, to, 1, &their_size, 1, MPI_UINT64_T, from, 1,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      theirs.resize(their_size);
      // Not piece for piece: who sends to us may have more to send than we have, or less.
      std::vector<MPI_Request> sent;
      pieces(size, [&](std::size_t at, int count) {
        MPI_Isend(mine.data() + at, count, MPI_BYTE, to, 1, MPI_COMM_WORLD, &sent.emplace_back());
      });
      pieces(their_size, [&](std::size_t at, int count) {
        MPI_Recv(theirs.data() + at, count, MPI_BYTE, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      });
      MPI_Waitall(int(sent.size()), sent.data(), MPI_STATUSES_IGNORE);
      mine.clear();
    }
    return out;
  }

  std::int64_t largest(std::int64_t number) override {
    const Timed timed(sizeof number);
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
    return number;
  }

  /// Whether all ranks come here while we wait.
  bool all_end() const {
    MPI_Request request;
    MPI_Ibarrier(at_the_end_, &request);
    int all = 0;
    for (const auto began = Clock::now(); all == 0 && Clock::now() - began < patience;) {
      MPI_Test(&request, &all, MPI_STATUS_IGNORE);
      if (all == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return all != 0;
  }

 private:
  /// MPI counts with int. Tests send many pieces.
  static int size_of_piece() {
    const char* const given = std::getenv("FISHERMAN_MESSAGE_PIECE");
    return given != nullptr && std::atoi(given) > 0 ? std::atoi(given) : 1 << 30;
  }
  static constexpr auto patience = std::chrono::seconds(2);

  /// Adds to what traffic() tells.
  class Timed {
   public:
    explicit Timed(std::size_t bytes = 0) {
      if (bytes == 0) return;
      ++traffic().messages;
      traffic().bytes += std::int64_t(bytes);
    }
    ~Timed() { traffic().seconds += std::chrono::duration<double>(Clock::now() - began_).count(); }

   private:
    Clock::time_point began_ = Clock::now();
  };

  /// use(where it begins, number of bytes) for each piece. The last is smaller than the others, and may be empty: it says
  /// that it is the last.
  template <class Use>
  void pieces(std::size_t size, const Use& use) const {
    std::size_t at = 0;
    for (; size - at >= std::size_t(piece_); at += std::size_t(piece_)) use(at, piece_);
    use(at, int(size - at));
  }

  const int piece_ = size_of_piece();
  int rank_ = 0, count_ = 1;
  MPI_Comm at_the_end_ = MPI_COMM_NULL;
};

/// What other ranks print is what the first prints.
void silence() {
  static struct Nothing : std::streambuf {
    int overflow(int c) override { return c; }
  } nothing;
  std::cout.rdbuf(&nothing);
  std::cerr.rdbuf(&nothing);
}

}  // namespace

Job::Job() {
  if (!is_started_by_mpi()) return;
  MPI_Init(nullptr, nullptr);
  auto messenger = std::make_unique<MpiMessenger>();
  if (messenger->count() == 1) return;
  if (messenger->rank() != 0) silence();
  messenger_ = std::move(messenger);
  set_messenger(messenger_.get());
}

Job::~Job() {
  set_messenger(nullptr);
  messenger_.reset();
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun != 0) MPI_Finalize();
}

void Job::fail(const std::string& words) const {
  // Without a messenger this rank works by itself, and others have nothing left to do.
  if (messenger() == nullptr || static_cast<const MpiMessenger&>(*messenger_).all_end()) {
    std::cerr << words << std::flush;
    return;
  }
  const std::string all = words.substr(0, words.find_last_not_of('\n') + 1) + " (rank " +
                          std::to_string(messenger_->rank()) + ", which ends the job)\n";
  std::fputs(all.c_str(), stderr);  // std::cerr may be silenced
  MPI_Abort(MPI_COMM_WORLD, misuse);
}

#else

Job::Job() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* const size = std::getenv(name); size != nullptr && std::atoi(size) > 1)
      throw Misuse(
          "this program was built without MPI, so that every rank would do all of the work");
}
Job::~Job() = default;
void Job::fail(const std::string& words) const { std::cerr << words << std::flush; }

#endif

}  // namespace fisherman::cli
