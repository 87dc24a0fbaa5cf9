"""Certificates are verified, and proxies used where the environment names them."""

import os
import shutil
import socket
import threading
import unittest

from remote.scene import Scene
from remote.server import Server, make_certificate


@unittest.skipUnless(shutil.which("openssl"), "no openssl")
class Certificates(Scene):
    objects = {"/e.txt": b"1 2\n2 3\n"}

    def setUp(self):
        super().setUp()
        self.certificate = str(self.folder / "certificate")
        if not os.path.exists(self.certificate):
            make_certificate(self.certificate)
            make_certificate(self.certificate + "-other", "example.org")
        self.plain, self.server = self.server, Server(self.server.objects, self.certificate)
        self.other = Server(self.server.objects, self.certificate + "-other")

    def tearDown(self):
        super().tearDown()
        self.plain.close()
        self.other.close()

    def bring(self, url, exit=0, **environment):
        return self.tool("quern-import", url, "-f", "-q", "-o", "out.qrn", exit=exit, **environment).stderr

    def test_who_is_not_known_is_not_asked(self):
        self.assertIn("/e.txt: SSL", self.bring(self.server.url("/e.txt"), exit=5))
        self.assertIn("/g.qrn: SSL", self.tool("quern-verify", self.server.url("/g.qrn"), exit=5).stderr)
        self.assertEqual(self.server.log, [])

    def test_who_is_known(self):
        for name in ("CURL_CA_BUNDLE", "SSL_CERT_FILE"):
            self.bring(self.server.url("/e.txt"), **{name: self.certificate + ".crt"})
        self.tool("quern-verify", self.server.url("/g.qrn"), CURL_CA_BUNDLE=self.certificate + ".crt")

    def test_another_name(self):
        error = self.bring(self.other.url("/e.txt"), exit=5, CURL_CA_BUNDLE=self.certificate + "-other.crt")
        self.assertIn("localhost", error)
        self.assertEqual(self.other.log, [])

    def test_no_redirect_to_an_open_connection(self):
        self.server.does.redirects = {"/down": self.plain.url("/e.txt"), "/same": self.server.url("/e.txt")}
        self.bring(self.server.url("/same"), CURL_CA_BUNDLE=self.certificate + ".crt")
        self.bring(self.server.url("/down"), exit=5, CURL_CA_BUNDLE=self.certificate + ".crt")
        self.assertEqual(self.plain.log, [])


class Proxies(Scene):
    objects = {"/e.txt": b"1 2\n2 3\n"}

    def test_as_the_environment_says(self):
        asked = []

        def answer(listener):
            connection, _ = listener.accept()
            with connection:
                asked.append(connection.recv(4096).decode().split("\r\n")[0])
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: \"a\"\r\n\r\n7 8\n")

        with socket.create_server(("127.0.0.1", 0)) as listener:
            thread = threading.Thread(target=answer, args=(listener,))
            thread.start()
            proxy = "http://127.0.0.1:%d" % listener.getsockname()[1]
            self.tool("quern-import", "http://far.invalid/e.txt", "-f", "-q", "-o", "out.qrn", http_proxy=proxy, no_proxy="")
            thread.join(10)
            self.assertEqual(asked, ["GET http://far.invalid/e.txt HTTP/1.1"])
            self.tool("quern-import", self.server.url("/e.txt"), "-f", "-q", "-o", "out.qrn", http_proxy=proxy, no_proxy="localhost")
