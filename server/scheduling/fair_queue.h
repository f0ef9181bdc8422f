#ifndef LADDER_SERVER_SCHEDULING_FAIR_QUEUE_H_
#define LADDER_SERVER_SCHEDULING_FAIR_QUEUE_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <unordered_map>
#include <utility>

namespace ladder::server {

// Items of many streams, taken in turns: each stream's in the order in which
// they came, however many the others have. Not thread-safe.
template <typename Item>
class FairQueue {
 public:
  bool empty() const { return turns_.empty(); }
  size_t num_streams() const { return turns_.size(); }

  void Push(uint64_t stream, Item item) {
    const auto [place, is_new] = places_.try_emplace(stream, turns_.end());
    if (is_new) {
      place->second = turns_.insert(turns_.end(), {.stream = stream});
    }
    place->second->items.push_back(std::move(item));
  }

  // The first item of the stream whose turn it is. Expects !empty().
  Item& Front() { return turns_.front().items.front(); }

  // Calls `visit` with the first item of every stream.
  template <typename Visitor>
  void VisitFronts(Visitor visit) const {
    for (const Turn& turn : turns_) visit(turn.items.front());
  }

  // Removes that item and ends the turn of its stream.
  void Pop() {
    turns_.front().items.pop_front();
    EndTurn();
  }

  // Removes that item; the stream goes on with its next one. False if it has
  // none, which ends its turn.
  bool PopWithinTurn() {
    turns_.front().items.pop_front();
    const bool goes_on = !turns_.front().items.empty();
    if (!goes_on) EndTurn();
    return goes_on;
  }

  // The stream goes on with the same item when it is its turn again.
  void EndTurn() {
    if (turns_.front().items.empty()) {
      places_.erase(turns_.front().stream);
      turns_.pop_front();
    } else {
      turns_.splice(turns_.end(), turns_, turns_.begin());
    }
  }

 private:
  struct Turn {
    uint64_t stream = 0;
    std::deque<Item> items = {};
  };

  std::list<Turn> turns_;  // The first is the next; none is without items.
  std::unordered_map<uint64_t, typename std::list<Turn>::iterator> places_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_SCHEDULING_FAIR_QUEUE_H_
