"""TLS, client certificates and tokens, and their change without a restart.

Usage: tls_test.py LADDER_SERVER WRITE_STORE WRITE_CERTIFICATES DESCRIPTORS
"""

import re
import shutil
import signal
import socket
import ssl
import unittest

import grpc
import numpy as np
import tritonclient.grpc as triton
from grpc_health.v1 import health_pb2, health_pb2_grpc

import running_server
from ladder_client import LadderClient
from running_server import LIMIT_SECONDS, RunningServer, get, store_with, temporary_folder, wait_until

TOKEN = "correct-horse-battery-staple"
OTHER_TOKEN = "another-token-of-some-length"


class TlsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.store = store_with(cls, "tensor")
        cls.files = temporary_folder(cls)
        running_server.write_certificates(cls.files)

    def start(self, *flags, tls=True):
        """With files of its own in use, server.pem and server.key."""
        self.used = temporary_folder(self)
        self.use("ours-server-1")
        pair = [f"--tls-certificate={self.used}/server.pem", f"--tls-key={self.used}/server.key"] if tls else []
        return RunningServer(self, self.store, "--tls-reload-secs=0.1", "--log-level=debug", *pair, *flags)

    def use(self, certificate, key=None):
        for name, ending in [(key or certificate, "key"), (certificate, "pem")]:
            shutil.copy(self.files / f"{name}.{ending}", self.used / "new")
            (self.used / "new").rename(self.used / f"server.{ending}")

    def read(self, name):
        return (self.files / name).read_bytes()

    def credentials(self, client=None, trusted="ours"):
        pair = (self.read(f"{client}.key"), self.read(f"{client}.pem")) if client else (None, None)
        return grpc.ssl_channel_credentials(self.read(f"{trusted}.pem"), *pair)

    def connect(self, server, **more):
        return LadderClient(self, server.address, self.credentials(**more))

    def check_refused(self, client, code=grpc.StatusCode.UNAVAILABLE, **call):
        with self.assertRaises(grpc.RpcError) as caught:
            client.predict([client.request("group", "tensor", np.ones((2, 6)))], **call)
        self.assertEqual(caught.exception.code(), code)
        return caught.exception.details()

    def serial(self, server):
        return int(self.shown(server)["serialNumber"], 16)

    def shown(self, server):
        """The certificate that a new connection is shown."""
        context = ssl.create_default_context(cafile=self.files / "ours.pem")
        context.set_alpn_protocols(["h2"])
        address = server.address.split(":")
        with socket.create_connection(address, timeout=LIMIT_SECONDS) as plain:
            with context.wrap_socket(plain, server_hostname="127.0.0.1") as secure:
                return secure.getpeercert()

    def metric(self, server, name):
        """The value of a metric without labels; None if it is not there."""
        found = re.search(rf"^{name} (\S+)$", get(server.metrics)[1], re.MULTILINE)
        return found and float(found[1])

    def check_no_secrets(self, server):
        """Not one line of a key, and no token."""
        texts = [server.log(), server.line]
        for key in self.files.glob("*.key"):
            for line in key.read_text().splitlines()[1:-1]:
                for text in texts:
                    self.assertNotIn(line, text)
        for token in [TOKEN, OTHER_TOKEN]:
            for text in texts:
                self.assertNotIn(token, text)

    def test_only_clients_that_speak_tls_are_served(self):
        server = self.start()
        self.assertIn("(TLS)", server.line)
        self.connect(server).check_serves()
        self.check_refused(LadderClient(self, server.address))
        self.check_refused(self.connect(server, trusted="others"))
        self.connect(server).check_serves()
        self.check_no_secrets(server)

    def test_tritons_client_speaks_tls(self):
        server = self.start(f"--tls-client-ca={self.files}/ours.pem")
        client = triton.InferenceServerClient(
            server.address, ssl=True, root_certificates=str(self.files / "ours.pem"),
            private_key=str(self.files / "ours-client.key"), certificate_chain=str(self.files / "ours-client.pem"))
        self.addCleanup(client.close)
        self.assertTrue(client.is_model_ready("tensor"))

    def test_probes_and_metrics_stay_plain(self):
        server = self.start(f"--tls-client-ca={self.files}/ours.pem")
        self.assertEqual(get(server.probes + "/v2/health/ready"), (200, "ok\n"))
        self.assertEqual(get(server.metrics)[0], 200)

    def test_mutual_tls_serves_only_known_clients(self):
        server = self.start(f"--tls-client-ca={self.files}/ours.pem")
        self.connect(server, client="ours-client").check_serves()
        self.check_refused(self.connect(server))
        self.check_refused(self.connect(server, client="others-client"))
        self.connect(server, client="ours-client").check_serves()
        self.check_no_secrets(server)

    def test_new_files_are_used_without_a_restart(self):
        server = self.start()
        open_connection = self.connect(server)
        open_connection.check_serves()
        self.assertEqual(self.serial(server), 1)
        self.use("ours-server-2")
        wait_until(lambda: self.serial(server) == 2, "the new certificate is shown")
        open_connection.check_serves()
        self.connect(server).check_serves()
        self.assertIn("certificate in use", server.log())
        self.check_no_secrets(server)

    def test_a_bad_pair_leaves_the_old_one_in_use(self):
        server = self.start()
        self.use("ours-server-2", key="ours-server-1")
        wait_until(lambda: "certificate stays as it was" in server.log(), "the pair is rejected")
        self.assertEqual(self.serial(server), 1)
        self.connect(server).check_serves()
        self.assertEqual(server.log().count("certificate stays as it was"), 1)

        self.use("ours-server-2")
        wait_until(lambda: self.serial(server) == 2, "the good pair is shown")
        self.connect(server).check_serves()
        self.check_no_secrets(server)

    def test_metrics_tell_when_the_certificate_in_use_expires_and_what_could_not_be_used(self):
        server = self.start()
        expiry, failures = "ladder_tls_certificate_expiry_timestamp_seconds", "ladder_tls_reload_failures_total"
        first = self.metric(server, expiry)
        self.assertEqual(first, ssl.cert_time_to_seconds(self.shown(server)["notAfter"]))
        self.assertEqual(self.metric(server, failures), 0)

        self.use("ours-server-2", key="ours-server-1")
        wait_until(lambda: self.metric(server, failures) > 0, "the pair is rejected")
        self.assertEqual(self.metric(server, expiry), first)

        self.use("ours-server-2")
        wait_until(lambda: self.metric(server, expiry) > first, "the new certificate is in use")
        wait_until(lambda: self.serial(server) == 2, "the new certificate is shown")
        self.assertEqual(self.metric(server, expiry), ssl.cert_time_to_seconds(self.shown(server)["notAfter"]))

    def test_metrics_say_nothing_of_certificates_and_tokens_without_them(self):
        text = get(self.start(tls=False).metrics)[1]
        self.assertNotIn("ladder_tls_", text)
        self.assertNotIn("ladder_token_", text)

    def test_files_that_cannot_be_used_stop_the_start(self):
        server = RunningServer(self, self.store, f"--tls-certificate={self.files}/ours-server-1.pem",
                               f"--tls-key={self.files}/others-client.key", wait=False)
        self.assertEqual(server.wait(), 1)
        errors = [line for line in server.log().splitlines() if line.startswith("ladder-server: ")]
        self.assertEqual(len(errors), 1, server.log())
        self.assertIn("others-client.key", errors[0])
        self.check_no_secrets(server)

    def test_tokens_are_needed_for_everything_but_health(self):
        tokens = temporary_folder(self) / "tokens"
        tokens.write_text(f"{TOKEN}\n")
        tokens.chmod(0o600)
        server = self.start(f"--auth-token-file={tokens}")
        client = self.connect(server)
        expected = "expected the metadata 'authorization: Bearer TOKEN'"
        unauthenticated = grpc.StatusCode.UNAUTHENTICATED
        self.assertEqual(self.check_refused(client, unauthenticated), f"{expected}, got none")
        wrong = [("authorization", f"Bearer {OTHER_TOKEN}")]
        self.assertEqual(self.check_refused(client, unauthenticated, metadata=wrong),
                         f"{expected}, got a token that is not known")
        with self.assertRaises(grpc.RpcError) as caught:
            client.method("ListModels")(client.message("ListModelsRequest"), timeout=LIMIT_SECONDS)
        self.assertEqual(caught.exception.code(), unauthenticated)
        health = health_pb2_grpc.HealthStub(client.channel)
        self.assertIn(health.Check(health_pb2.HealthCheckRequest()).status, [1, 2])

        right = [("authorization", f"Bearer {TOKEN}")]
        request = client.request("group", "tensor", np.ones((2, 6)))
        self.assertEqual(len(client.predict([request], metadata=right)), 3)

        tokens.write_text(f"{OTHER_TOKEN}\n")

        def is_known(metadata):
            try:
                client.predict([request], metadata=metadata)
            except grpc.RpcError:
                return False
            return True

        wait_until(lambda: is_known(wrong), "the other token is known")
        self.assertFalse(is_known(right))
        tokens.write_text("short\n")
        wait_until(lambda: "tokens stay as they were" in server.log(), "the bad file is rejected")
        self.assertGreater(self.metric(server, "ladder_token_reload_failures_total"), 0)
        self.assertTrue(is_known(wrong))
        self.check_no_secrets(server)

    def test_sighup_reads_tokens_and_certificates_at_once(self):
        tokens = temporary_folder(self) / "tokens"
        tokens.write_text(f"{TOKEN}\n")
        server = self.start(f"--auth-token-file={tokens}", "--tls-reload-secs=3600")
        client = self.connect(server)
        request = client.request("group", "tensor", np.ones((2, 6)))
        self.use("ours-server-2")
        tokens.write_text(f"{OTHER_TOKEN}\n")

        server.send_signal(signal.SIGHUP)

        wait_until(lambda: self.serial(server) == 2, "the new certificate is shown")
        other = [("authorization", f"Bearer {OTHER_TOKEN}")]
        self.assertEqual(len(client.predict([request], metadata=other)), 3)
        self.assertIn("SIGHUP: tokens and certificates are read again", server.log())

        # What cannot be used is said, and the server goes on.
        tokens.write_text("short\n")
        server.send_signal(signal.SIGHUP)
        wait_until(lambda: "tokens stay as they were" in server.log(), "the bad file is rejected")
        self.assertEqual(len(client.predict([request], metadata=other)), 3)
        server.stop()

    def test_tokens_work_with_tritons_client(self):
        tokens = temporary_folder(self) / "tokens"
        tokens.write_text(f"# Of a test.\n{TOKEN}\n")
        tokens.chmod(0o644)
        server = self.start(f"--auth-token-file={tokens}", tls=False)
        client = triton.InferenceServerClient(server.address)
        self.addCleanup(client.close)
        self.assertTrue(client.is_server_live(headers={"authorization": f"Bearer {TOKEN}"}))
        with self.assertRaisesRegex(Exception, "authorization: Bearer TOKEN"):
            client.get_server_metadata()
        self.assertIn(f"{tokens}: every user of this machine can read the tokens", server.log().replace("\\", ""))
        self.check_no_secrets(server)


if __name__ == "__main__":
    running_server.main()
