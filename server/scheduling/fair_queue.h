#ifndef LADDER_SERVER_SCHEDULING_FAIR_QUEUE_H_
#define LADDER_SERVER_SCHEDULING_FAIR_QUEUE_H_

#include <cstddef>
#include <deque>
#include <list>
#include <unordered_map>
#include <utility>

#include "server/scheduling/work_account.h"

namespace ladder::server {

// Items of many calls, taken in turns: those of the caller for whom least was
// done lately come first, and among its calls likewise; calls for which as much
// was done one after the other. The items of one call keep their order. Not
// thread-safe.
template <typename Item>
class FairQueue {
 public:
  bool empty() const { return turns_.empty(); }
  size_t num_calls() const { return turns_.size(); }

  void Push(const WorkOwner& owner, Item item) {
    const auto [place, is_new] =
        places_.try_emplace(owner.call.get(), turns_.end());
    if (is_new) {
      place->second = turns_.insert(turns_.end(), {.owner = owner});
    }
    place->second->items.push_back(std::move(item));
  }

  // Decides whose turn it is, to be called before the functions below. They
  // expect !empty().
  void BeginTurn() {
    auto best = turns_.begin();
    for (auto turn = turns_.begin(); turn != turns_.end(); ++turn) {
      if (ComesBefore(turn->owner, best->owner)) best = turn;
    }
    turns_.splice(turns_.begin(), turns_, best);
  }

  const WorkOwner& owner() const { return turns_.front().owner; }

  // The first item of the call whose turn it is.
  Item& Front() { return turns_.front().items.front(); }

  // Calls `visit` with the first item of every call.
  template <typename Visitor>
  void VisitFronts(Visitor visit) const {
    for (const Turn& turn : turns_) visit(turn.items.front());
  }

  // Removes that item and ends the turn of its call.
  void Pop() {
    turns_.front().items.pop_front();
    EndTurn();
  }

  // Removes that item; the call goes on with its next one. False if it has
  // none, which ends its turn.
  bool PopWithinTurn() {
    turns_.front().items.pop_front();
    const bool goes_on = !turns_.front().items.empty();
    if (!goes_on) EndTurn();
    return goes_on;
  }

  // The call goes on with the same item when it is its turn again.
  void EndTurn() {
    if (turns_.front().items.empty()) {
      places_.erase(turns_.front().owner.call.get());
      turns_.pop_front();
    } else {
      turns_.splice(turns_.end(), turns_, turns_.begin());
    }
  }

 private:
  struct Turn {
    WorkOwner owner;
    std::deque<Item> items = {};
  };

  // In the order in which they had their last turns; none is without items.
  std::list<Turn> turns_;
  std::unordered_map<const WorkAccount*, typename std::list<Turn>::iterator>
      places_;
};

}  // namespace ladder::server

#endif  // LADDER_SERVER_SCHEDULING_FAIR_QUEUE_H_
