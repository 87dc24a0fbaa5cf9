"""The test classes of a Python file as its text says, without importing what it imports, which takes a process and a fifth of a second.

None where the text alone does not say it: names that are made while the module loads, bases from other files, values that are computed.
"""

import ast

SKIPPING = ("unittest.skip", "needs(")  # decorators that leave a class what it is
PATHS = {"sys.path.insert", "sys.path.append"}
SETTINGS = {"tier", "sanitized_tier", "timeout"}


class Unclear(Exception):
    pass


def is_plain(node):
    """Does a statement of a module define no test class but by `class`?"""
    if isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Pass)):
        return True
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) or isinstance(node.value, ast.Call) and ast.unparse(node.value.func) in PATHS
    if isinstance(node, ast.Assign):
        names = [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
        return all(name.isupper() or name.islower() for name in names)
    if isinstance(node, ast.Try):
        return all(is_plain(each) for each in [*node.body, *node.orelse, *node.finalbody, *(each for handler in node.handlers for each in handler.body)])
    return isinstance(node, ast.If) and "__name__ == '__main__'" in ast.unparse(node.test)


def settings_of(node):
    """{name: value} of an assignment in a class, of those that the harness reads."""
    target = node.targets[0]
    names = [each.id for each in target.elts] if isinstance(target, ast.Tuple) else [target.id]
    if not SETTINGS & set(names):
        return {}
    value = ast.literal_eval(node.value)
    return dict(zip(names, value if isinstance(target, ast.Tuple) else [value]))


def described(node, known):
    """{"is_test", "has_tests", settings...} of a class, with what it has of bases in the same file."""
    found = {"is_test": False, "has_tests": False}
    for base in reversed(node.bases):
        name = ast.unparse(base)
        if name == "unittest.TestCase":
            found["is_test"] = True
        elif name in known:
            found.update({key: value or found.get(key) for key, value in known[name].items()})
        else:
            raise Unclear()
    for each in node.body:
        if isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found["has_tests"] |= each.name.startswith("test")
        elif isinstance(each, ast.Assign):
            found.update(settings_of(each))
        elif not isinstance(each, (ast.Expr, ast.Pass)) or isinstance(each, ast.Expr) and not isinstance(each.value, ast.Constant):
            raise Unclear()
    if any(not ast.unparse(each).startswith(SKIPPING) for each in node.decorator_list) or node.keywords:
        raise Unclear()
    return found


def classes_by_text(path, default_timeout):
    """[(class name, tier, tier under the sanitizers, time limit)], or None."""
    known = {}
    try:
        for node in ast.parse(path.read_text()).body:
            if not is_plain(node):
                return None
            if isinstance(node, ast.ClassDef):
                known[node.name] = described(node, known)
    except (Unclear, ValueError, SyntaxError, AttributeError):
        return None
    return [(name, each.get("tier", "short"), each.get("sanitized_tier", each.get("tier", "short")), float(each.get("timeout", default_timeout)))
            for name, each in known.items() if each["is_test"] and each["has_tests"] and not name.startswith("_")]
