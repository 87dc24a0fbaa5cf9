"""Real weights on lines that are parsed many at a time equal those of lines that are parsed one by one."""

import random
import struct
import subprocess
import unittest
from pathlib import Path

SPELLINGS = (lambda rng: "%d.%d" % (rng.randrange(1000), rng.randrange(10 ** rng.randrange(1, 15))),
             lambda rng: "0.%0*d" % (rng.randrange(1, 18), rng.randrange(1000)),
             lambda rng: "%.7g" % rng.uniform(0, 10),
             lambda rng: repr(struct.unpack("<f", struct.pack("<f", rng.expovariate(1)))[0]),
             # Halfway between two floats, or nearly.
             lambda rng: "%d.%s" % (16777216 + 2 * rng.randrange(1000) + 1, rng.choice(["0", "000000", "0000001", "5"])))
ODD = ("7", "-0.25", "1e-3", ".5", "5.", "+2.5", "123456789012345678.5", "0.000000000000000000001")


class RealWeights(unittest.TestCase):
    def weights(self, lines, options):
        Path("list.txt").write_text("".join(lines))
        subprocess.run(["quern-import", "list.txt", "-q", "-f", "-o", "g.qrn", *options], check=True)
        subprocess.run(["quern-export", "g.qrn", "-q", "-f", "-o", "out.txt"], check=True)
        return Path("out.txt").read_text().splitlines()

    def compare(self, line, *options):
        rng = random.Random(line)
        for oddities in 0, 0.001, 0.3:
            texts = [rng.choice(ODD) if rng.random() < oddities else rng.choice(SPELLINGS)(rng) for _ in range(6000)]
            lines = [line % {"u": rng.randrange(10 ** rng.randrange(1, 12)), "v": rng.randrange(900), "w": text} for text in texts]
            with self.subTest(line=line, oddities=oddities):
                for more in ("--narrow-weights",), ("--narrow-weights", "--weights=f64"):
                    several = self.weights([line + "\n" for line in lines], options + more)
                    one_by_one = self.weights([line + " \n" for line in lines], options + more)
                    self.assertEqual(len(several), 6000)
                    self.assertEqual(several, one_by_one)
                    if len(more) > 1:
                        self.assertEqual(sorted(float(row.split()[2]) for row in several), sorted(map(float, texts)))

    def test_three_columns(self):
        self.compare("%(u)d\t%(v)d\t%(w)s")

    def test_four_columns(self):
        self.compare("%(u)d %(v)d %(w)s 1234567890")

    def test_weights_first(self):
        self.compare("%(w)s,%(u)d,3,%(v)d", "--columns=2,4,1")


if __name__ == "__main__":
    unittest.main()
