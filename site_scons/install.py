# scons install prefix= destdir=: programs, manual pages, completion, and libquern with its headers.
import os
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

pkg_config = env.Textfile("quern.pc", [
    "prefix=" + env["prefix"],
    "libdir=$${prefix}/lib",
    "includedir=$${prefix}/include",
    "",
    "Name: quern",
    "Description: Graph containers: import, layouts, algorithms, export",
    "Version: " + env["VERSION"],
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
                yield env.Install(os.path.join(root, "lib/quern", env["VERSION"], "engines", os.path.relpath(folder, source)),
                                  headers)


def without_symbols(folder, file):
    """Those for debugging are most of a release."""
    if env["variant"] != "release":
        return env.Install(folder, file)
    return env.Command(os.path.join(folder, file.name), file, "$STRIP --strip-unneeded -o $TARGET $SOURCE")


installed = list(engine_headers()) + [
    [without_symbols(root + "/bin", program) for program in env["PROGRAMS"]],
    [without_symbols(root + "/lib", library) for library in env["SHARED_LIBRARY"]],
    env.Install(root + "/lib", env["STATIC_LIBRARY"] if env["link"] == "static" else []),
    env.Install(root + "/share/man/man1", pages),
    env.Command(root + "/lib/libquern.so", [], "ln -sf libquern.so.0 $TARGET"),
    env.Install(root + "/lib/pkgconfig", pkg_config),
    env.Install(root + "/share/doc/quern", ["#README.md", "#CHANGELOG.md", "#LICENSE"]),
    env.Install(root + "/share/doc/quern/specs", env.Glob("#specs/*.md")),
    env.Install(root + "/include/quern", env.Glob("#include/quern/*.h")),
    env.InstallAs(root + "/share/doc/quern/programs.md", "#kernels/programs/README.md"),
    env.Install(root + "/share/doc/quern/docs", env.Glob("#docs/*")),
    env.Install(root + "/share/doc/quern/examples", env.Glob("#examples/*")),
]
installed += [
    env.InstallAs(root + "/share/quern/complete", "#site_scons/complete.sh"),
    env.InstallAs(root + "/share/zsh/site-functions/_quern", "#site_scons/completion.zsh"),
]
for program in env["PROGRAMS"]:
    for shell, name in ("bash", "bash-completion/completions/%s"), ("fish", "fish/vendor_completions.d/%s.fish"):
        installed.append(env.InstallAs(root + "/share/" + name % program.name, "#site_scons/completion." + shell))
env.Alias("install", installed)

# What this build was asked for, so that a test can install it without building another.
asked = sorted("%s=%s" % (key, env[key]) for key in ("variant", "cuda", "cuda_arch", "cuda_optimise", "link", "CC", "CXX", "werror"))
env.Alias("tools", env.Textfile("options.txt", asked))
