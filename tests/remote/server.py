"""A web server on this machine that can fail in every way that tests ask for, and an S3 one that verifies signatures, written from
Amazon's description of Signature Version 4."""

import copy
import functools
import hashlib
import hmac
import http.server
import re
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse


class Behaviour:
    """What the server does wrong. Lists are taken from the front, an entry a request, and then all is well."""

    def __init__(self):
        self.codes = []  # refuse with these
        self.retry_after = None
        self.cuts = []  # close the connection after so many bytes of the body; None: do not
        self.every_cut = None  # the same for all
        self.stalls = []  # seconds to say nothing before the body
        self.ranges = True  # answer with ranges
        self.several = True  # and with several at once; False: with all of the object then
        self.lies = 0  # of several ranges those of at most so many bytes are made up
        self.wrong_part = None  # (of several the number of one, bytes later that it begins)
        self.length = True  # say the length
        self.etags = True
        self.dates = True
        self.shift = 0  # answer with a range that begins so many bytes later
        self.replace_at = None  # (number of a request, bytes, or a function of them, that are there from then on, of what was read before)
        self.latency = 0.0
        self.rate = None  # bytes a second of each connection
        self.link = None  # of all together
        self.secrets = None  # {key: secret}: S3, signed
        self.token = None
        self.redirects = {}  # path: URL
        self.page = False  # answer with a page, and 200, as those do that ask who is there
        self.once = {}  # number of a request: what is different for it

    def of(self, number):
        """How a request is answered."""
        if number not in self.once:
            return self
        does = copy.copy(self)
        vars(does).update(self.once[number])
        return does


