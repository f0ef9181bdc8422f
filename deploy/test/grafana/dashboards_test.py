"""The dashboards' JSON: every key is one that Grafana knows, panels do not overlap, and all find their data source.

Usage: dashboards_test.py
"""

import itertools
import json
import unittest

import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard

from dashboards import DEPLOY, dashboards, panels


def differences(before, after, path=""):
    """Where `after` lacks what `before` has, or differs."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            yield from differences(value, after.get(key), f"{path}/{key}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for i, pair in enumerate(zip(before, after)):
            yield from differences(*pair, f"{path}/{i}")
    elif before != after:
        yield f"{path}: {before!r} became {after!r}"


def overlap(a, b):
    return all(a[start] < b[start] + b[size] and b[start] < a[start] + a[size] for start, size in ("xw", "yh"))


class DashboardsTest(unittest.TestCase):
    def each_dashboard(self):
        for title, dashboard in dashboards().items():
            with self.subTest(title):
                yield dashboard

    def test_there_are_two_dashboards(self):
        self.assertEqual(set(dashboards()), {"Routing", "Service"})

    def test_grafanas_own_types_keep_every_key_and_value(self):
        register_default_plugins()
        for dashboard in self.each_dashboard():
            after = json.loads(json.dumps(Dashboard.from_json(dashboard), cls=JSONEncoder))
            self.assertEqual(list(differences(dashboard, after)), [])

    def test_a_misspelt_key_is_found_that_way(self):
        register_default_plugins()
        dashboard = dashboards()["Routing"]
        panels(dashboard)[0]["options"]["graphMood"] = "area"
        after = json.loads(json.dumps(Dashboard.from_json(dashboard), cls=JSONEncoder))
        self.assertEqual(len(list(differences(dashboard, after))), 1)

    def test_panels_fit_the_grid_and_do_not_overlap(self):
        for dashboard in self.each_dashboard():
            places = {panel["title"]: panel["gridPos"] for panel in dashboard["panels"]}
            for title, place in places.items():
                self.assertLessEqual(place["x"] + place["w"], 24, title)
            for a, b in itertools.combinations(dashboard["panels"], 2):
                self.assertFalse(overlap(a["gridPos"], b["gridPos"]), (a["title"], b["title"]))

    def test_ids_are_unique(self):
        found = dashboards().values()
        self.assertEqual(len({dashboard["uid"] for dashboard in found}), len(found))
        for dashboard in self.each_dashboard():
            ids = [panel["id"] for panel in dashboard["panels"]]
            self.assertEqual(len(set(ids)), len(ids))

    def test_all_data_comes_from_the_source_that_the_variable_names(self):
        for dashboard in self.each_dashboard():
            self.assertEqual(dashboard["templating"]["list"][0]["query"], "prometheus")
            for panel in panels(dashboard):
                for asking in [panel, *panel["targets"]]:
                    self.assertEqual(asking["datasource"], {"type": "prometheus", "uid": "${datasource}"})

    def test_provisioning_names_one_prometheus_and_one_folder_of_dashboards(self):
        folder = DEPLOY / "grafana/provisioning"
        [source] = yaml.safe_load((folder / "datasources/prometheus.yml").read_text())["datasources"]
        [provider] = yaml.safe_load((folder / "dashboards/ladder.yml").read_text())["providers"]
        scraping = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())["global"]
        self.assertEqual(source["type"], "prometheus")
        self.assertEqual(source["jsonData"]["timeInterval"], scraping["scrape_interval"])
        self.assertEqual(provider["type"], "file")


if __name__ == "__main__":
    unittest.main()
