"""What a bundle answers, by the Python packages of ONNX Runtime and numpy."""

import json

import numpy as np
import onnxruntime


class BundleReference:
    def __init__(self, bundle):
        self.manifest = json.loads((bundle / "manifest.json").read_text())
        names = ["encoder", "router", "heads"]
        self._sessions = {name: onnxruntime.InferenceSession(bundle / f"{name}.onnx") for name in names}
        self.classes = self.manifest["classes"]
        self.sources = [source["name"] for source in self.manifest["sources"]]

    def _run(self, name, **inputs):
        session = self._sessions[name]
        outputs = [output.name for output in session.get_outputs()]
        return dict(zip(outputs, session.run(outputs, inputs)))

    def distances(self, x):
        return self._run("router", z_s=self._run("encoder", x=x)["z_s"])["distances"]

    def ladder_weights(self, x, k, tau):
        distances = self.distances(x).astype(np.float64)
        nearest = np.argsort(distances, kind="stable")[:k]
        scores = np.exp(-(distances[nearest] - distances[nearest[0]]) / tau)
        weights = np.zeros(len(distances))
        weights[nearest] = scores / scores.sum()
        return weights

    def gate_weights(self, x):
        """One row per sample."""
        return softmax(self._run("encoder", x=x)["gate"].astype(np.float64))

    def probabilities(self, x, weights):
        """`weights` of the group or one row per sample."""
        weights = np.atleast_2d(np.asarray(weights, np.float32))
        content = self._run("encoder", x=x)["z_c"]
        return softmax(self._run("heads", z_c=content, weights=weights)["logits"].astype(np.float64))


def softmax(values):
    exponentials = np.exp(values - values.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)
