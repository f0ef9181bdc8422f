"""Configuration, rules and alerts for Prometheus, by its own promtool.

Usage: rules_test.py. Debian's package prometheus brings promtool.
"""

import pathlib
import re
import subprocess
import unittest

import yaml

HERE = pathlib.Path(__file__).resolve().parent
DEPLOY = HERE.parents[1]
RULES = sorted((DEPLOY / "prometheus/rules").glob("*.yml"))
TESTS = sorted(HERE.glob("*_test.yml"))


def alerts():
    groups = [group for path in RULES for group in yaml.safe_load(path.read_text())["groups"]]
    return [rule for group in groups for rule in group["rules"] if "alert" in rule]


class RulesTest(unittest.TestCase):
    def promtool(self, *arguments):
        done = subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_prometheus_takes_the_configuration_and_its_rules(self):
        self.promtool("check", "config", DEPLOY / "prometheus/prometheus.yml")
        self.promtool("check", "rules", *RULES)

    def test_alerts_fire_when_they_should_and_only_then(self):
        self.promtool("test", "rules", *TESTS)

    def test_every_alert_has_a_test_where_it_fires_and_where_it_is_quiet(self):
        fires, quiet = set(), set()
        for test in (test for path in TESTS for test in yaml.safe_load(path.read_text())["tests"]):
            jobs = {job for series in test["input_series"] for job in re.findall(r'job="([^"]*)"', series["series"])}
            for question in test["promql_expr_test"]:
                for alert in re.findall(r'^ALERTS\{alertname="(\w+)",alertstate="firing"\}$', question["expr"]):
                    firing = {job for sample in question["exp_samples"]
                              for job in re.findall(r'job="([^"]*)"', sample["labels"])}
                    fires.update([alert] if firing == {"ladder-fires"} else [])
                    quiet.update([alert] if firing and "ladder-quiet" in jobs - firing else [])

        names = {alert["alert"] for alert in alerts()}
        self.assertEqual(fires, names)
        self.assertEqual(quiet, names)

    def test_every_alert_says_how_urgent_it_is_what_it_means_and_what_to_do(self):
        for alert in alerts():
            with self.subTest(alert["alert"]):
                self.assertIn(alert["labels"]["severity"], ("info", "warning", "critical"))
                self.assertEqual(set(alert["annotations"]), {"summary", "description"})

    def test_the_operators_guide_has_a_section_for_every_alert(self):
        guide = (DEPLOY.parent / "docs/operations.md").read_text()
        sections = re.findall(r"^#+ (Ladder\w+)$", guide, re.MULTILINE)
        self.assertEqual(sorted(sections), sorted(alert["alert"] for alert in alerts()))


if __name__ == "__main__":
    unittest.main()
