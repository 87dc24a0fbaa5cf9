# scons wheel, scons dist, scons debs, scons release: what others install, in build/dist. packaging/ has the recipes.
import os
import re
import subprocess
import sys

Import("env")


def asked(*command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    except FileNotFoundError:
        return ""


def stripped(path, file):
    return env.Command(path + "/" + file.name, file, "$STRIPCOM")


# What was staged before may hold files that are none of the source's any more.
if {"wheel", "debs", "release"} & set(COMMAND_LINE_TARGETS) and not env.GetOption("no_exec"):
    for staged in "wheel", "debian":
        for folder, _, names in os.walk(env.Dir(staged).abspath):
            for name in names:
                os.unlink(os.path.join(folder, name))

# ---- The wheel's library ------------------------------------------------------------------------

def beside_archive(library):
    """What libarchive uses, but for its format xar, which nothing here reads and for which ICU's 38 MB would come along."""
    needed = re.findall(r"NEEDED.*\[(.*)\]", asked("readelf", "-d", library))
    return [":" + name for name in needed if not name.startswith(("libxml2", "libc.", "ld-"))]


def library_of_wheel():
    """With libarchive and libexpat in it where they can be: so it carries little, and runs where glibc is older."""
    archive, dynamic, expat = [asked(*env["CC"].split(), "-print-file-name=" + name).strip()
                               for name in ("libarchive.a", "libarchive.so", "libexpat.a")]
    if not (os.path.isabs(archive) and os.path.isabs(expat)):
        return env["LIBQUERN"][0]
    others = [name for name in env["EXTERNAL_LIBRARIES"] if name not in ("archive", "expat")]
    function = env.StaticObject("arc4random", "#packaging/wheel/arc4random.c")
    static = [env.File(os.path.realpath(path)) for path in (archive, expat)] + function
    library = env.LibQuern("whole/libquern.so.0", [*static, *beside_archive(dynamic), *others, "dl"], ["-Wl,--gc-sections"])
    env.Depends(library, static)
    return library[0]


# Modules that need much of a system (HDF5, libcurl, MPI) are left to those who build them there.
parts = [stripped("wheel/lib", library) for library in [library_of_wheel(), *env["CAPSULE"]]]
parts += [stripped("wheel/bin", program) for program in env["PROGRAMS"]]
parts += [env.InstallAs("wheel/share/" + path, file) for path, file in env["SHARE"].items()]
parts += env.Install("wheel/share/man/man1", "#packaging/quern-report.1")

# ---- What is made -------------------------------------------------------------------------------

pack = '"%s" packaging/pack.py ' % sys.executable
wheel = env.Alias("wheel", parts, pack + "wheel build/dist %s $CC" % env.Dir("wheel").path)
dist = env.Alias("dist", [], pack + "dist build/dist")
made = [wheel, dist]
if asked("dpkg-buildpackage", "--version"):
    triplet = asked("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip()
    stage = env.Dir("debian").path
    made.append(env.Alias("debs", ["python", *env.InstallInto("#" + stage, "/usr", "lib/" + triplet)],
                          '"%s" packaging/debs.py build/dist %s %s' % (sys.executable, stage, "cuda" if env["HAS_CUDA"] else "")))
if env["HAS_CUDA"]:
    module = next(library for library in env["SHARED_LIBRARY"] if library.name == "libquern-cuda.so.0")
    made.append(env.Alias("wheel-cuda", stripped("cuda", module), pack + "cuda build/dist %s" % env.Dir("cuda").File(module.name).path))
env.AlwaysBuild(made)
env.Alias("release", made)
