#ifndef LADDER_TRAINER_PLOT_POINT_H_
#define LADDER_TRAINER_PLOT_POINT_H_

namespace ladder::trainer {

struct Point {
  double x = 0;
  double y = 0;
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_PLOT_POINT_H_
