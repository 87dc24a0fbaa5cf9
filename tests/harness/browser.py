"""A page in Chromium, by the protocol of its developer tools over two pipes; without a network.

    with Browser() as browser:
        browser.open(path, width=390)
        self.assertEqual(browser.value("innerWidth"), 390)
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

CHROMIUM = shutil.which("chromium")


class Browser:
    """`messages` has what pages complained of in the console, `requested` every address that they asked for."""

    def __init__(self, timeout=60):
        self.timeout, self.messages, self.requested = timeout, [], []
        self.number, self.unread = 0, b""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        (theirs, self.writes), (self.reads, gives) = os.pipe(), os.pipe()
        # Chromium reads 3 and writes 4.
        self.process = subprocess.Popen(
            ["bash", "-c", 'exec 3<&%d 4>&%d; exec "$@"' % (theirs, gives), "bash", CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu",
             "--hide-scrollbars", "--remote-debugging-pipe", "--user-data-dir=" + self.folder.name, "about:blank"],
            pass_fds=(theirs, gives), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.folder.name})
        os.close(theirs)
        os.close(gives)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.call(domain + ".enable")
        self.call("Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        return self

    def __exit__(self, *exception):
        os.close(self.writes)
        self.process.kill()
        self.process.wait()
        os.close(self.reads)
        self.folder.cleanup()

    def _next(self):
        end = time.monotonic() + self.timeout
        while b"\0" not in self.unread:
            if not select.select([self.reads], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("Chromium says nothing")
            data = os.read(self.reads, 1 << 20)
            if not data:
                raise EOFError("Chromium has ended")
            self.unread += data
        message, self.unread = self.unread.split(b"\0", 1)
        message = json.loads(message)
        method, values = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.messages.append(values["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        elif method == "Runtime.consoleAPICalled":
            self.messages.append(" ".join(str(one.get("value")) for one in values["args"]))
        elif method == "Log.entryAdded":
            self.messages.append(values["entry"]["text"])
        elif method == "Network.requestWillBeSent":
            self.requested.append(values["request"]["url"])
        return message

    def call(self, method, **values):
        self.number += 1
        message = {"id": self.number, "method": method, "params": values, **({"sessionId": self.session} if self.session else {})}
        os.write(self.writes, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise ValueError("%s: %s" % (method, answer["error"]))
                return answer["result"]

    def open(self, path, width=1280, height=900, dark=False, script=True):
        """Open a file in a window of this size, in which a pixel is one."""
        self.call("Emulation.setScriptExecutionDisabled", value=not script)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Page.navigate", url="file://%s" % path)
        while self._next().get("method") != "Page.loadEventFired":
            pass

    def value(self, expression):
        """What JavaScript makes of it, in the page."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise ValueError("%s: %s" % (expression, found["exceptionDetails"]["exception"].get("description")))
        return found["result"].get("value")

    def point(self, x, y, kind="mouseMoved", **more):
        """Move the pointer, or press ("mousePressed") or release ("mouseReleased") its button there."""
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def picture(self, path):
        """The whole page as PNG."""
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"]))
