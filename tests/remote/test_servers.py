"""The same of servers that others wrote: nginx, and moto's S3."""

import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import unittest
import urllib.request

from harness.tools import run
from remote.scene import Scene

NGINX = """daemon off; master_process off; pid %(folder)s/nginx.pid; error_log %(folder)s/nginx.log;
events {}
http {
  client_body_temp_path %(folder)s/t1; proxy_temp_path %(folder)s/t2; fastcgi_temp_path %(folder)s/t3; uwsgi_temp_path %(folder)s/t4;
  scgi_temp_path %(folder)s/t5; access_log %(folder)s/access.log;
  server {
    listen 127.0.0.1:%(port)d; root %(folder)s; gzip on; gzip_types *; gzip_min_length 1;
    location /slow/ { alias %(folder)s/; limit_rate 3m; }
    location /moved/ { rewrite ^/moved/(.*)$ /$1 redirect; }
    location /busy/ { return 503; }
    location /whole/ { alias %(folder)s/; max_ranges 0; }
  }
}
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def wait_for(port):
    for _ in range(400):
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
    raise AssertionError("the server does not come up")


class Servers(Scene):
    sanitized_tier = "long"

    def start(self, port, *command, **environment):
        """A server, until the test is over."""
        server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, **environment})
        self.addCleanup(server.wait, 20)
        self.addCleanup(server.terminate)
        wait_for(port)

    def same_import(self, url, **environment):
        """From there as from the file."""
        self.tool("quern-import", url, "-f", "-q", "-o", "far.qrn", **environment)
        run("quern-import", self.folder / "e.txt.gz", "-f", "-q", "-o", self.folder / "near.qrn")
        self.assertEqual((self.folder / "far.qrn").read_bytes(), (self.folder / "near.qrn").read_bytes())

    def setUp(self):
        super().setUp()
        run("quern-export", self.local, "--format", "edges", "-f", "-q", "-o", self.folder / "e.txt")
        subprocess.run(["gzip", "-kf", str(self.folder / "e.txt")], check=True)

    def near(self, *words):
        return run("quern-info", self.local, *words).stdout


@unittest.skipUnless(shutil.which("nginx") or os.path.exists("/usr/sbin/nginx"), "no nginx")
class Nginx(Servers):
    def test_nginx(self):
        port = free_port()
        (self.folder / "nginx.conf").write_text(NGINX % {"folder": self.folder, "port": port})
        self.start(port, shutil.which("nginx") or "/usr/sbin/nginx", "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"))
        url = "http://127.0.0.1:%d" % port
        self.same_import(url + "/e.txt.gz")
        for path in ("/local.qrn", "/slow/local.qrn", "/moved/local.qrn", "/whole/local.qrn"):
            self.tool("quern-verify", url + path, QUERN_CACHE_SIZE="0")
        self.assertEqual(self.tool("quern-info", url + "/local.qrn", "--neighbors", "5").stdout, self.near("--neighbors", "5"))
        self.assertIn("503", self.tool("quern-verify", url + "/busy/local.qrn", exit=5).stderr)
        self.assertIn("404", self.tool("quern-verify", url + "/none.qrn", exit=5).stderr)
        asked = (self.folder / "access.log").read_text()
        self.assertIn(" 206 ", asked)


@unittest.skipUnless(importlib.util.find_spec("moto") and importlib.util.find_spec("flask"), "no moto with its server")
class Moto(Servers):
    def test_moto(self):
        port = free_port()
        self.start(port, sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port))
        endpoint = "http://127.0.0.1:%d" % port
        for path, content in (("", b""), ("/a%20folder/g.qrn", self.bytes), ("/e.txt.gz", (self.folder / "e.txt.gz").read_bytes())):
            asked = urllib.request.Request(endpoint + "/graphs" + path, data=content, method="PUT",
                                           headers={"Content-Type": "application/octet-stream", "Authorization": "AWS4-HMAC-SHA256 Credential=a/20260101/us-east-1/s3/aws4_request, "
                                                                     "SignedHeaders=host, Signature=0"})
            urllib.request.urlopen(asked).close()
        environment = {"AWS_ENDPOINT_URL": endpoint, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
        self.same_import("s3://graphs/e.txt.gz", **environment)
        self.tool("quern-verify", "s3://graphs/a folder/g.qrn", **environment)
        shown = json.loads(self.tool("quern-info", "s3://graphs/a folder/g.qrn", "--json", **environment).stdout)
        self.assertEqual(shown["identity"], json.loads(self.near("--json"))["identity"])
        self.assertIn("404", self.tool("quern-verify", "s3://graphs/none.qrn", exit=5, **environment).stderr)
