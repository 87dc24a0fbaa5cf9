# scons install prefix= destdir=: programs, manual pages, completion, and libquern with its headers.
import os
import re
import sys

Import("env")

root = env["destdir"] + env["prefix"]
source = env.Dir("#").abspath

# ---- Manual pages: made from --help -------------------------------------------------------------

pages = [env.Command(program.name + ".1", [program, "#site_scons/man_page.py"],
                     '"%s" "${SOURCES[1].abspath}" "${SOURCES[0].abspath}" >"$TARGET"' % sys.executable)
         for program in env["PROGRAMS"]]
env.Alias("man", pages)

# ---- The library: what a program outside needs ---------------------------------------------------


def version():
    with open(os.path.join(source, "support/tool.h"), encoding="utf-8") as file:
        return re.search(r'QN_VERSION "(.*)"', file.read()).group(1)


pkg_config = env.Textfile("quern.pc", [
    "prefix=" + env["prefix"],
    "libdir=$${prefix}/lib",
    "includedir=$${prefix}/include",
    "",
    "Name: quern",
    "Description: Graph containers: import, layouts, algorithms, export",
    "Version: " + version(),
    "Requires: jansson",
    "Requires.private: libarchive libxxhash libzstd expat" + (" hdf5" if env.get("HDF5") else ""),
    "Libs: -L$${libdir} -lquern",
    "Libs.private: -fopenmp -lm -lpthread",
    "Cflags: -I$${includedir}",
])



def engine_headers():
    """What a user's own program is compiled with, in a folder of this version alone."""
    for top in ("formats", "include", "kernels", "support"):
        for folder, _, names in os.walk(os.path.join(source, top)):
            headers = [os.path.join(folder, name) for name in sorted(names) if name.endswith((".h", ".cuh"))]
            if headers:
                yield env.Install(os.path.join(root, "lib/quern", version(), "engines", os.path.relpath(folder, source)),
                                  headers)


installed = list(engine_headers()) + [
    env.Install(root + "/bin", env["PROGRAMS"]),
    env.Install(root + "/share/man/man1", pages),
    env.Install(root + "/lib", [env["STATIC_LIBRARY"], env["SHARED_LIBRARY"]]),
    env.Command(root + "/lib/libquern.so", [], "ln -sf libquern.so.0 $TARGET"),
    env.Install(root + "/lib/pkgconfig", pkg_config),
    env.Install(root + "/share/doc/quern", ["#README.md", "#CHANGELOG.md", "#LICENSE"]),
    env.Install(root + "/share/doc/quern/specs", env.Glob("#specs/*.md")),
    env.Install(root + "/include/quern", env.Glob("#include/quern/*.h")),
    env.InstallAs(root + "/share/doc/quern/programs.md", "#kernels/programs/README.md"),
    env.Install(root + "/share/doc/quern/docs", env.Glob("#docs/*")),
    env.Install(root + "/share/doc/quern/examples", env.Glob("#examples/*")),
]
for program in env["PROGRAMS"]:
    installed.append(env.InstallAs(root + "/share/bash-completion/completions/" + program.name,
                                   "#site_scons/quern-completion.bash"))
env.Alias("install", installed)

# What this build was asked for, so that a test can install it without building another.
asked = sorted("%s=%s" % (key, env[key]) for key in ("variant", "cuda", "cuda_arch", "cuda_optimise", "CC", "CXX", "werror"))
env.Alias("tools", env.Textfile("options.txt", asked))
