#!/usr/bin/env python3
"""Predicts for many groups with a LADDER service, as a Ray job: on this machine, or over a cluster.

Every group is sent by one of Ray's workers and leaves one file, OUTPUT/groups/NAME.json, written under another name
and renamed when it is whole. Groups that have their file are skipped, so the same command goes on after any
interruption; it refuses a folder that another job has written to. On a cluster INPUT and OUTPUT lie on a file system
that all nodes share.

INPUT is a folder, whose pictures are grouped by the folder that they lie in; or a CSV file with pictures' paths
(--path-column) or numbers (--features), grouped by --group-by.

  ray_batch.py photos --server dns:///ladder.example:8001 --model birds --output results
  ray_batch.py table.csv --group-by site --features a,b,c --server localhost:8001 --output results
  ray job submit --working-dir deploy -- python ray_batch.py ...

It needs the packages ray and ladder-client (client/python). Exit codes: 0 done, 1 some groups failed, 2 wrong usage,
130 interrupted.
"""

import argparse
import collections
import csv
import dataclasses
import hashlib
import itertools
import json
import os
import pathlib
import sys
import time
import urllib.parse
import uuid

# Before Ray is imported: it tells nobody that it is used.
os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")

import numpy as np  # noqa: E402
import ray  # noqa: E402
from ladder.client import Client, GroupResult, LadderError, Method, Model, Retry, RoutingOptions, Tls  # noqa: E402

PICTURES = {".jpg", ".jpeg", ".png"}
METHODS = [method.name.lower() for method in Method if method not in (Method.DEFAULT, Method.FIXED)]
# A group that has ended so many workers is not given to another one.
MAX_LOST_WORKERS = 3


class UsageError(Exception):
    """Told in one line."""


@dataclasses.dataclass(frozen=True)
class Group:
    name: str
    ids: list[str]
    samples: "list[str] | np.ndarray"  # Paths of pictures, or rows of numbers.


@dataclasses.dataclass(frozen=True)
class Outcome:
    group: str
    num_samples: int = 0
    error: str = ""


def groups_of_folder(folder):
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in PICTURES)
    if not paths:
        raise UsageError(f"{folder}: expected JPEG or PNG files, got none")
    found = collections.defaultdict(list)
    for path in paths:
        found[path.parent].append(path)
    for parent, pictures in found.items():
        name = parent.relative_to(folder).as_posix()
        if name == "." and folder / folder.resolve().name not in found:
            name = folder.resolve().name
        ids = [path.relative_to(folder).as_posix() for path in pictures]
        yield Group(name, ids, [str(path.resolve()) for path in pictures])


