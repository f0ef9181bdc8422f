"""The method in float64 numpy, written from docs/sinkhorn.md and the paper alone."""

import math

import numpy as np

SMALLEST_COST = 1e-4
NUM_NODES = 5


def costs(x, y):
    squared = ((x[:, None, :] - y[None, :, :]) ** 2).sum(axis=2)
    return np.sqrt(np.maximum(squared, SMALLEST_COST**2))


def transform(cost, potential, epsilon):
    """-epsilon * log mean_j exp((potential_j - cost_ij) / epsilon)."""
    exponents = (potential[None, :] - cost) / epsilon
    largest = exponents.max(axis=1)
    return -epsilon * (largest + np.log(np.exp(exponents - largest[:, None]).mean(axis=1)))


def schedule(diameter, blur, scaling):
    steps = max(0, math.ceil((math.log(blur) - math.log(diameter)) / math.log(scaling)))
    return [diameter] + [diameter * scaling**i for i in range(steps)] + [blur]


def cross_term(x, y, epsilons):
    cost = costs(x, y)
    f = transform(cost, np.zeros(len(y)), epsilons[0])
    g = transform(cost.T, np.zeros(len(x)), epsilons[0])
    for epsilon in epsilons:
        f, g = (f + transform(cost, g, epsilon)) / 2, (g + transform(cost.T, f, epsilon)) / 2
    f, g = transform(cost, g, epsilons[-1]), transform(cost.T, f, epsilons[-1])
    return f.mean() + g.mean()


def self_term(x, epsilons):
    cost = costs(x, x)
    p = transform(cost, np.zeros(len(x)), epsilons[0])
    for epsilon in epsilons:
        p = (p + transform(cost, p, epsilon)) / 2
    return transform(cost, p, epsilons[-1]).mean()


def diameter(x, y):
    both = np.concatenate([x, y])
    return np.linalg.norm(both.max(axis=0) - both.min(axis=0))


def distance(x, y, blur, scaling):
    epsilons = schedule(diameter(x, y), blur, scaling)
    return cross_term(x, y, epsilons) - self_term(x, epsilons) - self_term(y, epsilons)


def self_term_nodes(x, blur, scaling):
    """The cached self terms of docs/model_format.md: one for each node of the phase."""
    num_scaled = math.ceil(math.log(35) / -math.log(scaling))
    values = []
    for node in range(NUM_NODES):
        phase = (1 - math.cos((node + 0.5) * math.pi / NUM_NODES)) / 2
        last = blur * scaling**-phase
        scaled = [last * scaling ** -(num_scaled - 1 - i) for i in range(num_scaled)]
        values.append(self_term(x, [scaled[0], *scaled, blur]))
    return values


def weights(distances, k, tau):
    nearest = np.argsort(distances, kind="stable")[:k]
    scores = np.exp(-(distances[nearest] - distances[nearest[0]]) / tau)
    result = np.zeros(len(distances))
    result[nearest] = scores / scores.sum()
    return result


def softmax(logits):
    exponentials = np.exp(logits - logits.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)
