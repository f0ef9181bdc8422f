#include "base/files/csv.h"

#include <string>
#include <vector>

#include "base/files/fault.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "routing/counter_rng.h"
#include "tests/data_folder.h"

namespace ladder::base {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Record = std::vector<std::string>;

Record Fields(const CsvReader& reader) {
  return {reader.fields().begin(), reader.fields().end()};
}

struct Contents {
  std::vector<Record> records;
  std::vector<int64_t> lines;
  std::vector<std::string> faults;
};

Contents ReadAll(const std::filesystem::path& path) {
  CsvReader reader = CsvReader::Open(path).value();
  Contents contents;
  for (;;) {
    const absl::StatusOr<bool> next = reader.Next();
    if (!next.ok()) {
      EXPECT_EQ(FaultReason(next.status()), "malformed") << next.status();
      contents.faults.push_back(std::to_string(reader.line()) + " " +
                                std::string(next.status().message()));
      continue;
    }
    if (!*next) return contents;
    contents.records.push_back(Fields(reader));
    contents.lines.push_back(reader.line());
  }
}

Contents Parse(const std::string& text) {
  const DataFolder folder;
  return ReadAll(folder.Write("table.csv", text));
}

TEST(CsvTest, SplitsRecordsAtCommas) {
  EXPECT_THAT(Parse("a,b\n1,2\n").records,
              ElementsAre(Record{"a", "b"}, Record{"1", "2"}));
}

TEST(CsvTest, KeepsEmptyFieldsAndSpaces) {
  EXPECT_THAT(Parse(",a ,\n, \n").records,
              ElementsAre(Record{"", "a ", ""}, Record{"", " "}));
}

TEST(CsvTest, TakesQuotedFieldsWithCommasLineEndsAndQuotes) {
  EXPECT_THAT(
      Parse("\"a,b\",\"c\nd\r\ne\",\"say \"\"hi\"\"\",\"\"\nx,y,z,w\n").records,
      ElementsAre(Record{"a,b", "c\nd\r\ne", "say \"hi\"", ""},
                  Record{"x", "y", "z", "w"}));
}

TEST(CsvTest, EndsLinesAtEveryConvention) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const Contents contents = Parse("a,b" + end + "\"1\",2" + end + "3,4");

    EXPECT_THAT(
        contents.records,
        ElementsAre(Record{"a", "b"}, Record{"1", "2"}, Record{"3", "4"}));
    EXPECT_THAT(contents.lines, ElementsAre(1, 2, 3));
  }
}

TEST(CsvTest, SkipsAByteOrderMarkAndBlankLines) {
  const Contents contents = Parse("\xEF\xBB\xBF\"a\"\n\n\r\nb\n\n");

  EXPECT_THAT(contents.records, ElementsAre(Record{"a"}, Record{"b"}));
  EXPECT_THAT(contents.lines, ElementsAre(1, 4));
}

TEST(CsvTest, FindsNothingInAnEmptyFile) {
  EXPECT_TRUE(Parse("").records.empty());
  EXPECT_TRUE(Parse("\xEF\xBB\xBF").records.empty());
}

TEST(CsvTest, CountsTheLinesWithinQuotes) {
  const Contents contents = Parse("\"a\n\r\n\rb\"\nc\n\"d\n\"\ne");

  EXPECT_THAT(contents.lines, ElementsAre(1, 5, 6, 8));
}

TEST(CsvTest, GoesOnBehindMalformedRecords) {
  const Contents contents = Parse("a\n5\" gun,x\n\"b\"c,\"d\"\ne\n");

  EXPECT_THAT(contents.records, ElementsAre(Record{"a"}, Record{"e"}));
  EXPECT_THAT(contents.faults,
              ElementsAre("2 a quote in a field that is not in quotes",
                          "3 text behind a closing quote"));
  EXPECT_THAT(contents.lines, ElementsAre(1, 4));
}

TEST(CsvTest, ReportsAQuoteThatIsNeverClosedAtItsRecord) {
  const Contents contents = Parse("a\nb,\"c\nd\ne\n");

  EXPECT_THAT(contents.records, ElementsAre(Record{"a"}));
  EXPECT_THAT(contents.faults, ElementsAre("2 a quote that is never closed"));
}

TEST(CsvTest, ReportsAMissingFile) {
  const DataFolder folder;

  const auto reader = CsvReader::Open(folder / "none.csv");

  EXPECT_EQ(reader.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FaultReason(reader.status()), "missing file");
  EXPECT_THAT(std::string(reader.status().message()), HasSubstr("none.csv"));
}

