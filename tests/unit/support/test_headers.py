"""Every header compiles alone, as C17 and as C++17, and CUDA's through the emulator's headers."""

import os
import subprocess
import unittest
from pathlib import Path

SOURCE = Path(os.environ["QUERN_SOURCE"])
FOLDERS = ("include", "support", "formats", "converters", "partitioner", "kernels", "results", "runtime", "library", "tools")
LANGUAGES = {
    "C17": [os.environ.get("CC", "cc"), "-xc", "-std=c17", "-Wstrict-prototypes"],
    "C++17": [os.environ.get("CXX", "c++"), "-xc++", "-std=c++17"],
}

# A header of an engine goes with a program, which its includer names first. Some go with frontier programs alone, others
# with the rest alone.
PROGRAMS = ("kernels/programs/pagerank.h", "kernels/programs/bfs.h", "kernels/programs/sssp.h", "kernels/cuda/standalone/bc_program.h")

# What goes with an engine too: the header of one, with its view or what it has on the device. They use what the engine
# defines.
ENGINE_VIEWS = {
    "kernels/cpu/rows/frontier.h": "kernels/cpu/csr/view.h",
    "kernels/cpu/rows/push_collected.h": "kernels/cpu/csr/view.h",
    "kernels/cpu/rows/push_in_place.h": "kernels/cpu/csr/view.h",
    "kernels/cpu/rows/walk_frame.h": "kernels/cpu/hybrid/view.h",
    "kernels/cpu/rows/walk_frame_all.h": "kernels/cpu/hybrid/view.h",
    "kernels/cpu/rows/walk_frame_frontier.h": "kernels/cpu/hybrid/view.h",
    "kernels/cpu/loop/all_active.h": "kernels/cpu/csr/view.h",
    "kernels/cpu/loop/collect.h": "kernels/cpu/csr/view.h",
    "kernels/cpu/edge_partitions/pull.h": "kernels/cpu/edge_partitions/view.h",
    "kernels/cpu/loop/in_place.h": "kernels/cpu/csr/view.h",
    "kernels/cpu/loop/never_waiting.h": "kernels/cpu/csr/view.h",
    "kernels/cpu/loop/sending.h": "kernels/cpu/csr/view.h",
    "kernels/cpu/loop/state.h": "kernels/cpu/csr/view.h",
    "kernels/cpu/loop/sweeps.h": "kernels/cpu/csr/view.h",
    "kernels/cpu/loop/waiting.h": "kernels/cpu/csr/view.h",
    "kernels/cpu/slotted_pages/pull.h": "kernels/cpu/slotted_pages/view.h",
    "kernels/cuda/standalone/brandes.cuh": "kernels/cuda/slotted_pages/engine_device.cuh",
    "kernels/cuda/packed/search.cuh": "kernels/cuda/packed/device.cuh",
    "kernels/cuda/rows/zero_copy.cuh": "kernels/cuda/rows/device.cuh",
    "kernels/cuda/rows/row_walks.cuh": "kernels/cuda/rows/device.cuh",
    "kernels/cuda/set/exchange.cuh": "kernels/cuda/set/device.cuh",
    "kernels/cuda/set/pushes.cuh": "kernels/cuda/set/device.cuh",
    "kernels/cuda/slotted_pages/low_memory.cuh": "kernels/cuda/slotted_pages/engine_device.cuh",
    "kernels/cuda/slotted_pages/streamed.cuh": "kernels/cuda/slotted_pages/engine_device.cuh",
    "kernels/cuda/sweep/devices.cuh": "kernels/cuda/rows/device.cuh",
    "kernels/cuda/sweep/exchange.cuh": "kernels/cuda/rows/device.cuh",
    "kernels/cuda/sweep/loop.cuh": "kernels/cuda/rows/device.cuh",
    "kernels/cuda/sweep/member.cuh": "kernels/cuda/rows/device.cuh",
    "kernels/cuda/sweep/memory.cuh": "kernels/cuda/rows/device.cuh",
    "kernels/cuda/sweep/pull_loop.cuh": "kernels/cuda/csr/pull_layout.cuh",
    "kernels/cuda/sweep/push.cuh": "kernels/cuda/hybrid/device.cuh",
    "kernels/cuda/sweep/rounds.cuh": "kernels/cuda/rows/device.cuh",
    "kernels/cuda/sweep/senders.cuh": "kernels/cuda/rows/device.cuh",
    "kernels/cuda/sweep/state.cuh": "kernels/cuda/rows/device.cuh",
    "kernels/cuda/sweep/sweeps.cuh": "kernels/cuda/rows/device.cuh",
    "kernels/cuda/sweep/team.cuh": "kernels/cuda/rows/device.cuh",
    "kernels/cuda/sweep/units.cuh": "kernels/cuda/rows/device.cuh",
}

