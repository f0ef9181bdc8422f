#include "trainer/data/labelled_csv.h"

#include <utility>

#include "base/files/csv_table.h"
#include "base/files/fault.h"
#include "trainer/data/image_reader.h"
#include "trainer/data/sample_columns.h"

namespace ladder::trainer {

absl::StatusOr<LoadedDataset> LoadLabelledCsv(const std::filesystem::path& csv,
                                              const DatasetOptions& options) {
  absl::StatusOr<base::CsvTable> table = base::CsvTable::Open(csv);
  if (!table.ok()) return table.status();
  const absl::StatusOr<size_t> path = table->RequireColumn("path");
  if (!path.ok()) return path.status();
  absl::StatusOr<SampleColumns> columns = SampleColumns::Find(*table);
  if (!columns.ok()) return columns.status();

  LoadedDataset loaded;
  ImageFiles files = {.folder = csv.parent_path(), .list = table->path()};
  absl::Status status =
      ForEachRow(*table, options.on_broken, loaded.report, [&] {
        const absl::string_view file = table->field(*path);
        if (file.empty()) {
          return base::Fault("missing value", "path: expected a file's name");
        }
        absl::Status added = columns->AddRow(*table);
        if (added.ok()) {
          files.entries.push_back({std::string(file), table->line()});
        }
        return added;
      });
  if (!status.ok()) return status;
  loaded.dataset = columns->Build();
  status = AttachImages(std::move(files), options.image, options.limits,
                        loaded.dataset);
  if (!status.ok()) return status;
  return loaded;
}

}  // namespace ladder::trainer
