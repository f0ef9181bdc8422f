"""Draws the dashboards from real series, about as Grafana shows them, into docs/images.

Usage: render.py LADDER_SERVER LADDER STORE DATA [FOLDER]
"""

import pathlib
import re
import sys
import textwrap
import time

import matplotlib
import numpy as np
from PIL import Image

from dashboards import DEPLOY, dashboards, fill_in, legend, variables
from watched_service import WatchedService

matplotlib.use("Agg")
from matplotlib import pyplot as plt  # noqa: E402 (after the choice of a backend)

SECONDS = 75
GRID_INCHES = (0.55, 0.31)  # A cell of the dashboards' grid.
PALETTE = [*plt.get_cmap("tab20").colors, *plt.get_cmap("tab20b").colors]


def put_load(service):
    """More and more cameras; in the last third one of them hangs at another place."""
    begin, places = time.time(), service.locations()
    while (share := (time.time() - begin) / SECONDS) < 1:
        cameras = {f"camera {place}": place for place in places[:2 + int(share * 9)]}
        if share > 2 / 3:
            cameras[f"camera {places[0]}"] = places[-1]
        service.put_load(cameras)
    return begin, time.time()


def text_of(value, unit):
    if not np.isfinite(value):
        return "–"
    if unit == "percentunit":
        return f"{100 * value:.2g} %" if value < 1 else f"{100 * value:.0f} %"
    if unit == "s":
        return f"{1000 * value:.3g} ms" if value < 1 else f"{value:.3g} s"
    if unit == "d":
        return f"{value:.3g} days"
    if unit == "bytes":
        return f"{value / 2**20:.0f} MiB"
    return f"{value:.3g}" + {"cps": " /s", "reqps": " /s"}.get(unit, "")


def colour(panel, name, index):
    for override in panel["fieldConfig"]["overrides"]:
        for setting in override["properties"]:
            if override["matcher"]["options"] == name and setting["id"] == "color":
                return setting["value"]["fixedColor"]
    return PALETTE[index % len(PALETTE)]


def is_dashed(panel, name):
    return any(override["matcher"]["id"] == "byRegexp" and re.search(override["matcher"]["options"].strip("/"), name)
               and any(setting["id"] == "custom.lineStyle" for setting in override["properties"])
               for override in panel["fieldConfig"]["overrides"])


def on_grid(values, times):
    """The values at `times`, zero where there are none."""
    found = dict(zip(np.round(values[:, 0]), values[:, 1]))
    return np.nan_to_num([found.get(at, 0) for at in np.round(times)])


def draw_lines(axes, panel, series):
    unit = panel["fieldConfig"]["defaults"].get("unit")
    times = np.unique(np.concatenate([np.round(values[:, 0]) for _, _, values in series]))
    colours = [colour(panel, name, i) for i, (name, _, _) in enumerate(series)]
    names = [name for name, _, _ in series]
    right = {override["matcher"]["options"] for override in panel["fieldConfig"]["overrides"]
             if {"id": "custom.axisPlacement", "value": "right"} in override["properties"]}
    if "stacking" in panel["fieldConfig"]["defaults"]["custom"]:
        axes.stackplot(times, [on_grid(values, times) for _, _, values in series], labels=names, colors=colours)
    else:
        twin = axes.twinx() if right else None
        for (name, _, values), line_colour in zip(series, colours):
            where = twin if name in right else axes
            style = {"color": line_colour, "linewidth": 1, "linestyle": "--" if is_dashed(panel, name) else "-"}
            axes.plot([], [], label=name, **style)
            where.plot(values[:, 0], values[:, 1], **style)
        if twin:
            twin.set_ylim(0, 1.05)
            twin.tick_params(labelsize=6)
            twin.yaxis.set_major_formatter(lambda value, _: text_of(value, "percentunit"))
    if "scaleDistribution" in panel["fieldConfig"]["defaults"]["custom"]:
        axes.set_yscale("symlog", linthresh=1)
    axes.set_ylim(0, panel["fieldConfig"]["defaults"].get("max", 1.05 * axes.get_ylim()[1]))
    axes.yaxis.set_major_formatter(lambda value, _: text_of(value, unit))
    axes.xaxis.set_major_formatter(lambda at, _: time.strftime("%M:%S", time.gmtime(at)))
    axes.xaxis.set_major_locator(matplotlib.ticker.MaxNLocator(5))
    per_row = 11 * panel["gridPos"]["w"] // (max(map(len, names)) + 5)
    axes.legend(fontsize=5.5, ncols=max(1, min(len(names), per_row)), loc="upper center", bbox_to_anchor=(0.5, -0.1),
                frameon=False, columnspacing=1, handlelength=1)
    axes.grid(alpha=0.3)


