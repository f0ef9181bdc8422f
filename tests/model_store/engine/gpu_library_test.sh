#!/usr/bin/env bash
# With the real GPU library of ONNX Runtime and no GPU: the engine names the piece
# that is missing, whichever it is, and `auto` falls back to the CPU.
#
#   gpu_library_test.sh PROBE CACHE
#
# PROBE is engine_device_probe; CACHE a folder for the libraries, 1.1 GB, which are
# fetched once. Exit code 77, "skipped", if they cannot be had.
set -euo pipefail

probe=$(realpath "$1")
cache=$2/gpu_library_test
mkdir -p "$cache"
cd "$cache"

# From PyPI: what onnxruntime-gpu links to, and the cuDNN that it loads on demand.
pins='onnxruntime-gpu==1.31.1 --hash=sha256:f659529e07c21ec6b6179fd1bfaf82ffb7c3dc9c0916e18f6f313f9a690891be
nvidia-cublas==13.1.0.3 --hash=sha256:ee8722c1f0145ab246bccb9e452153b5e0515fd094c3678df50b2a0888b8b171
nvidia-cuda-runtime==13.0.96 --hash=sha256:7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548
nvidia-curand==10.4.0.35 --hash=sha256:1aee33a5da6e1db083fe2b90082def8915f30f3248d5896bcec36a579d941bfc
nvidia-cudnn-cu13==9.15.1.9 --hash=sha256:ebc9a647918df0d7298d67cfaf41579fd4c78ead9aba246f5ad9414d61b9ec4c'

skip() {
  echo "skipped: $1"
  exit 77
}

# unpack WHEEL-PREFIX FOLDER LIBRARY...: some libraries out of one wheel.
unpack() {
  python3 - "$@" <<'END'
import glob, os, shutil, sys, zipfile
prefix, folder, *libraries = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
with zipfile.ZipFile(glob.glob(f'partial/{prefix}-*.whl')[0]) as wheel:
    for name in wheel.namelist():
        if os.path.basename(name) in libraries:
            target = os.path.join(folder, os.path.basename(name))
            with wheel.open(name) as source, open(target, 'wb') as copy:
                shutil.copyfileobj(source, copy)
END
}

fetch() {
  [[ $(uname -m) == x86_64 ]] || skip "no libraries are pinned for $(uname -m)"
  (($(df --output=avail -k . | tail -1) > 4000000)) || skip "less than 4 GB of disk are free"
  rm -rf partial onnxruntime cuda cudnn
  mkdir partial
  echo "$pins" >partial/requirements.txt
  python3 -m pip download --quiet --disable-pip-version-check --no-input --no-deps \
    --only-binary=:all: --implementation cp --python-version 3.13 --abi cp313 --abi none \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 \
    --platform manylinux2014_x86_64 --dest partial --require-hashes \
    --requirement partial/requirements.txt || skip "pip cannot fetch the libraries"
  unpack onnxruntime_gpu onnxruntime libonnxruntime.so.1.31.1 \
    libonnxruntime_providers_shared.so libonnxruntime_providers_cuda.so
  ln -s libonnxruntime.so.1.31.1 onnxruntime/libonnxruntime.so.1
  unpack nvidia_cublas cuda libcublas.so.13 libcublasLt.so.13
  unpack nvidia_cuda_runtime cuda libcudart.so.13
  unpack nvidia_curand cuda libcurand.so.10
  unpack nvidia_cudnn_cu13 cudnn libcudnn.so.9
  rm -r partial
  echo "$pins" >fetched
}
[[ $(cat fetched 2>&1) == "$pins" ]] || fetch

# driver FOLDER RESULT DEVICES: a stand-in for the driver, whose calls return RESULT.
# The toolkit's own stub answers 34; a machine without a GPU 100.
driver() {
  mkdir -p "$1"
  "${CC:-cc}" -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$1/libcuda.so.1" -x c - <<END
int cuInit(unsigned flags) { (void)flags; return $2; }
int cuDeviceGetCount(int* count) { *count = $3; return $2; }
int cuTensorMapEncodeTiled(void) { return $2; } /* The provider links to it. */
END
}
driver stub_driver 34 0
driver idle_driver 100 0
driver odd_driver 0 1

mkdir -p without_provider without_shared
ln -sf ../onnxruntime/libonnxruntime.so.1 ../onnxruntime/libonnxruntime_providers_shared.so \
  without_provider
ln -sf ../onnxruntime/libonnxruntime.so.1 without_shared

# run FOLDERS ARGUMENT...: the probe with the libraries in these folders only. Those
# in the loader's cache, such as an installed CUDA, stay out of sight.
run() {
  local path='' folder
  for folder in $1; do path+=${path:+:}$cache_path/$folder; done
  "$loader" --inhibit-cache --library-path "$path" "$probe" "${@:2}" 2>&1
}
cache_path=$PWD
loader=/lib64/ld-linux-x86-64.so.2

failures=0
# expect CASE OUTPUT PART...: OUTPUT has all the parts.
expect() {
  local case=$1 output=$2 part
  for part in "${@:3}"; do
    [[ $output == *"$part"* ]] && continue
    echo "FAILED: $case: expected \"$part\", got: $output"
    failures=$((failures + 1))
  done
}

# missing CASE FOLDERS PART...: `cuda` fails naming the parts, `auto` falls back and
# gives the same reason.
missing() {
  local output
  output=$(run "$2" cuda) && expect "$1" "exit code 0: $output" 'exit code 1'
  expect "$1: cuda" "$output" 'error: FAILED_PRECONDITION: CUDA: ' "${@:3}"
  output=$(run "$2" auto) || expect "$1: auto" "exit code $?: $output" 'exit code 0'
  expect "$1: auto" "$output" 'device: cpu' 'fallback: CUDA: ' "${@:3}"
}

missing 'no provider library' without_provider \
  "ONNX Runtime's provider library libonnxruntime_providers_cuda.so is missing"
missing 'no shared provider library' without_shared \
  "ONNX Runtime's provider library libonnxruntime_providers_shared.so is missing"
missing 'no CUDA' onnxruntime 'the CUDA library libcublasLt.so.13 is missing'
missing 'no cuDNN' 'onnxruntime cuda idle_driver' 'the cuDNN library libcudnn.so.9 is missing'
missing 'no driver' 'onnxruntime cuda cudnn' 'no NVIDIA driver' libcuda.so.1
missing 'a stub' 'onnxruntime cuda cudnn stub_driver' 'no NVIDIA driver' "the CUDA toolkit's stub"
missing 'no device' 'onnxruntime cuda cudnn idle_driver' 'no device'
missing 'a device that fails' 'onnxruntime cuda cudnn odd_driver' 'the device does not start' \
  'CUDA failure 35'

everything='onnxruntime cuda cudnn odd_driver'
expect 'no such device' "$(run "$everything" cuda:3)" \
  'error: FAILED_PRECONDITION: CUDA: no device cuda:3' 'the last is cuda:0'
for device in cuda auto; do
  expect 'unknown option' "$(run "$everything" $device no_such_option=1)" \
    'error: INVALID_ARGUMENT: cuda_options: ' 'Unknown provider option: "no_such_option"'
  expect 'bad value' "$(run "$everything" $device cudnn_conv_algo_search=GUESS)" \
    'error: INVALID_ARGUMENT: cuda_options: ' cudnn_conv_algo_search GUESS
done
expect 'without cuDNN by wish' "$(run 'onnxruntime cuda idle_driver' cuda enable_cudnn=0)" 'no device'
expect 'cpu' "$(run onnxruntime cpu)" 'device: cpu'

((failures == 0)) && echo "passed"
