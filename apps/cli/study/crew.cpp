#include "crew.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "../command.hpp"
#include "fisherman/core/error.hpp"

namespace fisherman::cli::study {
namespace {

/// The other ranks, while there are Helpers.
struct Others {
  Messenger* messenger = nullptr;
  std::vector<Machine> machines;  // of all ranks
};
Others& others() {
  static Others all;
  return all;
}

Machine this_machine() {
  Machine out;
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  out.name = name;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &allowed)) out.cores.push_back(core);
  } else {  // more than fit into a set
    out.cores.resize(std::max(1U, std::thread::hardware_concurrency()));
    std::iota(out.cores.begin(), out.cores.end(), 0);
  }
  return out;
}

/// What the first rank tells another.
struct Order {
  enum What : int { begin, stop, clear, tell, end };
  int what = end;
  Task task;
  auto fields() { return std::tie(what, task); }
};

/// What another tells the first rank.
struct News {
  std::vector<Trial> back;
  std::string trouble;  // see detail::trouble_of()
  bool interrupted = false;
  auto fields() { return std::tie(back, trouble, interrupted); }
  bool any() const { return !back.empty() || !trouble.empty() || interrupted; }
};

void send(Order::What what, int to, Task task = {}) {
  others().messenger->send(as_message(Order{what, std::move(task)}), to);
}

/// What the others do for the first rank.
class Helper {
 public:
  explicit Helper(Messenger& ranks) : ranks_(ranks) {}

  void work() {
    while (!over_) {
      try {
        while (!over_ && ranks_.sender()) obey(from_message<Order>(ranks_.receive(0)));
        for (Trial& trial : processes_.ended()) news_.back.push_back(std::move(trial));
      } catch (...) {
        news_.trouble = detail::trouble_of(std::current_exception());
      }
      if (interrupted().load() && !told_) news_.interrupted = told_ = true;
      if (news_.any() && !rung_) {
        ranks_.send("", 0);
        rung_ = true;
      }
      pause();
    }
  }

  static void pause() { std::this_thread::sleep_for(std::chrono::milliseconds(5)); }

 private:
  void obey(Order order) {
    switch (Order::What(order.what)) {
      case Order::begin:
        return processes_.begin(std::move(order.task));
      case Order::stop:
        return processes_.stop();
      case Order::clear:
        return clear(order.task.folder);
      case Order::tell:
        ranks_.send(as_message(news_), 0);
        news_ = {};
        rung_ = false;
        return;
      case Order::end:
        over_ = true;
    }
  }

  Messenger& ranks_;
  Processes processes_;
  News news_;
  bool rung_ = false, told_ = false, over_ = false;
};

}  // namespace

int cores_of(std::size_t rank, const std::vector<Machine>& ranks) {
  double share = 0.0;
  for (const int core : ranks[rank].cores)
    share += 1.0 / double(std::count_if(ranks.begin(), ranks.end(), [&](const Machine& one) {
               return one.name == ranks[rank].name &&
                      std::find(one.cores.begin(), one.cores.end(), core) != one.cores.end();
             }));
  return std::max(1, int(share + 1e-6));  // thirds add up to one
}

void help_first_rank() {
  from_each_rank(this_machine());
  interrupted();  // from now on
  Helper(*messenger()).work();
}

Helpers::Helpers() {
  others().machines = from_each_rank(this_machine());
  others().messenger = messenger();
}

Helpers::~Helpers() {
  for (int rank = 1; rank < int(others().machines.size()); ++rank) send(Order::end, rank);
  others() = {};
}

Crew::Crew(int jobs) {
  std::vector<Machine> machines = others().machines;
  if (machines.empty()) machines = {this_machine()};
  for (std::size_t rank = 0; rank < machines.size(); ++rank) {
    const int cores = cores_of(rank, machines), here = jobs > 0 ? jobs : cores;
    places_.push_back({here, std::max(1, cores / here), 0});
  }
}

bool Crew::has_room() const {
  return std::any_of(places_.begin(), places_.end(),
                     [](const Place& place) { return place.busy < place.jobs; });
}

bool Crew::is_idle() const {
  return std::all_of(places_.begin(), places_.end(),
                     [](const Place& place) { return place.busy == 0; });
}

bool Crew::interrupted() const { return interrupted_elsewhere_ || cli::interrupted().load(); }

void Crew::begin(const Trial& trial, const std::filesystem::path& folder) {
  const auto place = std::max_element(
      places_.begin(), places_.end(),
      [](const Place& a, const Place& b) { return a.jobs - a.busy < b.jobs - b.busy; });
  const int rank = int(place - places_.begin());
  Task task{trial, folder.string(), place->threads};
  if (rank == 0)
    here_.begin(std::move(task));
  else
    send(Order::begin, rank, std::move(task));
  ++place->busy;
  ran_[trial.id] = rank;
}

void Crew::stop() {
  here_.stop();
  for (int rank = 1; rank < int(places_.size()); ++rank) send(Order::stop, rank);
}

std::vector<Trial> Crew::back() {
  std::vector<Trial> out = here_.ended();
  places_[0].busy = int(here_.count());
  if (others().messenger != nullptr)
    while (const auto rank = others().messenger->sender()) take(*rank, out);
  return out;
}

void Crew::take(int rank, std::vector<Trial>& out) {
  send(Order::tell, rank);
  std::string bytes;
  while (bytes.empty()) bytes = others().messenger->receive(rank);  // it may have rung
  News news = from_message<News>(std::move(bytes));
  if (!news.trouble.empty()) detail::throw_trouble(news.trouble);
  interrupted_elsewhere_ = interrupted_elsewhere_ || news.interrupted;
  places_[std::size_t(rank)].busy -= int(news.back.size());
  for (Trial& trial : news.back) out.push_back(std::move(trial));
}

void Crew::clear(const Trial& trial, const std::filesystem::path& folder) {
  const auto ran = ran_.find(trial.id);
  const int rank = ran == ran_.end() ? 0 : ran->second;
  ran_.erase(trial.id);
  if (rank == 0)
    study::clear(folder);
  else
    send(Order::clear, rank, {{}, folder.string()});
}

void Crew::settle() {
  std::vector<Trial> none;
  for (int rank = 1; rank < int(places_.size()); ++rank) take(rank, none);
}

}  // namespace fisherman::cli::study
