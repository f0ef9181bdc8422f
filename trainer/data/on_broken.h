#ifndef LADDER_TRAINER_DATA_ON_BROKEN_H_
#define LADDER_TRAINER_DATA_ON_BROKEN_H_

namespace ladder::trainer {

// What to do about rows and samples that are broken.
enum class OnBroken {
  kSkip,  // Leave them out, and count them.
  kFail,  // Stop at the first.
};

}  // namespace ladder::trainer

#endif  // LADDER_TRAINER_DATA_ON_BROKEN_H_
