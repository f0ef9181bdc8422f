"""Times sinkhorn_worker against GeomLoss, interleaved, by CPU time.

Run it through bench/compare_geomloss, which provides both.
"""

import argparse
import struct
import subprocess
import tempfile
import time

import numpy
import torch
from geomloss import SamplesLoss


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench/compare_geomloss")
    parser.add_argument("worker", help=argparse.SUPPRESS)
    parser.add_argument("--n", type=int, nargs="+", default=[64, 256, 1024],
                        help="rows of the target (default: %(default)s)")
    parser.add_argument("--m", type=int, default=1024,
                        help="rows of each fingerprint (default: %(default)s)")
    parser.add_argument("--d", type=int, default=128,
                        help="dimension (default: %(default)s)")
    parser.add_argument("--sources", type=int, default=11,
                        help="number of sources (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=5,
                        help="rounds: GeomLoss once, LADDER for a second "
                             "(default: %(default)s)")
    parser.add_argument("--target", default="",
                        help="instruction set, such as AVX2 (default: best)")
    parser.add_argument("--structured", action="store_true",
                        help="clouds near a 6-dimensional subspace, as learned "
                             "styles are, instead of isotropic ones")
    return parser.parse_args()


def make_clouds(arguments, n):
    rng = numpy.random.default_rng(7)
    basis = rng.normal(size=(6, arguments.d)) / 6 ** 0.5

    def cloud(rows, shift, scale):
        if not arguments.structured:
            values = rng.normal(shift, scale, size=(rows, arguments.d))
        else:
            values = rng.normal(shift, scale, size=(rows, 6)) @ basis
            values += 0.1 * rng.normal(size=(rows, arguments.d))
        return values.astype("<f4")

    sources = [cloud(arguments.m, 0.05 * e, 1 + 0.02 * e)
               for e in range(arguments.sources)]
    return cloud(n, 0.2, 1.1), sources


class Worker:
    """The C++ side: computes all distances of one problem on request."""

    def __init__(self, arguments, target, sources):
        self.file = tempfile.NamedTemporaryFile()
        self.file.write(struct.pack("<3Q", *target.shape, len(sources)))
        self.file.write(struct.pack(f"<{len(sources)}Q",
                                    *(len(source) for source in sources)))
        for cloud in [target, *sources]:
            self.file.write(cloud.tobytes())
        self.file.flush()
        command = [arguments.worker, self.file.name]
        if arguments.target:
            command.append(arguments.target)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.simd = self.process.stdout.readline().strip()
        if not self.simd:
            raise SystemExit("compare_geomloss: the worker did not start")

    def run(self, threads):
        self.process.stdin.write(f"{threads}\n")
        self.process.stdin.flush()
        cpu, wall, *distances = map(float,
                                    self.process.stdout.readline().split())
        return cpu, wall, numpy.array(distances)


def geomloss(target, sources, dtype):
    loss = SamplesLoss("sinkhorn", p=1, blur=0.05, scaling=0.8, debias=True,
                       backend="tensorized")
    target = torch.from_numpy(target).to(dtype)
    sources = [torch.from_numpy(source).to(dtype) for source in sources]
    start = time.process_time()
    distances = [float(loss(target, source)) for source in sources]
    return time.process_time() - start, numpy.array(distances)


def relative_error(distances, exact):
    return numpy.max(numpy.abs(distances - exact) / numpy.abs(exact))


def compare(arguments, n):
    """Prints one row of the table."""
    target, sources = make_clouds(arguments, n)
    worker = Worker(arguments, target, sources)
    _, exact = geomloss(target, sources, torch.float64)
    _, _, distances = worker.run(1)
    theirs, ours, walls = [], [], {1: [], 2: []}
    for _ in range(arguments.repeats):
        seconds, single = geomloss(target, sources, torch.float32)
        theirs.append(seconds)
        start = time.monotonic()
        while time.monotonic() - start < 1:
            for threads in (1, 2):
                cpu, wall, _ = worker.run(threads)
                walls[threads].append(wall)
                if threads == 1:
                    ours.append(cpu)
    same_order = (numpy.argsort(distances, kind="stable") ==
                  numpy.argsort(exact, kind="stable")).all()
    best, median = min(theirs) / min(ours), (numpy.median(theirs) /
                                             numpy.median(ours))
    speedup = min(walls[1]) / min(walls[2])
    print(f"{n:>6} {min(theirs):>9.3f} s {1e3 * min(ours):>8.2f} ms "
          f"{1e3 * min(ours) / len(sources):>7.3f} ms {best:>6.0f}x "
          f"{median:>7.0f}x {speedup:>9.2f}x "
          f"{relative_error(distances, exact):>9.1e} "
          f"{relative_error(single, exact):>13.1e} "
          f"{'yes' if same_order else 'NO':>11}  {worker.simd}", flush=True)


def main():
    arguments = parse_arguments()
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, one thread, CPU time, the best of "
          f"{arguments.repeats} interleaved rounds; m = {arguments.m}, "
          f"d = {arguments.d}, E = {arguments.sources}, "
          f"{'structured' if arguments.structured else 'isotropic'} clouds")
    print(f"{'n':>6} {'GeomLoss':>11} {'LADDER':>11} {'per pair':>10} "
          f"{'ratio':>7} {'medians':>8} {'2 threads':>10} {'error':>9} "
          f"{'GeomLoss f32':>13} {'same order':>11}  SIMD")
    for n in arguments.n:
        compare(arguments, n)


if __name__ == "__main__":
    main()
