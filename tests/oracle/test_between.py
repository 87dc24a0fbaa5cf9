"""Edges of a time against a comparison of numbers: every type that can stand for one, nulls, ends that are the least and the greatest."""

import random
import tempfile
import unittest
from pathlib import Path

from harness import chance
from harness.tools import run

TYPES = {**{"u%d" % bits: (0, 2**bits - 1) for bits in (8, 16, 32, 64)}, **{"i%d" % bits: (-2**(bits - 1), 2**(bits - 1) - 1) for bits in (8, 16, 32, 64)}}


class Between(unittest.TestCase):
    def test_all_types(self):
        rng = random.Random(chance.seed())
        with tempfile.TemporaryDirectory() as folder:
            at = Path(folder)
            for name, (least, most) in rng.sample(sorted(TYPES.items()), 4):
                near = [least, least + 1, most - 1, most, 0, 1, 7]
                edges = sorted((rng.randrange(9), i, rng.choice((*near, None, rng.randint(least, most)))) for i in range(rng.choice((1, 64, 65, 300))))
                (at / "a.csv").write_text("src,dst,t\n" + "".join("%d,%d,%s\n" % (u, v, "" if t is None else t) for u, v, t in edges))
                run("quern-import", at / "a.csv", "--properties", "t:" + name, "-fqo", at / "a.qrn")
                for _ in range(2):
                    first, last = sorted((rng.choice(near), rng.choice(near)))
                    ends = rng.choice(("%d,%d" % (first, last), "%d," % first, ",%d" % last))
                    low, high = (first if ends[0] != "," else least), (last if ends[-1] != "," else most)
                    with self.subTest(type=name, between=ends):
                        run("quern-transform", at / "a.qrn", "--between=" + ends, "--time", "t", "-fqo", at / "b.qrn")
                        found = run("quern-export", at / "b.qrn", "--format", "csv", "-qo", "-").stdout.splitlines()[1:]
                        self.assertEqual(found, ["%d,%d,%d" % edge for edge in edges if edge[2] is not None and low <= edge[2] <= high])


if __name__ == "__main__":
    unittest.main()
