"""Predicts for folders of pictures, each a group of its own, and tells which sources each resembles.

Usage: predict_folders.py ADDRESS MODEL FOLDER
where FOLDER/GROUP/*.jpg or *.png are the pictures of GROUP.
"""

import pathlib
import sys

from ladder.client import Client, LadderError


def pictures_of(folder: pathlib.Path) -> list[pathlib.Path]:
    return sorted(file for file in folder.iterdir() if file.suffix.lower() in {".jpg", ".jpeg", ".png"})


def main(address: str, model: str, folder: str) -> int:
    groups = sorted(group for group in pathlib.Path(folder).iterdir() if group.is_dir())
    failed = 0
    with Client(address) as client:
        # Files are read as they are sent; paths can be read again, so groups survive a restart of the server.
        for outcome in client.predict_groups(((group.name, pictures_of(group)) for group in groups), model=model):
            if isinstance(outcome, LadderError):
                failed += 1
                print(f"{outcome.group}: {outcome}", file=sys.stderr)
                continue
            routing, predictions = outcome.routing, outcome.predictions
            nearest = max(routing.weights, key=lambda source: routing.weights[source])
            print(
                f"{outcome.group}: {len(predictions.labels)} predicted, {len(predictions.rejected)} rejected, "
                f"coverage {routing.coverage.verdict.name}, mostly {nearest} ({routing.weights[nearest]:.2f})"
            )
            for place, name in zip(predictions.indices, predictions.class_names):
                print(f"  {place} {name}")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
