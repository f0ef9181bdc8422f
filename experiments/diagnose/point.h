#ifndef LADDER_EXPERIMENTS_DIAGNOSE_POINT_H_
#define LADDER_EXPERIMENTS_DIAGNOSE_POINT_H_

namespace ladder::trainer {

struct Point {
  double x = 0;
  double y = 0;
};

}  // namespace ladder::trainer

#endif  // LADDER_EXPERIMENTS_DIAGNOSE_POINT_H_
