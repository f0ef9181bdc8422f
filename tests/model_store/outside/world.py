"""A small random world and a bundle for it, written from docs/model_format.md with numpy, onnx and safetensors."""

import datetime
import hashlib
import json
import pathlib

import numpy as np
from safetensors.numpy import save_file

import onnx_graphs
import reference

BLUR, SCALING, K, TAU = 0.05, 0.8, 2, 0.5
FINGERPRINT_COUNTS = np.array([30, 25, 37, 12])


class World:
    """Sources whose inputs are shifted against each other; a random encoder and random heads."""

    def __init__(self, seed=7):
        rng = np.random.default_rng(seed)
        inputs, hidden, content, style = 6, 16, 8, 5
        self.num_sources, self.num_classes = len(FINGERPRINT_COUNTS), 3

        def parameter(*shape):
            return (rng.normal(size=shape) / np.sqrt(shape[0])).astype(np.float32)

        self.w_hidden, self.b_hidden = parameter(inputs, hidden), parameter(hidden)
        self.w_content, self.w_style = parameter(hidden, content), parameter(hidden, style)
        self.w_gate = parameter(style, self.num_sources)
        self.head_weights = rng.normal(size=(self.num_sources, self.num_classes, content)).astype(np.float32)
        self.head_biases = rng.normal(size=(self.num_sources, self.num_classes)).astype(np.float32)
        shifts = 1.5 * rng.normal(size=(self.num_sources, inputs))
        self.sources = [rng.normal(size=(count, inputs)) + shift for count, shift in zip(FINGERPRINT_COUNTS, shifts)]
        # Nearer to the second source than to the others.
        self.target = (rng.normal(size=(45, inputs)) + 0.8 * shifts[1]).astype(np.float32)

        styles = [self.encode(source)[1] for source in self.sources]
        self.style_mean = np.concatenate(styles).mean(axis=0).astype(np.float32)
        self.style_std = np.concatenate(styles).std(axis=0).astype(np.float32)
        self.clouds = [self.normalise(cloud).astype(np.float32) for cloud in styles]

    def encode(self, x):
        hidden = np.tanh(x.astype(np.float64) @ self.w_hidden + self.b_hidden)
        return hidden @ self.w_content, hidden @ self.w_style

    def normalise(self, style):
        return (style - self.style_mean) / (self.style_std.astype(np.float64) + 1e-6)

    def expected(self):
        content, style = self.encode(self.target)
        style = self.normalise(style)
        distances = np.array([reference.distance(style, cloud.astype(np.float64), BLUR, SCALING) for cloud in self.clouds])
        weights = reference.weights(distances, K, TAU)
        every = np.einsum("nd,ecd->nec", content, self.head_weights) + self.head_biases
        logits = np.einsum("e,nec->nc", weights, every)
        return {"distances": distances, "weights": weights, "logits": logits, "probabilities": reference.softmax(logits)}

    def write_bundle(self, store, model="outside", version=1):
        directory = pathlib.Path(store) / model / str(version)
        directory.mkdir(parents=True)
        longest = max(len(cloud) for cloud in self.clouds)
        fingerprints = np.stack([np.pad(cloud, ((0, longest - len(cloud)), (0, 0))) for cloud in self.clouds])
        self_terms = [reference.self_term_nodes(cloud.astype(np.float64), BLUR, SCALING) for cloud in self.clouds]
        save_file(
            {
                "fingerprints": fingerprints,
                "counts": FINGERPRINT_COUNTS.astype(np.int64),
                "style_mean": self.style_mean,
                "style_std": self.style_std,
                "self_terms": np.array(self_terms, np.float64),
            },
            directory / "fingerprints.safetensors",
        )
        (directory / "encoder.onnx").write_bytes(onnx_graphs.encoder(self))
        (directory / "heads.onnx").write_bytes(onnx_graphs.heads(self.head_weights, self.head_biases))
        (directory / "router.onnx").write_bytes(
            onnx_graphs.router(fingerprints, FINGERPRINT_COUNTS, self.style_mean, self.style_std, BLUR, SCALING)
        )
        files = {path.name: path.read_bytes() for path in sorted(directory.iterdir())}
        manifest = {
            "format_version": 1,
            "model": model,
            "version": version,
            "created": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "trainer": {"version": "outside", "config": {"seed": 7}},
            "classes": [f"class {c}" for c in range(self.num_classes)],
            "sources": [
                {"name": f"source {e}", "training_samples": int(count), "fingerprint_samples": int(count)}
                for e, count in enumerate(FINGERPRINT_COUNTS)
            ],
            "content_dimension": self.w_content.shape[1],
            "style_dimension": self.w_style.shape[1],
            "input": {"kind": "tensor", "shape": [self.w_hidden.shape[0]]},
            "routing": {
                "method": "ladder", "k": K, "tau": TAU, "p": 1, "blur": BLUR, "scaling": SCALING,
                "diameter": "pair", "max_style_samples": 1024, "seed": 0,
            },
            "coverage": {"levels": []},
            "files": {
                name: {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
                for name, content in files.items()
            },
        }
        (directory / "manifest.json").write_text(json.dumps(manifest, indent=2))
        return directory