def draw_heatmap(axes, _, series):
    series = sorted(series, key=lambda one: float(one[1]["le"]))
    times = np.unique(np.concatenate([np.round(values[:, 0]) for _, _, values in series]))
    counts = np.diff([on_grid(values, times) for _, _, values in series], axis=0, prepend=0)
    axes.imshow(np.ma.masked_less(counts, 1e-9), origin="lower", aspect="auto", cmap="Blues")
    axes.set_yticks(range(len(series)), [labels["le"] for _, labels, _ in series])
    axes.set_xticks([])


def draw_matrix(axes, series):
    rows, columns = (sorted({labels[name] for _, labels, _ in series}, key=lambda text: (len(text), text))
                     for name in ("group", "source"))
    weights = np.full((len(rows), len(columns)), np.nan)
    for _, labels, values in series:
        weights[rows.index(labels["group"]), columns.index(labels["source"])] = values[-1, 1]
    axes.imshow(weights, aspect="auto", cmap="Blues", vmin=0, vmax=1)
    for (row, column), weight in np.ndenumerate(weights):
        if np.isfinite(weight):
            axes.text(column, row, text_of(weight, "percentunit"), ha="center", va="center", fontsize=5.5,
                      color="white" if weight > 0.6 else "black")
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xticks(range(len(columns)), columns)


def draw_table(axes, panel, series):
    if any(step["id"] == "groupingToMatrix" for step in panel["transformations"]):
        return draw_matrix(axes, series)
    axes.axis("off")
    columns = [name for name in series[0][1] if name not in ("__name__", "job")]
    rows = [[labels[name] for name in columns] for _, labels, _ in series if set(columns) <= set(labels)]
    table = axes.table(rows, colLabels=columns, loc="upper center", cellLoc="left")
    table.auto_set_font_size(False)
    table.set_fontsize(6)


def draw_stat(axes, panel, series):
    [(_, _, values)] = series
    axes.axis("off")
    axes.fill_between(values[:, 0], values[:, 1], color="tab:blue", alpha=0.15)
    axes.set_ylim(0, 2 * (np.nanmax(values[:, 1]) or 1))
    axes.text(0.5, 0.55, text_of(values[-1, 1], panel["fieldConfig"]["defaults"].get("unit")), fontsize=15,
              ha="center", va="center", transform=axes.transAxes, color="tab:blue")


def draw_bars(axes, _, series):
    for i, (name, _, values) in enumerate(reversed(series)):
        axes.barh(i, values[-1, 1], color="tab:blue")
        axes.text(values[-1, 1], i, " " + text_of(values[-1, 1], "percentunit"), va="center", fontsize=6)
    axes.set_yticks(range(len(series)), [name for name, _, _ in reversed(series)])
    axes.set_xlim(0, 1)


DRAW = {"timeseries": draw_lines, "heatmap": draw_heatmap, "table": draw_table, "stat": draw_stat,
        "bargauge": draw_bars}


def ask(prometheus, panel, values, begin, end):
    """Legend, labels and values of each series."""
    found = []
    for target in panel["targets"]:
        expression = fill_in(target["expr"], values)
        series = (prometheus.query(expression) if target.get("instant") else
                  prometheus.query_range(expression, begin, end))
        found += [(legend(target, labels), labels, data) for labels, data in series]
    return found


def render(dashboard, prometheus, begin, end, path):
    values = variables(dashboard, prometheus)
    height = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in dashboard["panels"])
    figure = plt.figure(figsize=(24 * GRID_INCHES[0], height * GRID_INCHES[1]), dpi=80)
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        left, top = place["x"] / 24, 1 - place["y"] / height
        title = fill_in(panel["title"], values)
        if panel["type"] == "row":
            figure.text(left + 0.005, top - 0.6 / height, title, fontsize=10, weight="bold", va="center")
            continue
        below = 2 if panel["type"] == "timeseries" else 0.9  # Room for axis and legend.
        axes = figure.add_axes((left + 0.045, top - (place["h"] - below) / height,
                                place["w"] / 24 - 0.065, (place["h"] - below - 1.2) / height))
        axes.set_title("\n".join(textwrap.wrap(title, 9 * place["w"])), fontsize=7.5, loc="left")
        axes.tick_params(labelsize=6)
        DRAW[panel["type"]](axes, panel, ask(prometheus, panel, values, begin, end))
    figure.savefig(path)
    # So many colours are enough, and make a small file.
    Image.open(path).convert("RGB").quantize(256).save(path, optimize=True)


def main():
    folder = pathlib.Path(sys.argv[5]) if len(sys.argv) > 5 else DEPLOY.parent / "docs/images"
    folder.mkdir(parents=True, exist_ok=True)
    with WatchedService(*sys.argv[1:5]) as service:
        begin, end = put_load(service)
        for title, dashboard in dashboards().items():
            render(dashboard, service.prometheus, begin, end, folder / f"dashboard_{title.lower()}.png")


if __name__ == "__main__":
    main()
