"""The dashboards and rules of this deployment, as what they ask of Prometheus."""

import json
import pathlib
import re

import yaml

DEPLOY = pathlib.Path(__file__).resolve().parents[2]


def dashboards():
    """Title to JSON."""
    found = [json.loads(path.read_text()) for path in sorted((DEPLOY / "grafana/dashboards").glob("*.json"))]
    return {dashboard["title"]: dashboard for dashboard in found}


def rules():
    files = sorted((DEPLOY / "prometheus/rules").glob("*.yml"))
    groups = [group for path in files for group in yaml.safe_load(path.read_text())["groups"]]
    return [rule for group in groups for rule in group["rules"]]


def panels(dashboard):
    """All but the rows' headings."""
    return [panel for panel in dashboard["panels"] if panel["type"] != "row"]


def variables(dashboard, prometheus):
    """Name to value, as Grafana would choose them at first; each one's query has to find something."""
    values = {"__rate_interval": "10s"}
    for variable in dashboard["templating"]["list"]:
        if variable["type"] != "query":
            continue
        series, label = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"]).groups()
        found = prometheus.label_values(fill_in(series, values), label)
        if not found:
            raise AssertionError(f"variable {variable['name']}: {variable['query']['query']} finds nothing")
        chosen = variable.get("current", {}).get("value")
        values[variable["name"]] = (variable["allValue"] if variable["includeAll"] else
                                    chosen if chosen in found else found[0])
    return values


def fill_in(text, values):
    for name, value in values.items():
        text = text.replace(f"${name}", value)
    return text


def legend(target, labels):
    return re.sub(r"{{(\w+)}}", lambda name: labels.get(name[1], ""), target.get("legendFormat", ""))


def operands(expression):
    """What a condition compares and combines: `a / b > 2 and on (x) c` has a / b and c. Numbers are left out."""
    found, depth, start = [], 0, 0
    for token in re.finditer(r'"[^"]*"|[(\[{]|[)\]}]|[<>]=?|[!=]=|\b(?:and|or|unless)\b', expression):
        if token[0] in "([{":
            depth += 1
        elif token[0] in ")]}":
            depth -= 1
        elif depth == 0 and token[0][0] != '"':
            found.append(expression[start:token.start()])
            start = token.end()
    found.append(expression[start:])
    matching = r"\s*(?:(?:on|ignoring) \([^)]*\)\s*)?(?:group_left\s*|group_right\s*)?"
    found = [re.sub("^" + matching, "", operand).strip() for operand in found]
    return [operand for operand in found if not re.fullmatch(r"[\d.* ]+", operand)]
