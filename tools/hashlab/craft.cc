// SPDX-License-Identifier: BSD-3-Clause
// Solves or searches for tuples; see craft.h. Main thread.
#include "hashlab/craft.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "hashlab/progress.h"
#include "hashlab/tuple.h"
#include "hashlab/words.h"

namespace hashlab {
namespace {

constexpr unsigned kSrcEndShift = 16, kDstPortShift = 48;
// Turns that solutions and ranges take in stepping over each other before it counts as a search without
// result.
constexpr uint32_t kMostLeaps = 1'000'000;
constexpr uint64_t kTriesBetweenLooks = 1 << 20;

uint64_t number_of(uint32_t dst_port, uint32_t src_end, uint32_t src_port) {
  return uint64_t{dst_port} << kDstPortShift | uint64_t{src_end} << kSrcEndShift | src_port;
}

// The last bits of a number that are not alike all over the range.
uint32_t free_bits(const Range& range) {
  return static_cast<uint32_t>((uint64_t{1} << std::bit_width(range.first ^ range.last)) - 1);
}

// The hash of any tuple of a space, by way of the bytes where tuples differ.
class Asker {
 public:
  explicit Asker(const CraftRequest& request)
      : fields_(request.fields), hash_(request.hash.hash()), material_(material_of(request.space.base)) {}

  // The function is made once: the tables of Toeplitz take a while.
  const core::FlowHash& hash() const { return hash_; }
  uint32_t operator()(uint64_t x) {
    uint8_t* const front = material_.front;
    const bool v6 = material_.l3 == core::L3::ipv6;
    core::store_be32(front + (v6 ? 12 : 0), static_cast<uint32_t>(x >> kSrcEndShift));
    if (material_.has_ports) {
      core::store_be16(front + (v6 ? 32 : 8), static_cast<uint16_t>(x));
      core::store_be16(front + (v6 ? 34 : 10), static_cast<uint16_t>(x >> kDstPortShift));
    }
    core::FlowKey key;
    core::make_flow_key(material_, fields_, key);
    return hash_(key);
  }

 private:
  const core::KeyFields& fields_;
  const core::FlowHash hash_;
  core::KeyMaterial material_;
};

std::string grouped_size(const CraftSpace& space) {
  return grouped(static_cast<uint64_t>(std::min(space.size(), 1.8e19)));
}

// Linear in the bits that vary: sorting two ends and numbering port ranges are not.
bool is_linear(const CraftRequest& request) {
  return request.hash.algorithm != core::HashAlgorithm::jenkins && !request.fields.symmetric &&
         !request.fields.port_range;
}

LinearHash linear_hash_of(const CraftRequest& request, Asker& ask) {
  const CraftSpace& space = request.space;
  LinearHash linear;
  linear.free = number_of(free_bits(space.dst_port), free_bits(space.src_end), free_bits(space.src_port));
  linear.fixed = space.first() & ~linear.free;
  linear.offset = ask(linear.fixed);
  for (unsigned i = 0; i < 64; ++i) {
    const uint64_t bit = uint64_t{1} << i;
    if ((linear.free & bit) != 0) linear.columns[i] = ask(linear.fixed | bit) ^ linear.offset;
  }
  return linear;
}

// The solutions of one pattern that lie in the space, in turn.
class Cursor {
 public:
  Cursor(const CraftSpace& space, LinearSolutions solutions)
      : space_(space), solutions_(std::move(solutions)), at_(find(space.first())) {}

  std::optional<uint64_t> at() const { return at_; }
  bool gave_up() const { return leaps_ == kMostLeaps; }
  unsigned rank() const { return solutions_.rank(); }
  void advance() { at_ = *at_ == UINT64_MAX ? std::nullopt : find(*at_ + 1); }

 private:
  std::optional<uint64_t> find(uint64_t from) {
    for (leaps_ = 0; leaps_ < kMostLeaps; ++leaps_) {
      const auto in_space = space_.at_least(from);
      const auto solved = in_space ? solutions_.at_least(*in_space) : std::nullopt;
      if (!solved || *solved == *in_space) return solved;
      from = *solved;
    }
    return std::nullopt;
  }

