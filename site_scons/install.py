# scons install prefix= libdir= destdir=: programs, manual pages, completion, and libquern with its headers.
import os
import sys

Import("env")

source = env.Dir("#").abspath

# ---- Manual pages: made from --help -------------------------------------------------------------

pages = [env.Command(program.name + ".1", [program, "#site_scons/man_page.py"],
                     '"%s" "${SOURCES[1].abspath}" $EMULATOR "${SOURCES[0].abspath}" >"$TARGET"' % sys.executable)
         for program in env["PROGRAMS"]]
env.Alias("man", pages)

# ---- Beside the programs ------------------------------------------------------------------------

share = {"man/man1/" + page[0].name: page for page in pages}
share["quern/complete"] = "#site_scons/complete.sh"
share["zsh/site-functions/_quern"] = "#site_scons/completion.zsh"
for program in env["PROGRAMS"]:
    share["bash-completion/completions/" + program.name] = "#site_scons/completion.bash"
    share["fish/vendor_completions.d/%s.fish" % program.name] = "#site_scons/completion.fish"
share.update({"quern/recipes/" + recipe.name: recipe for recipe in env.Glob("#recipes/*.json")})
env["SHARE"] = share

# ---- The library: what a program outside needs ---------------------------------------------------

def pkg_config(folder, prefix, libdir):
    """What libquern.so.0 itself uses is said only where there is libquern.a: pkg-config wants it to be installed."""
    private = ["Requires.private: libarchive libxxhash libzstd expat" + (" hdf5" if env.get("HDF5") else "")
               + (" libcurl" if env.get("CURL") else ""),
               "Libs.private: -fopenmp -lm -lpthread"]
    return env.Textfile(folder + "/quern.pc", [
        "prefix=" + prefix,
        "libdir=$${prefix}/" + libdir,
        "includedir=$${prefix}/include",
        "",
        "Name: quern",
        "Description: Graph containers: import, layouts, algorithms, export",
        "Version: " + env["VERSION"],
        "Requires: jansson",
        "Libs: -L$${libdir} -lquern",
        *(private if env["link"] == "static" else []),
        "Cflags: -I$${includedir}",
    ])


def cmake_config(folder, libdir):
    names = {"@VERSION@": env["VERSION"], "@ROOT@": "/.." * (libdir.count("/") + 3)}
    return [env.Substfile(folder + "/quern-config.cmake", "#packaging/cmake/quern-config.cmake.in", SUBST_DICT=names),
            env.Substfile(folder + "/quern-config-version.cmake", "#packaging/cmake/quern-config-version.cmake.in", SUBST_DICT=names)]


def engine_headers():
    """What a user's own program is compiled with: folders, and the headers in each."""
    for top in ("formats", "include", "kernels", "support"):
        for folder, _, names in os.walk(os.path.join(source, top)):
            headers = [os.path.join(folder, name) for name in sorted(names) if name.endswith((".h", ".cuh"))]
            if headers:
                yield os.path.relpath(folder, source), headers


def without_symbols(env, folder, file):
    """Those for debugging are most of a release."""
    if env["variant"] != "release":
        return env.Install(folder, file)
    return env.Command(os.path.join(folder, file.name), file, "$STRIPCOM")


# ---- All of it ----------------------------------------------------------------------------------

def install_into(env, destdir, prefix, libdir):
    """All that is installed, as it will be in `prefix` with libraries in its `libdir`."""
    root = destdir + prefix
    lib, doc = root + "/" + libdir, root + "/share/doc/quern"
    made = "for" + "/".join([prefix, libdir]).replace("/", "-")  # files that name these places
    # The headers are of this version alone.
    installed = [env.Install(os.path.join(lib, "quern", env["VERSION"], "engines", folder), headers)
                 for folder, headers in engine_headers()]
    installed += [env.StrippedInstall(root + "/bin", program) for program in env["PROGRAMS"]]
    installed += [env.StrippedInstall(lib, library) for library in env["SHARED_LIBRARY"]]
    installed += [env.InstallAs(root + "/share/" + path, file) for path, file in share.items()]
    return installed + [
        env.Install(lib, env["STATIC_LIBRARY"] if env["link"] == "static" else []),
        env.Command(lib + "/libquern.so", [], "ln -sf libquern.so.0 $TARGET"),
        env.Install(lib + "/pkgconfig", pkg_config(made, prefix, libdir)),
        env.Install(lib + "/cmake/quern", cmake_config(made, libdir)),
        env.Install(root + "/include/quern", env.Glob("#include/quern/*.h")),
        env.Install(doc, ["#README.md", "#CHANGELOG.md", "#LICENSE"]),
        env.Install(doc + "/specs", env.Glob("#specs/*.md")),
        env.InstallAs(doc + "/programs.md", "#kernels/programs/README.md"),
        env.Install(doc + "/docs", env.Glob("#docs/*")),
        env.Install(doc + "/examples", env.Glob("#examples/*")),
    ]


env.AddMethod(without_symbols, "StrippedInstall")
env.AddMethod(install_into, "InstallInto")
env.Alias("install", env.InstallInto(env["destdir"], env["prefix"], env["libdir"]))

# What this build was asked for, so that a test can install it without building another.
asked = sorted("%s=%s" % (key, env[key]) for key in ("variant", "cuda", "cuda_arch", "cuda_optimise", "link", "CC", "CXX", "werror"))
env.Alias("tools", env.Textfile("options.txt", asked))
