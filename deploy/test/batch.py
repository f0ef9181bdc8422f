"""A batch of groups for the tests' tiny bundle, and the command `ladder predict` that works through it."""

import collections
import csv

import numpy as np

from processes import LIMIT_SECONDS, start

FEATURES = [f"x{i}" for i in range(6)]


class Batch:
    """`num_groups` groups of `num_samples` each, in a table whose rows are shuffled."""

    def __init__(self, path, num_groups, num_samples):
        self.path = path
        random = np.random.default_rng(7)
        names = [(f"site {group}", f"{group}/{i}") for group in range(num_groups) for i in range(num_samples)]
        random.shuffle(names)
        # Each site has a style of its own.
        centres = random.normal(size=(num_groups, len(FEATURES)))
        with open(path, "w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["site", "name", *FEATURES])
            for site, name in names:
                sample = centres[int(name.split("/")[0])] + random.normal(size=len(FEATURES))
                writer.writerow([site, name, *np.round(sample, 4)])
        self.ids = collections.Counter(map(tuple, names))


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class PredictRun:
    """`ladder predict` on its way to `output`, a CSV file; killed when `stack` is closed."""

    def __init__(self, stack, ladder, batch, address, output):
        self._output, self._log = output, output.with_suffix(".log")
        self._process = start(stack, [
            ladder, "predict", batch.path, "--group-by", "site", "--id-column", "name", "--features", "x*", "--model", "tiny",
            "--probabilities", "--concurrency", "8", "--server", address, "--output", output], self._log)

    def num_done(self):
        """Groups, by its journal, whose first line is about the run."""
        journal = self._output.with_suffix(".csv.journal")
        return max(0, len(journal.read_text().splitlines()) - 1) if journal.exists() else 0

    def is_over(self):
        return self._process.poll() is not None

    def predictions(self):
        """Waits for its end, which has to be a good one."""
        code = self._process.wait(timeout=LIMIT_SECONDS)
        if code:
            raise AssertionError(f"ladder predict ended with {code}: {self._log.read_text()[-2000:]}")
        return Predictions(self._output)


class Predictions:
    """What `ladder predict` has written."""

    def __init__(self, path):
        self.rows = rows_of(path)
        self.ids = collections.Counter((row["group"], row["id"]) for row in self.rows)
        self.weights = {row["group"]: {name[2:]: float(value) for name, value in row.items() if name.startswith("w_")}
                        for row in rows_of(path.with_suffix(".routing.csv"))}

    def probabilities(self):
        """Of all samples in the order of their ids, [n, classes]."""
        rows = sorted(self.rows, key=lambda row: row["id"])
        columns = [name for name in rows[0] if name.startswith("p_")]
        return np.array([[row[name] for name in columns] for row in rows], float)
