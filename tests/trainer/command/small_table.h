#ifndef LADDER_TESTS_TRAINER_COMMAND_SMALL_TABLE_H_
#define LADDER_TESTS_TRAINER_COMMAND_SMALL_TABLE_H_

#include <string>
#include <vector>

namespace ladder::trainer {

// A data set of the layout `table`: three classes, four sources (24 samples to
// train on and 12 of id_val each) and two unseen domains (60 samples of test
// each). Two covariates tell the classes apart and two the domains.
std::string SmallTable();

// Options of `fit` for a network that learns such a table in no time.
std::vector<std::string> SmallFitOptions();

}  // namespace ladder::trainer

#endif  // LADDER_TESTS_TRAINER_COMMAND_SMALL_TABLE_H_