def groups_of_table(args):
    with open(args.input, newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        columns = reader.fieldnames or []
        wanted = args.features or [args.path_column]
        for column in [args.group_by, *wanted, *([args.id_column] if args.id_column else [])]:
            if column not in columns:
                raise UsageError(f'{args.input}: expected a column "{column}", got {", ".join(columns) or "none"}')
        found = collections.defaultdict(lambda: ([], []))
        root = args.image_root or args.input.parent
        for number, row in enumerate(reader):
            ids, samples = found[row[args.group_by]]
            ids.append(row[args.id_column] if args.id_column else str(number) if args.features else row[wanted[0]])
            try:
                samples.append([float(row[column]) for column in wanted] if args.features else
                               str((root / row[wanted[0]]).resolve()))
            except (TypeError, ValueError) as error:
                raise UsageError(f"{args.input}:{reader.line_num}: expected numbers, got: {error}") from error
    for name, (ids, samples) in found.items():
        yield Group(name, ids, np.array(samples, np.float32) if args.features else samples)


def read_groups(args):
    if args.input.is_dir():
        return list(groups_of_folder(args.input))
    if not args.input.is_file():
        raise UsageError(f"{args.input}: expected a folder or a CSV file, got nothing there")
    if not args.group_by:
        raise UsageError("--group-by: expected the column that names groups, got none")
    return list(groups_of_table(args))


def write_whole(path, content):
    """Under another name, then renamed: whoever sees `path` sees all of it."""
    partial = path.with_name(f"{uuid.uuid4().hex}.partial")
    with open(partial, "w", encoding="utf-8") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    partial.rename(path)


def result_path(output, group):
    """One name for each group, whatever characters it has."""
    name = urllib.parse.quote(group, safe=" ")
    if len(name) > 200:  # File systems take 255.
        name = f"{name[:130]}-{hashlib.sha256(group.encode()).hexdigest()}"
    return output / "groups" / f"{name}.json"


def content_of(result: GroupResult, ids):
    routing, predictions = result.routing, result.predictions
    best = predictions.probabilities.max(axis=1) if len(predictions.labels) else []
    names = predictions.class_names if predictions.classes else itertools.repeat(None)
    samples = [{"index": int(index), "id": ids[index], "label": int(label), "class": name,
                "probability": float(f"{probability:.7g}")}
               for index, label, name, probability in zip(predictions.indices, predictions.labels, names, best)]
    samples += [{"index": bad.index, "id": ids[bad.index], "error": f"{bad.reason}: {bad.message}"}
                for bad in predictions.rejected]
    return {"group": result.group, "model": routing.model, "version": routing.version, "sha256": routing.sha256,
            "method": routing.method.name.lower(), "weights": dict(routing.weights),
            "distances": routing.distances and dict(routing.distances),
            "effective_experts": routing.effective_experts, "coverage": routing.coverage.verdict.name,
            "fallback": routing.fallback and routing.fallback.explanation,
            "samples": sorted(samples, key=lambda sample: sample["index"])}


class Worker:
    """One process of Ray's with one connection, which its threads share."""

    def __init__(self, args):
        self._args = args
        self._client = Client(args.server, tls=Tls(ca=args.tls_ca) if args.tls_ca else None, token=args.token_file,
                              retry=Retry(attempts=args.attempts), timeout=args.timeout)

    def predict(self, group):
        args = self._args
        routing = RoutingOptions(method=Method[args.method.upper()] if args.method else Method.DEFAULT, k=args.k,
                                 tau=args.tau)
        try:
            result = self._client.predict(group.name, group.samples, model=args.model, routing=routing,
                                          route_after=args.route_after)
        except LadderError as error:
            return Outcome(group.name, error=str(error))
        write_whole(result_path(args.output, group.name), content_of(result, group.ids))
        return Outcome(group.name, len(group.ids))


def outcomes(groups, workers, concurrency):
    """What became of each group, as they end; no more than `concurrency` are under way."""
    groups, free, running = iter(groups), list(itertools.islice(itertools.cycle(workers), concurrency)), {}
    while True:
        while free and (group := next(groups, None)):
            worker = free.pop(0)
            running[worker.predict.remote(group)] = (worker, group)
        if not running:
            return
        [done], _ = ray.wait(list(running), num_returns=1)
        worker, group = running.pop(done)
        free.append(worker)
        try:
            yield ray.get(done)
        except ray.exceptions.RayTaskError as error:  # Such as a full disk.
            yield Outcome(group.name, error=repr(error.cause))
        except ray.exceptions.RayError as error:
            yield Outcome(group.name, error=f"Ray could not run it: {str(error).splitlines()[0]}")


def claim_output(args):
    """Makes the folder, or checks that this job made it."""
    job = {name: str(getattr(args, name)) for name in (
        "input", "group_by", "path_column", "features", "model", "method", "k", "tau", "route_after")}
    job["input"] = str(args.input.resolve())
    path = args.output / "job.json"
    (args.output / "groups").mkdir(parents=True, exist_ok=True)
    if not path.exists():
        write_whole(path, job)
        return
    before = json.loads(path.read_text(encoding="utf-8"))
    for name, value in job.items():
        if before.get(name) != value:
            raise UsageError(f"{path}: expected the job that began here, with {name} {before.get(name)}, got {value}; "
                             "take another --output")
    for partial in (args.output / "groups").glob("*.partial"):
        partial.unlink()


def start_ray(args):
    """Leaves the number of workers in `args`."""
    if args.ray_address or os.environ.get("RAY_ADDRESS"):
        ray.init(address=args.ray_address, logging_level="error")
    else:
        ray.init(num_cpus=args.local_cpus, include_dashboard=False, logging_level="error")
    cpus = int(ray.cluster_resources().get("CPU", 0))
    args.workers = args.workers or min(cpus, args.concurrency)
    if not 1 <= args.workers <= cpus:
        raise UsageError(f"--workers: expected at most the {cpus} CPUs that Ray has, got {args.workers}")


def run(args):
    groups = read_groups(args)
    claim_output(args)
    args.output = args.output.resolve()
    left = [group for group in groups if not result_path(args.output, group.name).exists()]
    print(f"{len(groups)} groups, {len(groups) - len(left)} of them finished before", flush=True)
    if not left:
        return 0
    start_ray(args)
    threads = -(-args.concurrency // args.workers)
    kind = ray.remote(Worker).options(num_cpus=1, max_concurrency=threads, max_restarts=-1,
                                      max_task_retries=MAX_LOST_WORKERS - 1)
    workers = [kind.remote(args) for _ in range(args.workers)]
    done = failed = samples = 0
    told = time.monotonic()
    for outcome in outcomes(left, workers, args.concurrency):
        if outcome.error:
            failed += 1
            print(f"group {outcome.group}: {outcome.error}", file=sys.stderr, flush=True)
        done, samples = done + 1, samples + outcome.num_samples
        if time.monotonic() - told > 1 or done == len(left):
            told = time.monotonic()
            print(f"{done}/{len(left)} groups, {samples} samples, {failed} failed", flush=True)
    print(f"results: {args.output / 'groups'}")
    if failed:
        print("The same command tries those again that failed.", file=sys.stderr)
    return 1 if failed else 0


def count(text):
    if (number := int(text)) < 1:
        raise ValueError
    return number


def sources(text):
    return "all" if text == "all" else count(text)


def model(text):
    """NAME, NAME:VERSION or NAME@LABEL."""
    for mark, field in ((":", "version"), ("@", "label")):
        name, found, value = text.partition(mark)
        if found:
            return Model(name, **{field: int(value) if field == "version" else value})
    return Model(text)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("input", metavar="INPUT", type=pathlib.Path)
    add("--output", type=pathlib.Path, required=True, help="folder for the results")
    add("--server", default=os.environ.get("LADDER_SERVER", "localhost:8001"),
        help="gRPC address; calls take turns over all that it stands for (%(default)s)")
    add("--model", type=model, default=Model(), help="NAME, NAME:VERSION or NAME@LABEL; not needed if there is one")
    add("--group-by", metavar="COLUMN", help="of a CSV file: what names groups")
    add("--path-column", metavar="COLUMN", default="path", help="of a CSV file: pictures (%(default)s)")
    add("--image-root", type=pathlib.Path, metavar="FOLDER", help="where these paths start; else the file's own folder")
    add("--features", type=lambda text: text.split(","), metavar="COLUMN,...", help="of a CSV file: numbers, in this order")
    add("--id-column", metavar="COLUMN", help="of a CSV file: samples' names; else the path or the row")
    add("--method", choices=METHODS, help="how weights come about; else as the model has it")
    add("--k", type=sources, help="sources that get weight, or all")
    add("--tau", type=float, help="temperature of the weights")
    add("--route-after", type=int, default=0, metavar="N",
        help="fix the weights after N samples, so that servers need little memory for large groups")
    add("--concurrency", type=count, default=8, metavar="N", help="groups under way at once, in all (%(default)s)")
    add("--attempts", type=count, default=8, metavar="N", help="for a group while servers are away or full (%(default)s)")
    add("--timeout", type=float, metavar="SECONDS", help="for a group with all attempts; else any time")
    add("--tls-ca", metavar="FILE", help="speak TLS and trust this")
    add("--token-file", type=pathlib.Path, metavar="FILE", help="a bearer token")
    add("--workers", type=count, metavar="N", help="Ray's processes, a CPU each; else all CPUs, up to --concurrency")
    add("--ray-address", metavar="ADDRESS", help="of a cluster; else RAY_ADDRESS, else this machine alone")
    add("--local-cpus", type=count, metavar="N", help="CPUs of this machine alone; else all")
    return parser.parse_args()


def main():
    args = arguments()
    try:
        return run(args)
    except UsageError as error:
        print(f"ray_batch.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("ray_batch.py: interrupted; the same command goes on", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
