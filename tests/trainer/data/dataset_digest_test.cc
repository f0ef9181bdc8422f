#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/data_folder.h"
#include "trainer/data/open_dataset.h"

namespace ladder::trainer {
namespace {

// The digest of the data set at `path`, of any layout.
std::string DigestAt(const std::filesystem::path& path) {
  const auto loaded = OpenDataset(path, {});
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded.ok() ? DigestOf(loaded->dataset) : "";
}

TEST(DatasetDigestTest, DoesNotDependOnThePlaceOrOnWhatIsIgnored) {
  const DataFolder folder;
  folder.Write("a/samples.csv",
               "path,label,domain,split\nx.png,fox,north,train\n");
  folder.Write("b/samples.csv",
               "split,label,domain,path,note\ntrain,fox,north,x.png,new\n");

  EXPECT_EQ(DigestAt(folder / "a"), DigestAt(folder / "b"));
}

TEST(DatasetDigestTest, TellsWhatASampleIs) {
  const DataFolder folder;
  const std::vector<std::string> rows = {
      "x.png,fox,north,train,\n",
      "y.png,fox,north,train,\n",
      "x.png,hare,north,train,\n",
      "x.png,fox,south,train,\n",
      "x.png,fox,north,id_val,\n",
      "x.png,fox,north,train,coast\n",
      "x.png,fox,north,train,\nx.png,fox,north,train,\n"};
  std::set<std::string> digests;

  for (const std::string& row : rows) {
    folder.Write("samples.csv",
                 absl::StrCat("path,label,domain,split,region\n", row));
    digests.insert(DigestAt(folder / "samples.csv"));
  }

  EXPECT_EQ(digests.size(), rows.size());
}

TEST(DatasetDigestTest, TellsWhichFileIsWhichSamples) {
  const DataFolder folder;
  const auto digest = [&](const std::string& first, const std::string& second) {
    folder.Write("samples.csv", absl::StrCat("path,label,domain,split\n", first,
                                             ",fox,north,train\n", second,
                                             ",fox,north,train\n"));
    return DigestAt(folder / "samples.csv");
  };

  EXPECT_NE(digest("a", "b"), digest("b", "a"));
  EXPECT_NE(digest("a", "bc"), digest("ab", "c"));
}

TEST(DatasetDigestTest, OfATableIsOfItsNumbersHoweverTheyAreWritten) {
  const DataFolder folder;
  const auto digest = [&](const std::string& numbers) {
    folder.Write("samples.csv", absl::StrCat("x,y,label,domain,split\n",
                                             numbers, ",fox,north,train\n"));
    return DigestAt(folder / "samples.csv");
  };

  EXPECT_EQ(digest("1,2.5"), digest("1.0,25e-1"));
  EXPECT_NE(digest("1,2.5"), digest("1,2.25"));
  EXPECT_NE(digest("1,2.5"), digest("2.5,1"));
}

TEST(DatasetDigestTest, OfTheDataSetsOfWildsIsOfTheirFiles) {
  const DataFolder folder;
  const auto iwildcam = [&](const std::string& file) {
    folder.Write("iwildcam/metadata.csv",
                 absl::StrCat("split,location_remapped,y,filename\n"
                              "train,3,0,",
                              file, "\n"));
    return DigestAt(folder / "iwildcam");
  };

  EXPECT_EQ(iwildcam("a.jpg"), iwildcam("a.jpg"));
  EXPECT_NE(iwildcam("a.jpg"), iwildcam("b.jpg"));
}

}  // namespace
}  // namespace ladder::trainer
