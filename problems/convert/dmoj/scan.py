"""Turn a DMOJ checker in Python into an output validator after scanning its imports; the checker is not run here.

How it works: its syntax tree is made in a process of its own, with little time and memory. What it imports must be in
Python's standard library or in what `dmoj_python` stands in for; what it is told of a submission must be something that
a checker of a package knows.
"""

import json
import sys
from pathlib import Path

from problems.convert.dmoj import dmoj_checker, dmoj_python
from problems.convert.limited import asked
from problems.convert.native import Files
from problems.convert.testlib import HEADER
from problems.format.files import printable
from problems.format.yamlfile import read_text
from problems.package import PackageError
from problems.translation import Sentence

_MOST_BYTES = 512 * 1024
_RUN = f'{HEADER}exec /usr/bin/env python3 "$(dirname "$0")/dmoj_python.py" "$@"\n'
_UNKNOWN = {  # what DMOJ tells a checker, and a package does not
    "submission_source": Sentence("the submission's source"),
    "submission_language": Sentence("the submission's language"),
    "execution_time": Sentence("how long the submission ran"),
    "case_position": Sentence("which case it is"),
    "batch": Sentence("which batch it is"),
    "problem_id": Sentence("what the problem is called"),
    "case": Sentence("DMOJ's own record of the case"),
    "result": Sentence("DMOJ's own record of the run"),
}
_ON_ERROR = "run_on_error"
_SCAN = """
import ast, json, sys
try:
    tree = ast.parse(json.load(sys.stdin))
except (SyntaxError, ValueError) as error:
    json.dump({"error": f"{getattr(error, 'msg', error)} (line {getattr(error, 'lineno', 0)})"}, sys.stdout)
    sys.exit()
imports, names, attributes = [], [], []
functions = [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
checks = [node for node in functions if node.name == "check"]
for node in checks or functions:
    used = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
    names += [each.arg for each in arguments if each.arg in used]  # many list what they never look at
for node in ast.walk(tree):
    if isinstance(node, ast.Import):
        imports += [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        imports += [f"{'.' * node.level}{node.module or ''}:{alias.name}" for alias in node.names]
    elif isinstance(node, ast.Attribute):
        attributes.append(node.attr)
    elif isinstance(node, ast.Subscript):
        names += [node.slice.value] if isinstance(node.slice, ast.Constant) else []
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop"):
        names += [each.value for each in node.args[:1] if isinstance(each, ast.Constant)]
targets = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
has_check = any(node in tree.body for node in checks) or "check" in [
    *(target.id for target in targets if isinstance(target, ast.Name)),
    *(alias.asname or alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names),
]
names = [name for name in names if isinstance(name, str)]
json.dump({"imports": imports, "names": names, "attributes": attributes, "has_check": has_check}, sys.stdout)
"""


def python_files(name: str, path: Path, arguments: object, *, gives_points: bool, is_binary: bool) -> Files:
    """Return the validator that runs this checker. Raises PackageError with everything Tally cannot provide."""
    name = printable(name)
    too_much = PackageError(name, "", Sentence("is Python that takes too much time or memory to read"))
    uses = asked(_SCAN, read_text(path, name, _MOST_BYTES), too_much)
    if "error" in uses:
        raise PackageError(name, "", Sentence("is no Python 3: %(error)s", error=uses["error"][:200]))
    modules, unknown = dmoj_python.stand_ins(dmoj_checker), []
    for imported in dict.fromkeys(uses["imports"]):  # `module` or `module:name`
        module, _, attribute = imported.partition(":")
        is_known = module in modules and (not attribute or hasattr(modules[module], attribute))
        if not is_known and module.partition(".")[0] not in sys.stdlib_module_names:
            unknown.append(imported.replace(".:", ".").replace(":", ".")[:60])
    if unknown:
        why = Sentence("imports %(modules)s, which Tally does not have for a checker", modules=", ".join(unknown[:5]))
        raise PackageError(name, "", why)
    if not uses["has_check"]:
        raise PackageError(name, "", Sentence("has no function check"))
    if word := next((word for word in uses["names"] if word in _UNKNOWN), ""):
        values = {"name": word, "meaning": _UNKNOWN[word]}
        why = Sentence("asks for %(name)s (%(meaning)s), which Tally does not tell a checker", **values)
        raise PackageError(name, "", why)
    if _ON_ERROR in uses["attributes"]:
        why = Sentence("has %(name)s: Tally asks no checker about a program that failed", name=_ON_ERROR)
        raise PackageError(name, "", why)
    settings = {"args": arguments or {}, "gives_points": gives_points, "binary_data": is_binary}
    try:
        written = json.dumps(settings, indent=1, allow_nan=False)
    except (TypeError, ValueError) as error:
        why = Sentence("must be text, numbers, truths and lists of them: a Python checker gets nothing else")
        raise PackageError("init.yml", "checker.args", why) from error
    own = [Path(module.__file__ or "") for module in (dmoj_python, dmoj_checker)]
    return {
        "checker/run": _RUN,
        **{f"checker/{file.name}": file for file in own},
        f"checker/{dmoj_python.CHECKER}": path,
        f"checker/{dmoj_python.SETTINGS}": written,
    }
