"""Random inputs, the same in every run: what a test says must not hang on chance. QUERN_TEST_SEED=N makes others,
QUERN_TEST_SEED=random fresh ones."""

import os
import random


def seed():
    """It is printed, as a failure shows what a test has printed."""
    asked = os.environ.get("QUERN_TEST_SEED") or "1"
    number = random.SystemRandom().randrange(2 ** 32) if asked == "random" else int(asked)
    print("QUERN_TEST_SEED=%d" % number)
    return number