  const CraftSpace& space_;
  LinearSolutions solutions_;
  uint32_t leaps_ = 0;
  std::optional<uint64_t> at_;
};

// The promise of the result: what is handed out went the gateway's own way, from a frame to its hash.
void add_asked(const CraftRequest& request, const core::FlowHash& hash, const Spreader& spreader, uint64_t x,
               CraftResult& result) {
  const core::FiveTuple tuple = request.space.tuple(x);
  core::FlowKey key;
  core::make_flow_key(material_of(tuple), request.fields, key);
  if (!request.goal.met_by(hash(key), spreader))
    throw std::logic_error(words_of(tuple) + ": crafted, but the hash says otherwise");
  result.tuples.push_back(tuple);
}

std::string why_unsolvable(const LinearHash& linear, const std::vector<BitPattern>& patterns) {
  const LinearSolutions of_all(linear, {UINT32_MAX, linear.offset});
  const std::string reached =
      "what may vary reaches " + grouped(uint64_t{1} << of_all.rank()) + " hashes of a linear function";
  return reached +
         (patterns.size() == 1 ? ", none of them with the bits that are wanted" : ", none that is wanted");
}

// Why the hash is the same all over the space though keys vary; empty when it is not, or when only trying
// would tell.
std::string why_constant(const CraftRequest& request) {
  const std::string none = "nothing that may vary changes " + name_of(request.hash);
  if (request.hash.algorithm == core::HashAlgorithm::bond_l2)
    return none + ", which reads MAC addresses only, and a tuple has none";
  if (!is_linear(request)) return "";
  Asker ask(request);
  const LinearHash linear = linear_hash_of(request, ask);
  return std::all_of(linear.columns.begin(), linear.columns.end(),
                     [](uint32_t column) { return column == 0; })
             ? none
             : "";
}

// Whether any two tuples of the space have unlike keys.
bool keys_vary(const CraftRequest& request) {
  const auto key_at = [&request](uint32_t dst_port, uint32_t src_end, uint32_t src_port) {
    core::FlowKey key;
    core::make_flow_key(material_of(request.space.tuple(number_of(dst_port, src_end, src_port))),
                        request.fields, key);
    return hex_of({key.bytes, key.size});
  };
  const auto& [base, src_port, src_end, dst_port] = request.space;
  const std::string first = key_at(dst_port.first, src_end.first, src_port.first);
  return first != key_at(dst_port.last, src_end.first, src_port.first) ||
         first != key_at(dst_port.first, src_end.last, src_port.first) ||
         first != key_at(dst_port.first, src_end.first, src_port.last);
}

CraftResult solve(const CraftRequest& request, const Spreader& spreader,
                  const std::vector<BitPattern>& patterns) {
  CraftResult result{.solved = true};
  Asker ask(request);
  const LinearHash linear = linear_hash_of(request, ask);
  std::vector<Cursor> cursors;
  for (const BitPattern& pattern : patterns) {
    LinearSolutions solutions(linear, pattern);
    if (!solutions.none()) cursors.emplace_back(request.space, std::move(solutions));
  }
  while (result.tuples.size() < request.count) {
    const auto next = std::min_element(cursors.begin(), cursors.end(), [](const Cursor& a, const Cursor& b) {
      return a.at().has_value() && (!b.at() || *a.at() < *b.at());
    });
    if (next == cursors.end() || !next->at()) break;
    add_asked(request, ask.hash(), spreader, *next->at(), result);
    next->advance();
  }
  result.complete = std::none_of(cursors.begin(), cursors.end(),
                                 [](const Cursor& cursor) { return cursor.at() || cursor.gave_up(); });
  if (result.tuples.size() == request.count) return result;
  result.why = cursors.empty()   ? why_unsolvable(linear, patterns)
               : result.complete ? "all solutions were found"
                                 : "gave up, since solutions are too far apart for these ranges";
  return result;
}

CraftResult search(const CraftRequest& request, const Spreader& spreader) {
  CraftResult result;
  Asker ask(request);
  const double most = std::min(request.space.size(), static_cast<double>(request.most_tries));
  Progress progress("searching", "tuples", most);
  std::optional<uint64_t> x = request.space.first();
  while (x && result.tuples.size() < request.count && result.tries < request.most_tries) {
    ++result.tries;
    if (request.goal.met_by(ask(*x), spreader)) add_asked(request, ask.hash(), spreader, *x, result);
    x = *x == UINT64_MAX ? std::nullopt : request.space.at_least(*x + 1);
    if (result.tries % kTriesBetweenLooks == 0) {
      progress.advance(kTriesBetweenLooks);
      if (stopped()) break;
    }
  }
  result.complete = !x;
  if (result.tuples.size() == request.count) return result;
  result.why = result.complete
                   ? "all " + counted(result.tries, "tuple") + " were tried"
                   : grouped(result.tries) + " of " + grouped_size(request.space) + " tuples were tried";
  if (!result.complete && result.tries == request.most_tries) result.why += "; --tries N allows for more";
  return result;
}

// The least power of two of buckets after which the table repeats itself; its size when it does not.
uint32_t period_of(const std::vector<core::Slot>& table) {
  for (size_t period = 1; period < table.size() && table.size() % period == 0; period *= 2) {
    if (std::equal(table.begin() + static_cast<std::ptrdiff_t>(period), table.end(), table.begin()))
      return static_cast<uint32_t>(period);
  }
  return static_cast<uint32_t>(table.size());
}

}  // namespace

uint64_t CraftSpace::first() const {
  return number_of(dst_port.first, src_end.first, src_port.first);
}

std::optional<uint64_t> CraftSpace::at_least(uint64_t x) const {
  auto dst = static_cast<uint32_t>(x >> kDstPortShift), sport = static_cast<uint32_t>(x & 0xffff);
  uint64_t src = x >> kSrcEndShift & UINT32_MAX;
  if (sport > src_port.last) ++src, sport = src_port.first;
  sport = std::max(sport, src_port.first);
  if (src > src_end.last) ++dst, src = src_end.first, sport = src_port.first;
  if (src < src_end.first) src = src_end.first, sport = src_port.first;
  if (dst > dst_port.last) return std::nullopt;
  if (dst < dst_port.first) return first();
  return number_of(dst, static_cast<uint32_t>(src), sport);
}

core::FiveTuple CraftSpace::tuple(uint64_t x) const {
  core::FiveTuple tuple = base;
  core::store_be32(tuple.src.bytes.data() + (tuple.src.v6 ? 12 : 0),
                   static_cast<uint32_t>(x >> kSrcEndShift));
  tuple.src_port = static_cast<uint16_t>(x);
  tuple.dst_port = static_cast<uint16_t>(x >> kDstPortShift);
  return tuple;
}

double CraftSpace::size() const {
  const auto of = [](const Range& range) { return static_cast<double>(range.last - range.first) + 1; };
  return of(src_port) * of(src_end) * of(dst_port);
}

std::optional<std::vector<BitPattern>> patterns_of(const Spreader& spreader, Reduction reduction,
                                                   core::Slot slot) {
  const std::vector<core::Slot>& table = spreader.table();
  const bool high_bits = reduction == Reduction::multiply_shift;
  const uint32_t buckets = high_bits ? spreader.buckets() : period_of(table);
  if (!std::has_single_bit(buckets)) return std::nullopt;
  const auto bits = static_cast<unsigned>(std::countr_zero(buckets));
  const unsigned shift = high_bits && bits > 0 ? 32 - bits : 0;
  std::vector<BitPattern> patterns;
  for (uint32_t bucket = 0; bucket < buckets; ++bucket) {
    if (table[bucket] == slot) patterns.push_back({(buckets - 1) << shift, bucket << shift});
  }
  return patterns;
}

CraftResult craft(const CraftRequest& request, const Spreader& spreader) {
  std::string why = request.space.size() == 1 ? "it was the only one"
                    : !keys_vary(request)     ? "nothing that may vary is in the key"
                                              : why_constant(request);
  if (!why.empty() && !request.goal.met_by(Asker(request)(request.space.first()), spreader))
    return {.complete = true, .tries = 1, .why = std::move(why)};
  if (is_linear(request)) {
    const CraftGoal& goal = request.goal;
    const auto patterns = goal.hash ? std::vector<BitPattern>{{UINT32_MAX, *goal.hash}}
                                    : patterns_of(spreader, request.reduction, goal.slot);
    if (patterns) return solve(request, spreader, *patterns);
  }
  return search(request, spreader);
}

}  // namespace hashlab