// Wherever a text is cut, its first record is either found whole or not at all.
TEST(CsvTest, NeverMistakesTheEndOfABlockForTheEndOfARecord) {
  for (const std::string text :
       {"a,\"b\"\"\r\n,\",c\r\nnext", "\"\"\"\"\r\nx", "\"a\"b,c\nx", "a\rb"}) {
    CsvRecord whole;
    const size_t length = whole.Parse(text, /*is_last=*/true).value();
    const Record fields(whole.fields().begin(), whole.fields().end());
    for (size_t cut = 0; cut < text.size(); ++cut) {
      CsvRecord record;
      const auto found = record.Parse(absl::string_view(text).substr(0, cut),
                                      /*is_last=*/false);
      if (!found.has_value()) continue;
      EXPECT_EQ(*found, length) << text << " cut at " << cut;
      EXPECT_EQ(Record(record.fields().begin(), record.fields().end()), fields);
    }
  }
}

std::string Quoted(const std::string& field) {
  std::string quoted = "\"";
  for (const char c : field) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

TEST(CsvTest, ReadsBackAnyRecordsAcrossBlocks) {
  const routing::CounterRng rng(/*seed=*/7);
  const std::string alphabet = "a,\"\n\r ";
  std::vector<Record> records;
  std::string text;
  uint64_t draw = 0;
  // Several blocks, with one record that is larger than a block.
  while (text.size() < 4'000'000) {
    Record record;
    for (uint64_t i = 0; i < 3; ++i) {
      const size_t length =
          records.size() == 1000 ? 900'000 : rng.Below(40, draw++);
      std::string field;
      for (size_t c = 0; c < length; ++c) {
        field += alphabet[rng.Below(alphabet.size(), draw++)];
      }
      text += (i == 0 ? "" : ",") + Quoted(field);
      record.push_back(field);
    }
    text += rng.Below(2, draw++) == 0 ? "\n" : "\r\n";
    records.push_back(record);
  }

  const Contents contents = Parse(text);

  EXPECT_TRUE(contents.faults.empty());
  EXPECT_TRUE(contents.records == records);
}

TEST(CsvTest, TellsWhereARecordLiesInTheFile) {
  const DataFolder folder;
  const std::string text = "\xEF\xBB\xBFx,y\n\n\"1\n\",2\r\n3,4";
  CsvReader reader = CsvReader::Open(folder.Write("t.csv", text)).value();

  ASSERT_TRUE(reader.Next().value());
  ASSERT_TRUE(reader.Next().value());
  EXPECT_EQ(text.substr(static_cast<size_t>(reader.offset()), reader.length()),
            "\"1\n\",2\r\n");
  ASSERT_TRUE(reader.Next().value());
  EXPECT_EQ(text.substr(static_cast<size_t>(reader.offset()), reader.length()),
            "3,4");
}

TEST(CsvFieldTest, QuotesFieldsThatNeedIt) {
  EXPECT_EQ(CsvField(""), "");
  EXPECT_EQ(CsvField("a b'c"), "a b'c");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(CsvField("a\nb"), "\"a\nb\"");
  EXPECT_EQ(CsvField("a\rb"), "\"a\rb\"");
}

TEST(CsvTableTest, FindsColumnsByName) {
  const DataFolder folder;
  CsvTable table =
      CsvTable::Open(folder.Write("t.csv", ",b,a\n0,1,2\n")).value();

  ASSERT_TRUE(table.Next().value());
  EXPECT_EQ(table.field(table.RequireColumn("a").value()), "2");
  EXPECT_EQ(table.field(table.RequireColumn("b").value()), "1");
  EXPECT_EQ(table.place(), (folder / "t.csv").string() + ":2");
  EXPECT_FALSE(table.Next().value());
}

TEST(CsvTableTest, NamesTheMissingColumnAndThoseThereAre) {
  const DataFolder folder;
  const CsvTable table = CsvTable::Open(folder.Write("t.csv", "a,b\n")).value();

  const auto column = table.RequireColumns({"a", "label"});

  EXPECT_EQ(column.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(column.status().message()),
              AllOf(HasSubstr("t.csv"), HasSubstr("\"label\""),
                    HasSubstr("\"a\", \"b\"")));
}

TEST(CsvTableTest, RejectsAFileWithoutHeader) {
  const DataFolder folder;

  const auto table = CsvTable::Open(folder.Write("t.csv", "\n"));

  EXPECT_EQ(table.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(table.status().message()),
              AllOf(HasSubstr("t.csv"), HasSubstr("columns' names")));
}

TEST(CsvTableTest, RejectsTwoColumnsOfOneName) {
  const DataFolder folder;

  const auto table = CsvTable::Open(folder.Write("t.csv", "a,,,a\n"));

  EXPECT_EQ(table.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(table.status().message()),
              AllOf(HasSubstr("t.csv:1"), HasSubstr("\"a\", found two")));
}

}  // namespace
}  // namespace ladder::base