# What compiles only where its engine includes it.
PARTS = ("kernels/cpu/blocked_csr/search.h", "kernels/cpu/csr/brandes_csr.h", "kernels/cpu/hybrid/search.h", "kernels/cpu/loop/brandes.h",
         "kernels/cpu/loop/brandes_rows.h", "kernels/cpu/loop/run.h", "kernels/cuda/standalone/visit_program.cuh")


def all_headers(pattern):
    return sorted(str(path.relative_to(SOURCE)) for folder in FOLDERS for path in (SOURCE / folder).glob("**/" + pattern))


def include(header):
    return '#include "%s"\n' % header


class Compiler(unittest.TestCase):
    language, flags = "", []
    sanitized_tier = "long"

    def complaint(self, text, *flags):
        """The compiler's, or "" if it has none."""
        command = LANGUAGES[self.language] + [
            "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Wno-unused-function", "-fopenmp", "-fsyntax-only", "-fmax-errors=1", *flags,
            *self.flags, "-I", str(SOURCE), "-I", str(SOURCE / "include"), "-"]
        done = subprocess.run(command, input=text + "int qn_only_header;\n", text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        return done.stdout if done.returncode else ""

    def complaint_with_program(self, header, program):
        text = "#define QN_KERNEL qn_kernel_alone\n" + include(program)
        if header not in ENGINE_VIEWS:
            return self.complaint(text + include(header), "-Werror")
        return self.complaint(text + include(ENGINE_VIEWS[header]) + include(header))  # the rest of the engine is not there

    def check(self, header):
        """Included twice, so that a missing guard shows too."""
        if header in PARTS:
            self.skipTest("%s is a part of what includes it" % header)
        complaint = self.complaint(include(header) * 2, "-Werror")
        if "include a program" in complaint:
            complaints = []
            for program in PROGRAMS:
                complaints.append(self.complaint_with_program(header, program))
                if not complaints[-1]:
                    return
            complaint = "\n".join(complaints)
        self.assertEqual(complaint, "")

    def check_all(self, headers):
        self.assertGreater(len(headers), 5)
        for header in headers:
            with self.subTest(header=header):
                self.check(header)


class C17(Compiler):
    language = "C17"

    def test_headers(self):
        self.check_all(all_headers("*.h"))


class Cxx17(Compiler):
    """Those of a folder at once: that each compiles alone is seen in C17. Engines on the CPU are C alone, and headers that need a
    program are compiled with the CUDA sources."""
    language = "C++17"

    def test_headers(self):
        headers = [header for header in all_headers("*.h") if not header.startswith(("kernels/cpu/", "kernels/programs/"))
                   and "include a program" not in self.complaint(include(header), "-E")]
        self.assertGreater(len(headers), 250)
        for folder in FOLDERS:
            with self.subTest(folder):
                text = "".join(include(header) for header in headers if header.startswith(folder + "/"))
                self.assertEqual(self.complaint(text * 2, "-Werror"), "")


class Cuda(Compiler):
    """All of them are compiled with the emulator, too; here each alone."""
    language, flags = "C++17", ["-I", str(SOURCE / "tests/emulator/include")]
    tier = "long"

    def test_headers(self):
        self.check_all(all_headers("*.cuh"))

    def test_what_is_listed_is_there(self):
        there = set(all_headers("*.h") + all_headers("*.cuh"))
        self.assertEqual([header for header in [*ENGINE_VIEWS, *PARTS] if header not in there], [])
