"""A reader of recipes that was written from specs/recipe.md alone: the first rule that a text breaks."""

import struct

from conformance.container_reader import LAYOUTS, Broken, parsed_json, xxh3

STRING, INTEGER, BOOLEAN, STRINGS, OBJECTS, OBJECT = range(6)
RECIPE = {"quern_recipe": INTEGER, "name": STRING, "title": STRING, "description": STRING, "homepage": STRING, "license": STRING,
          "citation": STRINGS, "creators": STRINGS, "publisher": STRING, "year": INTEGER, "tested": BOOLEAN, "files": OBJECTS,
          "steps": OBJECTS, "container": OBJECT}
FILE = {"name": STRING, "urls": STRINGS, "bytes": INTEGER, "sha256": STRING, "xxh3_128": STRING}
STEP = {"tool": STRING, "name": STRING, "inputs": STRINGS, "options": OBJECT, "identity": STRING}
CONTAINER = {"identity": STRING, "version": STRING, "content": STRING, "vertices": INTEGER, "edges": INTEGER}
ORDERS = "degree random rcm llp gorder metis".split()
TOOLS = {
    "quern-import": ("undirected directed strict narrow-weights trailing-comments types",
                     "format delimiter header quotes escape decimal comments record properties bipartite weights ids transpose self-loops duplicates columns "
                     "vertex-type-column edge-type-column balance rows", "max-bad parts block-vertices", ""),
    "quern-generate": ("undirected", "model weights probabilities permute transpose self-loops duplicates balance rows exponent layout",
                       "scale degree edges seed parts block-vertices vertices max-degree", ""),
    "quern-transform": ("transpose remove-self-loops symmetrize remove-duplicates narrow-weights strict compact",
                        "random-weights egonet along in-edges between time by imbalance column balance rows project edge-types vertex-types",
                        "kcore hops seed partition passes parts block-vertices", "induced cross-edges contract append-vertices"),
    "quern-block": ("out-edges", "direction", "block-vertices", ""), "quern-hybrid": ("", "direction", "width", ""),
    "quern-pack": ("", "direction", "", ""), "quern-page": ("", "address", "page-size", ""),
    "quern-partition": ("", "", "partitions partition-bytes device-memory", ""),
    "quern-shard": ("", "", "shard-vertices shared-memory page-bytes", "")}


TABLES = "vertex-table", "edge-table"


def need(truth, rule, why=""):
    if not truth:
        raise Broken(rule, why)


def parse(data):
    need(len(data) <= 1 << 20, "RC-1", "too long")
    try:
        value = parsed_json(data)
    except (ValueError, RecursionError) as problem:
        raise Broken("RC-1", problem)
    need(isinstance(value, dict), "RC-1", "not an object")
    return value


def is_integer(value):
    return isinstance(value, int) and not isinstance(value, bool)


def check_string(value):
    need(1 <= len(value.encode()) <= 8192 and not any(ord(c) < 32 or ord(c) == 127 for c in value), "RC-5", value[:40])


def check_object(value, keys, required):
    for key, item in value.items():
        need(key in keys, "RC-3", key)
        kind = keys[key]
        need({STRING: isinstance(item, str), INTEGER: is_integer(item) and item >= 0, BOOLEAN: isinstance(item, bool), OBJECT: isinstance(item, dict),
              STRINGS: isinstance(item, list) and all(isinstance(part, str) for part in item),
              OBJECTS: isinstance(item, list) and all(isinstance(part, dict) for part in item)}[kind], "RC-4", key)
        for text in [item] if kind == STRING else item if kind == STRINGS else []:
            check_string(text)
    for key in required:
        need(key in value, "RC-4", key)


def check_url(url):
    scheme = next((scheme for scheme in ("https://", "http://", "s3://") if url.startswith(scheme)), None)
    need(scheme, "RC-8", url)
    need(len(scheme) < len(url) <= 2048 and all("!" <= c <= "~" for c in url) and "@" not in url[len(scheme):].split("/")[0], "RC-8", url)


def check_digits(value, count):
    need(value is None or (len(value) == count and set(value) <= set("0123456789abcdef")), "RC-9", value)


def is_number(value):
    if isinstance(value, str):
        return 1 <= len(value) <= 20 and set(value) <= set("0123456789")
    return is_integer(value) and value >= 0


