"""What the demonstration looks like on a terminal."""

import os
import sys
import time

WIDTH = 92
BAR = 32
COLOURED = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def styled(code, text):
    return "\033[%sm%s\033[0m" % (code, text) if COLOURED else text


def heading(text):
    print("\n" + styled("1", text) + "\n")


def command(words):
    """The command as one would type it, broken at options so that it fits."""
    lines, line = [], "$"
    for word in words:
        if len(line) + len(word) + 3 > WIDTH and word.startswith("-"):
            lines.append(line + " \\")
            line = "   "
        line += " " + word
    print(styled("36", "\n".join(lines + [line])))
    sys.stdout.flush()


def result(text, seconds):
    """One line of what came out, with the time at its right end."""
    print("  %s%s" % (text.ljust(WIDTH - 10), styled("2", "%6.2f s" % seconds)))


def say(text):
    print("  " + text)


def bars(rows):
    """[(label, number shown, share of the longest bar)]"""
    widest = max(len(label) for label, _, _ in rows)
    longest = max(share for _, _, share in rows) or 1
    for label, shown, share in rows:
        length = max(1, round(BAR * share / longest)) if share else 0
        print("  %s  %s  %s" % (label.ljust(widest), styled("32", ("█" * length).ljust(BAR)), shown))


class Stopwatch:
    def __enter__(self):
        self.begin = time.perf_counter()
        return self

    def __exit__(self, *_):
        self.seconds = time.perf_counter() - self.begin
