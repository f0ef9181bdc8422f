"""The three graphs of a bundle, written with the onnx package alone.

They keep the contract of docs/model_format.md and nothing more: they are simpler than those that LADDER writes.
"""

import numpy as np
from onnx import TensorProto, checker, helper, numpy_helper

FLOAT = TensorProto.FLOAT


class Graph:
    """Collects nodes; `op` gives the name of its output."""

    def __init__(self, prefix=""):
        self.prefix, self.nodes, self.constants = prefix, [], []

    def constant(self, value, dtype=np.float32):
        name = f"{self.prefix}c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def op(self, kind, *inputs, name=None, **attributes):
        name = name or f"{self.prefix}{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], **attributes))
        return name

    def subgraph(self, name, inputs, outputs):
        return helper.make_graph(self.nodes, name, inputs, outputs, self.constants)

    def model(self, name, inputs, outputs):
        graph = self.subgraph(name, [tensor(*i) for i in inputs], [tensor(*o) for o in outputs])
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        checker.check_model(model, full_check=True)
        return model.SerializeToString()


def tensor(name, shape, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def encoder(world):
    g = Graph()
    hidden = g.op("Tanh", g.op("Gemm", "x", g.constant(world.w_hidden), g.constant(world.b_hidden)))
    for output, parameter in (("z_c", world.w_content), ("z_s", world.w_style)):
        g.op("MatMul", hidden, g.constant(parameter), name=output)
    g.op("MatMul", "z_s", g.constant(world.w_gate), name="gate")
    return g.model(
        "encoder",
        [("x", ["n", world.w_hidden.shape[0]])],
        [("z_c", ["n", world.w_content.shape[1]]), ("z_s", ["n", world.w_style.shape[1]]),
         ("gate", ["n", world.w_gate.shape[1]])],
    )


def heads(weights, biases):
    """All experts' logits, then their mixture: right for one row of weights and for one per sample."""
    num_sources, num_classes, dimension = weights.shape
    g = Graph()
    stacked = weights.transpose(2, 0, 1).reshape(dimension, num_sources * num_classes)
    every = g.op("Add", g.op("MatMul", "z_c", g.constant(stacked)), g.constant(biases.reshape(-1)))
    every = g.op("Reshape", every, g.constant([-1, num_sources, num_classes], np.int64))
    mixed = g.op("Mul", every, g.op("Unsqueeze", "weights", g.constant([2], np.int64)))
    g.op("ReduceSum", mixed, g.constant([1], np.int64), name="logits", keepdims=0)
    return g.model(
        "heads",
        [("z_c", ["n", dimension]), ("weights", ["r", num_sources])],
        [("logits", ["n", num_classes])],
    )


def router(fingerprints, counts, mean, std, blur, scaling):
    """The divergence to every source at once, self terms and all, by plain log-sum-exp."""
    num_sources, m, dimension = fingerprints.shape
    g = Graph()

    def axes(*values):
        return g.constant(values, np.int64)

    def pairwise(a, b):  # [..., i, d] and [..., j, d] to [..., i, j]
        difference = g.op("Sub", g.op("Unsqueeze", a, axes(-2)), g.op("Unsqueeze", b, axes(-3)))
        squared = g.op("ReduceSum", g.op("Mul", difference, difference), axes(-1), keepdims=0)
        return g.op("Sqrt", g.op("Max", squared, g.constant(1e-8)))

    used = np.arange(m)[None, :] < counts[:, None]
    padded = np.where(used[:, :, None], fingerprints, fingerprints[:, :1])
    y = g.constant(padded)
    x = g.op("Div", g.op("Sub", "z_s", g.constant(mean)), g.constant(std.astype(np.float64) + 1e-6))
    x = g.op("Unsqueeze", x, axes(0))
    log_b = g.constant(np.where(used, -np.log(counts)[:, None], -1e30)[:, None, :])
    rows = g.op("Cast", g.op("Slice", g.op("Shape", "z_s"), axes(0), axes(1)), to=FLOAT)
    log_a = g.op("Neg", g.op("Log", rows))
    cost = {"xy": pairwise(x, y), "xx": pairwise(x, x), "yy": pairwise(y, y)}
    cost["yx"] = g.op("Transpose", cost["xy"], perm=[0, 2, 1])

    high = g.op("Max", g.op("ReduceMax", x, axes=[1], keepdims=0), g.constant(padded.max(axis=1)))
    low = g.op("Min", g.op("ReduceMin", x, axes=[1], keepdims=0), g.constant(padded.min(axis=1)))
    diameter = g.op("ReduceL2", g.op("Sub", high, low), axes=[1], keepdims=0)
    diameter = g.op("Reshape", diameter, axes(num_sources, 1, 1))
    log_ratio = g.op("Log", g.op("Div", diameter, g.constant(blur)))
    steps = g.op("Max", g.op("Ceil", g.op("Div", log_ratio, g.constant(-np.log(scaling)))), g.constant(0))

    def transform(graph, which, potential, epsilon):
        """Potentials are [E, 1, points]; the result is [E, 1, the other's points]."""
        masses = {"x": log_a, "y": log_b}[which[1]]
        exponents = graph.op("Div", graph.op("Sub", potential, cost[which]), epsilon)
        total = graph.op("ReduceLogSumExp", graph.op("Add", exponents, masses), axes=[2], keepdims=1)
        return graph.op("Transpose", graph.op("Neg", graph.op("Mul", epsilon, total)), perm=[0, 2, 1])

    sides = {"f": ("xy", "g"), "g": ("yx", "f"), "p": ("xx", "p"), "q": ("yy", "q")}
    zero = g.constant(0)
    start = {name: transform(g, which, zero, diameter) for name, (which, _) in sides.items()}

    body = Graph("body_")
    step = body.op("Cast", "step", to=FLOAT)
    scaled = body.op("Pow", body.constant(scaling), body.op("Max", body.op("Sub", step, body.constant(1)), body.constant(0)))
    epsilon = body.op("Where", body.op("LessOrEqual", step, steps), body.op("Mul", diameter, scaled), body.constant(blur))
    active = body.op("LessOrEqual", step, body.op("Add", steps, body.constant(1)))
    for name, (which, other) in sides.items():
        moved = transform(body, which, other, epsilon)
        mean_of_both = body.op("Mul", body.op("Add", name, moved), body.constant(0.5))
        body.op("Where", active, mean_of_both, name, name=f"{name}_next")
    body.op("Identity", "go_on", name="go_on_next")
    unknown = [None, None, None]
    loop = body.subgraph(
        "steps",
        [tensor("step", [], TensorProto.INT64), tensor("go_on", [], TensorProto.BOOL)]
        + [tensor(name, unknown) for name in sides],
        [tensor("go_on_next", [], TensorProto.BOOL)] + [tensor(f"{name}_next", unknown) for name in sides],
    )
    longest = g.op("Add", g.op("ReduceMax", steps, keepdims=0), g.constant(2))
    trips = g.op("Cast", longest, to=TensorProto.INT64)
    g.nodes.append(
        helper.make_node("Loop", [trips, "", *start.values()], [f"{name}_end" for name in sides], body=loop)
    )

    def total(name):
        which, other = sides[name]
        last = transform(g, which, f"{other}_end", g.constant(blur))
        if which[0] == "x":
            return g.op("ReduceMean", last, axes=[1, 2], keepdims=0)
        masses = g.constant(np.where(used, 1 / counts[:, None], 0)[:, None, :])
        return g.op("ReduceSum", g.op("Mul", last, masses), axes(1, 2), keepdims=0)

    cross = g.op("Add", total("f"), total("g"))
    g.op("Sub", cross, g.op("Add", total("p"), total("q")), name="distances")
    return g.model("router", [("z_s", ["n", dimension])], [("distances", [num_sources])])
