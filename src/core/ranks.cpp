#include "fisherman/core/ranks.hpp"

#include <exception>
#include <new>

#include "fisherman/core/error.hpp"

namespace fisherman {
namespace {

thread_local Messenger* the_messenger = nullptr;

}  // namespace

void set_messenger(Messenger* messenger) { the_messenger = messenger; }
Messenger* messenger() { return the_messenger; }

Traffic& traffic() {
  static Traffic all;
  return all;
}

namespace detail {

// The first letter says what it was.
std::string trouble_of(const std::exception_ptr& error) {
  if (!error) return {};
  try {
    std::rethrow_exception(error);
  } catch (const Misuse& e) {
    return std::string("M") + e.what();
  } catch (const NotFinite& e) {
    return std::string("N") + e.what();
  } catch (const FileError& e) {
    return std::string("F") + e.what();
  } catch (const std::bad_alloc&) {
    return "A";
  } catch (const std::exception& e) {
    return std::string("O") + e.what();
  } catch (...) {
    return "Osomething that is no exception was thrown";
  }
}

void throw_trouble(const std::string& trouble) {
  const std::string words = trouble.substr(1);
  switch (trouble[0]) {
    case 'M':
      throw Misuse(words);
    case 'N':
      throw NotFinite(words);
    case 'F':
      throw FileError(words);
    case 'A':
      throw std::bad_alloc();
    default:
      throw std::runtime_error(words);
  }
}

void share_trouble(const std::string& trouble) {
  if (largest_of_ranks(trouble.empty() ? 0 : 1) == 0) return;
  for (const std::string& one : from_each_rank(trouble))
    if (!one.empty()) throw_trouble(one);
}

}  // namespace detail
}  // namespace fisherman
