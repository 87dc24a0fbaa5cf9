"""s3:// by the usual environment and files, signed; and that what is secret is told to nobody."""

from remote.scene import Scene

SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYzEXAMPLEKEY"


class S3(Scene):
    objects = {"/bu.cket/a b+c/é.txt": b"1 2\n2 3\n"}
    url = "s3://bu.cket/a b+c/é.txt"

    def setUp(self):
        super().setUp()
        self.does.secrets = {"AKIDEXAMPLE": SECRET}
        self.environment = {"AWS_ENDPOINT_URL": self.server.url(""), "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": SECRET,
                            "AWS_REGION": "eu-central-1"}

    def bring(self, exit=0, url=None, **environment):
        """Import it; what was printed."""
        done = self.tool("quern-import", url or self.url, "-f", "--json", "-o", "out.qrn", exit=exit, **environment)
        self.assertNotIn(SECRET, done.stdout + done.stderr)
        return done.stderr

    def test_variables(self):
        self.bring(**self.environment)
        self.assertIn("eu-central-1/s3/aws4_request", self.server.log[-1][2]["Authorization"])
        for hidden in (SECRET, "AKIDEXAMPLE"):
            self.assertNotIn(hidden.encode(), (self.folder / "out.qrn").read_bytes())
        self.does.token = "FwoGZXIvYXdzEJr//////////wEaDJ=="
        self.bring(AWS_SESSION_TOKEN=self.does.token, **self.environment)
        self.assertIn("403", self.bring(exit=5, **self.environment))
        self.assertIn("without AWS_SECRET_ACCESS_KEY", self.bring(exit=2, AWS_ACCESS_KEY_ID="AKIDEXAMPLE"))

    def test_files(self):
        (self.cache / ".aws").mkdir()
        (self.cache / ".aws/credentials").write_text(
            "[default]\naws_access_key_id = WRONG\naws_secret_access_key=x\n\n[work]\n# mine\naws_access_key_id=AKIDEXAMPLE\n"
            "aws_secret_access_key = %s\n" % SECRET)
        (self.cache / ".aws/config").write_text(
            "[default]\nregion=us-west-2\n[profile work]\nregion = eu-north-1\nendpoint_url = %s\n" % self.server.url("/"))
        self.bring(AWS_PROFILE="work")
        self.assertIn("eu-north-1", self.server.log[-1][2]["Authorization"])
        self.assertIn("403", self.bring(exit=5, AWS_ENDPOINT_URL=self.server.url("")))
        self.assertIn("no file of ~/.aws", self.bring(exit=2, AWS_PROFILE="play"))

    def test_public_and_private(self):
        self.does.secrets = None
        self.bring(AWS_ENDPOINT_URL=self.server.url(""))
        self.assertNotIn("Authorization", self.server.log[-1][2])
        self.does.secrets = {}
        self.assertIn("no credentials of S3", self.bring(exit=5, AWS_ENDPOINT_URL=self.server.url("")))

    def test_signed_requests_go_nowhere_else(self):
        self.does.redirects = {"/bu.cket/a b+c/é.txt": self.server.url("/elsewhere")}
        self.assertIn("302", self.bring(exit=5, **self.environment))
        self.assertEqual(len(self.server.log), 1)

    def test_containers(self):
        self.server.objects["/bu.cket/g.qrn"] = self.bytes
        self.tool("quern-verify", "s3://bu.cket/g.qrn", **self.environment)
        self.tool("quern-verify", "s3://bu.cket/g.qrn", exit=5, **{**self.environment, "AWS_SECRET_ACCESS_KEY": "other"})
