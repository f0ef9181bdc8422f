"""TLS, client certificates and tokens.

Usage: python_security_test.py LADDER_SERVER WRITE_STORE WRITE_CERTIFICATES DESCRIPTORS
"""

import grpc
import numpy as np

import running_server
from both_clients import for_both
from ladder.client import LadderError, Tls
from running_server import RunningServer, store_with, temporary_folder, wait_until

TOKEN = "correct-horse-battery-staple"
X = np.ones((3, 6), np.float32)


class SecurityTest:
    @classmethod
    def setUpClass(cls):
        cls.files = temporary_folder(cls)
        running_server.write_certificates(cls.files)
        (cls.files / "tokens").write_text(f"# Ours.\nanother-token-of-some-length\n{TOKEN}\n")
        cls.store = store_with(cls, "tensor")

    def start(self, *flags, tls=True):
        pair = [f"--tls-certificate={self.files}/ours-server-1.pem", f"--tls-key={self.files}/ours-server-1.key"]
        return RunningServer(self, self.store, *(pair if tls else []), *flags)

    def check_serves(self, server, **options):
        result = self.connect(server.address, **options).predict("group", X, model="tensor")
        self.assertEqual(len(result.predictions.labels), 3)

    def check_refused(self, server, code, **options):
        with self.assertRaises(LadderError) as caught:
            self.connect(server.address, **options).predict("group", X, model="tensor")
        self.assertEqual(caught.exception.code, code)
        self.assertNotIn(TOKEN, str(caught.exception))

    def ours(self, client=None):
        pair = {"certificate": self.files / f"{client}.pem", "key": self.files / f"{client}.key"} if client else {}
        return Tls(ca=self.files / "ours.pem", **pair)

    def test_a_server_with_tls_and_tokens_is_used(self):
        server = self.start(f"--auth-token-file={self.files}/tokens")
        tls = self.ours()
        self.check_serves(server, tls=tls, token=TOKEN)
        self.check_refused(server, grpc.StatusCode.UNAUTHENTICATED, tls=tls)
        self.check_refused(server, grpc.StatusCode.UNAUTHENTICATED, tls=tls, token="wrong-token-of-some-length")
        self.check_refused(server, grpc.StatusCode.UNAVAILABLE, token=TOKEN)
        self.check_refused(server, grpc.StatusCode.UNAVAILABLE, tls=Tls(ca=self.files / "others.pem"), token=TOKEN)
        # Health needs no token.
        wait_until(self.connect(server.address, tls=tls).health, "it is ready")

    def test_mutual_tls_shows_the_clients_certificate(self):
        server = self.start(f"--tls-client-ca={self.files}/ours.pem")
        self.check_serves(server, tls=self.ours("ours-client"))
        self.check_refused(server, grpc.StatusCode.UNAVAILABLE, tls=self.ours())
        self.check_refused(server, grpc.StatusCode.UNAVAILABLE, tls=self.ours("others-client"))

    def test_a_certificate_for_another_name_is_refused_unless_it_is_expected(self):
        server = self.start()
        port = server.address.rpartition(":")[2]
        target = f"dns:///localhost:{port}"
        with self.assertRaises(LadderError):
            self.connect(target, tls=self.ours()).models()
        named = Tls(ca=self.files / "ours.pem", server_name="127.0.0.1")
        self.assertEqual(len(self.connect(target, tls=named).models()), 1)

    def test_a_token_file_is_read_for_every_call(self):
        server = self.start(f"--auth-token-file={self.files}/tokens", tls=False)
        file = temporary_folder(self) / "token"
        file.write_text("wrong-token-of-some-length\n")
        client = self.connect(server.address, token=file)
        with self.assertRaises(LadderError):
            client.models()
        file.write_text(TOKEN + "\n")
        self.assertEqual(len(client.models()), 1)
        # So can be what the server itself reads.
        self.assertEqual(len(self.connect(server.address, token=self.files / "tokens").models()), 1)

    def test_what_is_no_token_is_an_error_at_once(self):
        file = temporary_folder(self) / "token"
        file.write_text("# no token\n\n")
        for token in ["", "a b", "a\nb", "\u00e4", file]:
            with self.subTest(token):
                with self.assertRaisesRegex(ValueError, "token: expected one token") as caught:
                    self.connect("127.0.0.1:1", token=token)
                self.assertNotIn("a b", str(caught.exception))
        with self.assertRaises(FileNotFoundError):
            self.connect("127.0.0.1:1", token=file.with_name("missing"))
        with self.assertRaisesRegex(ValueError, "certificate and key together"):
            Tls(certificate="client.pem")


for_both(globals(), SecurityTest)
del SecurityTest

if __name__ == "__main__":
    running_server.main()