@functools.lru_cache(16)
def etag_of(content):
    """Of the whole, which takes a while."""
    return '"%s"' % hashlib.md5(content).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def refuse(self, code, **headers):
        body = b"<html>no</html>"
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        owner = self.server.owner
        with owner.lock:
            number = len(owner.log)
            owner.log.append((self.path, self.headers.get("Range"), dict(self.headers)))
        does = owner.does.of(number)
        path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
        if does.page:
            return self.refuse(200)
        if does.latency:
            time.sleep(does.latency)
        if path in does.redirects:
            return self.refuse(302, Location=does.redirects[path])
        if does.secrets is not None and not signed(self, does):
            return self.refuse(403)
        if does.codes:
            code = does.codes.pop(0)
            if code:
                return self.refuse(code, **({"Retry-After": does.retry_after} if does.retry_after else {}))
        if does.replace_at and number >= does.replace_at[0] and any(self.path == entry[0] for entry in owner.log[:number]):
            to = does.replace_at[1]
            owner.objects[path] = to(owner.objects[path]) if callable(to) else to
            does.replace_at = None
        if path not in owner.objects:
            return self.refuse(404)
        return self.give(owner.objects[path], does)

    def give(self, content, does):
        etag = etag_of(content)
        date = "Mon, 02 Mar 2026 10:%02d:%02d GMT" % divmod(len(content) % 3600, 60)
        if does.etags and self.headers.get("If-Match", etag) != etag:
            return self.refuse(412)
        several = re.fullmatch(r"bytes=(\d+-\d+(?:,\d+-\d+)+)", self.headers.get("Range") or "")
        if several and does.ranges and does.several:
            return self.give_parts(content, [tuple(map(int, one.split("-"))) for one in several[1].split(",")], etag, does)
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
        condition = self.headers.get("If-Range")
        whole = not asked or not does.ranges or (condition and condition not in (etag if does.etags else "", date if does.dates else ""))
        first, last = (0, len(content) - 1) if whole else (int(asked[1]), min(int(asked[2] or len(content)), len(content) - 1))
        if not whole and first >= len(content):
            return self.refuse(416, Content_Range="bytes */%d" % len(content))
        if not whole:
            first += does.shift
        self.send_response(200 if whole else 206)
        if does.etags:
            self.send_header("ETag", etag)
        if does.dates:
            self.send_header("Last-Modified", date)
        body = content[first:last + 1]
        if not whole:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (first, last, len(content)))
        if does.length:
            self.send_header("Content-Length", str(len(body)))
        else:
            self.close_connection = True
            self.send_header("Connection", "close")
        self.end_headers()
        if does.stalls:
            time.sleep(does.stalls.pop(0) or 0)
        cut = does.cuts.pop(0) if does.cuts else does.every_cut
        self.send(body if cut is None else body[:cut], does)
        if cut is not None and cut < len(body):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    def give_parts(self, content, ranges, etag, does):
        body = b""
        for number, (first, last) in enumerate(ranges):
            if does.wrong_part and does.wrong_part[0] == number:
                first, last = first + does.wrong_part[1], last + does.wrong_part[1]
            body += b"\r\n--cut here\r\nContent-Type: text/plain\r\nContent-Range: bytes %d-%d/%d\r\n\r\n" % (first, last, len(content))
            body += content[first:last + 1] if last - first >= does.lies else bytes((first + i) % 199 % 97 for i in range(last - first + 1))
        body += b"\r\n--cut here--\r\n"
        self.send_response(206)
        if does.etags:
            self.send_header("ETag", etag)
        self.send_header("Content-Type", 'multipart/byteranges; boundary="cut here"')
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        cut = does.cuts.pop(0) if does.cuts else does.every_cut
        self.send(body if cut is None else body[:cut], does)
        if cut is not None and cut < len(body):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    def send(self, body, does):
        rate = does.link or does.rate
        step = len(body) if not rate else max(1, rate // 50)
        for at in range(0, len(body), step or 1):
            if does.link:
                self.server.owner.pass_link(min(step, len(body) - at), does.link)
            try:
                self.wfile.write(body[at:at + step])
            except OSError:  # who asked has enough
                self.close_connection = True
                return
            if does.rate:
                time.sleep(step / does.rate)


def signed(request, does):
    """Is the request signed by one of the secrets? (AWS Signature Version 4, "Signing AWS API requests".)"""
    found = re.fullmatch(r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)",
                         request.headers.get("Authorization") or "")
    if not found or found[1] not in does.secrets:
        return False
    key, day, region, names, signature = found.groups()
    if does.token and (request.headers.get("x-amz-security-token") != does.token or "x-amz-security-token" not in names.split(";")):
        return False
    if not {"host", "x-amz-content-sha256", "x-amz-date"} <= set(names.split(";")):
        return False
    url = urllib.parse.urlsplit(request.path)
    canonical = "\n".join(["GET", url.path, url.query] +
                          ["%s:%s" % (name, " ".join(request.headers[name].split())) for name in names.split(";")] +
                          ["", names, request.headers["x-amz-content-sha256"]])
    scope = "/".join((day, region, "s3", "aws4_request"))
    text = "\n".join(("AWS4-HMAC-SHA256", request.headers["x-amz-date"], scope, hashlib.sha256(canonical.encode()).hexdigest()))
    secret = ("AWS4" + does.secrets[key]).encode()
    for part in (day, region, "s3", "aws4_request"):
        secret = hmac.new(secret, part.encode(), hashlib.sha256).digest()
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest() == signature


class Quiet(http.server.ThreadingHTTPServer):
    """Says nothing of clients that have enough."""

    daemon_threads = True

    def handle_error(self, request, client_address):
        pass


class Server:
    """Serves `objects`, {path: bytes}; `log` is what was asked: (path, range, headers)."""

    def __init__(self, objects, certificate=None):
        self.objects, self.log, self.does, self.lock = dict(objects), [], Behaviour(), threading.Lock()
        self.busy_until = 0.0
        self.http = Quiet(("127.0.0.1", 0), Handler)
        self.http.owner = self
        self.scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.http.socket = context.wrap_socket(self.http.socket, server_side=True)
            self.scheme = "https"
        self.thread = threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        self.close()

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    def url(self, path, user=""):
        return "%s://%slocalhost:%d%s" % (self.scheme, user, self.http.server_address[1], path)

    def pass_link(self, count, rate):
        """Wait until so many bytes have gone through."""
        with self.lock:
            self.busy_until = max(self.busy_until, time.monotonic()) + count / rate
            until = self.busy_until
        time.sleep(max(0, until - time.monotonic()))

    def reset(self):
        self.log.clear()
        self.does = Behaviour()


def make_certificate(path, name="localhost"):
    """A certificate that signs itself, with its key, in one file."""
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=" + name,
                    "-addext", "subjectAltName=DNS:" + name, "-keyout", path, "-out", path + ".crt"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(path, "a", encoding="ascii") as both, open(path + ".crt", encoding="ascii") as certificate:
        both.write(certificate.read())
