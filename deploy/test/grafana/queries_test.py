"""Everything that dashboards and alerts ask is asked of a real Prometheus, and has to find data.

Usage: queries_test.py LADDER_SERVER LADDER STORE DATA, the last two as scripts/demo makes them. Debian's package
prometheus brings prometheus.
"""

import sys
import time
import unittest

import numpy as np

from dashboards import dashboards, fill_in, legend, operands, panels, rules, variables
from watched_service import WatchedService, wait_until

_paths = []


class QueriesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.service = cls.enterClassContext(WatchedService(*_paths))
        cls.prometheus = cls.service.prometheus
        cls.begin = time.time()
        cameras = {f"camera {location}": location for location in cls.service.locations()[:3]}

        def are_watched():
            """What comes last in the load has a rate, and the rule that looks back has recorded for a while."""
            cls.service.put_load(cameras)
            return all(cls.prometheus.query(f"min(count_over_time({series}[1m])) > 3") for series in (
                'ladder_requests_total{code="NOT_FOUND"}', "job_model_group:ladder_group_weight:shift1d"))

        wait_until(are_watched, "the load can be seen")
        cls.end = time.time()

    def assert_data(self, series, expression):
        self.assertTrue(any(np.isfinite(values[:, 1]).any() for _, values in series), f"no data: {expression}")

    def test_every_panel_finds_data(self):
        for title, dashboard in dashboards().items():
            values = variables(dashboard, self.prometheus)
            for panel in panels(dashboard):
                for target in panel["targets"]:
                    with self.subTest(f"{title}: {panel['title']} {target['refId']}"):
                        expression = fill_in(target["expr"], values)
                        self.assertNotIn("$", expression)
                        series = (self.prometheus.query(expression) if target.get("instant") else
                                  self.prometheus.query_range(expression, self.begin, self.end))
                        self.assert_data(series, expression)

    def test_every_legend_tells_its_series_apart(self):
        for title, dashboard in dashboards().items():
            values = variables(dashboard, self.prometheus)
            for panel in panels(dashboard):
                for target in panel["targets"]:
                    with self.subTest(f"{title}: {panel['title']} {target['refId']}"):
                        series = self.prometheus.query_range(fill_in(target["expr"], values), self.begin, self.end)
                        if len(series) > 1 and "legendFormat" in target:
                            names = {legend(target, labels) for labels, _ in series}
                            self.assertEqual(len(names), len(series))

    def test_every_alert_compares_series_that_are_there(self):
        for rule in rules():
            if "alert" in rule:
                self.prometheus.query(rule["expr"])
                for operand in operands(rule["expr"]):
                    with self.subTest(rule["alert"], operand=operand):
                        self.assert_data(self.prometheus.query(operand), operand)

    def test_every_recording_rule_records(self):
        for rule in rules():
            if "record" in rule:
                with self.subTest(rule["record"]):
                    self.assert_data(self.prometheus.query(rule["record"]), rule["record"])

    def test_prometheus_evaluates_all_rules_without_errors(self):
        found = self.prometheus.rules()
        self.assertEqual(len(found), len(rules()))
        for rule in found:
            self.assertEqual((rule["health"], rule.get("lastError")), ("ok", None), rule["name"])

    def test_pictures_of_noise_set_off_the_alert_about_coverage_with_a_readable_text(self):
        [rule] = [rule for rule in self.prometheus.rules() if rule["name"] == "LadderGroupOutOfCoverage"]
        self.assertEqual([alert["annotations"]["summary"] for alert in rule["alerts"]],
                         ["A group lies outside of what the sources of garments cover"])


if __name__ == "__main__":
    _paths.extend(sys.argv[1:5])
    del sys.argv[1:5]
    unittest.main()