def check_option(tool, key, value, names):
    switches, texts, numbers, files = (words.split() for words in TOOLS[tool])
    if key in switches:
        return need(isinstance(value, bool), "RC-13", key)
    if key == "model" and tool == "quern-generate":
        return need(isinstance(value, str) and not value.startswith("-"), "RC-13", key)
    if key in texts:
        return need(isinstance(value, str) or is_integer(value), "RC-13", key)
    if key in numbers:
        return need(is_number(value), "RC-13", key)
    if key in files:
        return need(isinstance(value, str) and value in names, "RC-13", key)
    if (tool, key) in (("quern-import", "names"), ("quern-transform", "append"), ("quern-transform", "remove")):
        several = value if isinstance(value, list) else [value]
        return need(several and all(isinstance(one, str) and one in names for one in several), "RC-13", key)
    if tool == "quern-import" and key in TABLES:
        need(isinstance(value, list) and value, "RC-13", key)
        for table in value:
            need(isinstance(table, str) and table[0] not in "-=" and "=" in table, "RC-13", key)
            need(all(file in names for file in table.split("=", 1)[1].split(",")), "RC-13", key)
        return None
    if (tool, key) == ("quern-import", "vertices"):
        return need(is_number(value) or (isinstance(value, str) and value in names), "RC-13", key)
    need((tool, key) == ("quern-transform", "relabel") and isinstance(value, str) and (value in ORDERS or value in names), "RC-13", key)


def check(data):
    """The recipe of a text, or Broken."""
    recipe = parse(data)
    version = recipe.get("quern_recipe")
    need(not is_integer(version) or version == 1, "RC-2", version)
    check_object(recipe, RECIPE, ("quern_recipe", "name", "files", "steps"))
    files, steps, container = recipe["files"], recipe["steps"], recipe.get("container", {})
    for file in files:
        check_object(file, FILE, ("name",))
    for step in steps:
        check_object(step, STEP, ("tool",))
        for value in step.get("options", {}).values():
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str):
                    check_string(text)
    check_object(container, CONTAINER, ())

    name = recipe["name"]
    need(len(name) <= 64 and all(c.isascii() and (c.isalnum() or c in "._-") for c in name) and name[0] not in ".-", "RC-6", name)
    need(len(files) <= 256, "RC-7")
    names = [file["name"] for file in files]
    for name in names:
        need(len(name.encode()) <= 200 and name[0] not in ".-" and "/" not in name and ":" not in name and names.count(name) == 1, "RC-7", name)
    for url in [recipe["homepage"]] if "homepage" in recipe else []:
        check_url(url)
    for file in files:
        need(len(file.get("urls", [])) <= 16, "RC-8")
        for url in file.get("urls", []):
            check_url(url)
    for file in files:
        need(file.get("bytes", 1) >= 1, "RC-9")
        check_digits(file.get("sha256"), 64)
        check_digits(file.get("xxh3_128"), 32)
    need(sum(file.get("bytes", 0) for file in files) <= 1 << 46, "RC-9")
    for value in [step.get("identity") for step in steps] + [container.get("identity"), container.get("content")]:
        check_digits(value, 16)
    if recipe.get("tested"):
        need(all("bytes" in file and ("sha256" in file or "xxh3_128" in file) for file in files), "RC-10")
        need(("identity" in container and "version" in container) or "content" in container, "RC-10")
    need(1 <= len(steps) <= 256, "RC-11")
    for number, step in enumerate(steps):
        called = step.get("name")
        need(called is None or (len(called.encode()) <= 200 and called[0] not in ".-" and "/" not in called and ":" not in called
                                and called not in names and called not in [other.get("name") for other in steps[:number]]), "RC-11", called)
        need(step["tool"] in TOOLS, "RC-11", step["tool"])
        need((step["tool"] in ("quern-import", "quern-generate")) == (number == 0), "RC-11")
        tables = any(key in step.get("options", {}) for key in TABLES)
        need((0 if tables else 1) <= len(step.get("inputs", [])) <= 256 if step["tool"] == "quern-import" else "inputs" not in step, "RC-11")
    for path in steps[0].get("inputs", []):
        file, colon, member = path.partition(":")
        need(file in names, "RC-12", path)
        need(not colon or (member and member[0] not in "/-" and ".." not in member.split("/")), "RC-12", path)
    for step in steps:
        for key, value in step.get("options", {}).items():
            check_option(step["tool"], key, value, names)
    return recipe


def content(container):
    """Of a container that container_reader has read."""
    numbers = struct.pack("<5Q", {name: code for code, name in LAYOUTS.items()}[container.layout], container.weight_type, container.directedness,
                          container.num_vertices, container.num_edges)
    return "%016x" % xxh3(numbers + b"".join(
        section.name.encode().ljust(32, b"\0") + struct.pack("<QQ", section.count, section.checksum)
        for section in container.sections.values() if section.name not in ("metadata", "chunk_hashes")))
