"""Runs a Python program as it would run by itself, and counts how often each of its lines runs. Started in a jail:

    python3 FLAGS count_runner.py PROGRAM ARGUMENTS...

How it works: calls of counters are put into the program's syntax tree, one where each block begins and one after each
statement that may leave it early. A condition, or the element of a comprehension, becomes `counter() is None or it`,
which has the same value, since a counter never returns None. A counter is the step of an `itertools.count`, which
costs some 30 ns and is exact with threads too. At the program's end the counts are written as JSON: pairs of a line
and its count. Nothing is written by a process that the program forked, or if it leaves by os._exit.

In a program with `try` or `with`, in which a call may leave a block, each statement has a counter of its own.

Nothing of Tally can be imported here: the jail shows this one file.
"""

import ast
import atexit
import builtins
import io
import itertools
import json
import os
import sys
import types
from collections.abc import Callable, Sequence
from typing import TypeVar

_TABLE = "/box/.tally-counts"
_OWN_FRAMES = 3  # below the program's own
_LEAVING = (ast.Return, ast.Break, ast.Continue, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)
_GUARDS = (ast.Try, ast.TryStar, ast.With, ast.AsyncWith)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)

_Comprehension = TypeVar("_Comprehension", ast.ListComp, ast.SetComp, ast.GeneratorExp)
_Function = TypeVar("_Function", ast.FunctionDef, ast.AsyncFunctionDef)
_For = TypeVar("_For", ast.For, ast.AsyncFor)
_With = TypeVar("_With", ast.With, ast.AsyncWith)
_Try = TypeVar("_Try", ast.Try, ast.TryStar)


class _Counting(ast.NodeTransformer):
    """Puts counters into a syntax tree. `lines`: those that each counter counts."""

    def __init__(self, *, has_guards: bool) -> None:
        self.lines: list[set[int]] = []
        self._has_guards = has_guards

    def _call(self, place: ast.AST, *lines: int) -> ast.Call:
        name = ast.Name(id=f"tally_{len(self.lines)}_", ctx=ast.Load())
        self.lines.append({*lines})
        call = ast.Call(func=name, args=[], keywords=[])
        for node in (name, call):
            ast.copy_location(node, place)
        return call

    def _counted(self, value: ast.expr) -> ast.expr:
        call, none = self._call(value, value.lineno), ast.Constant(value=None)
        test = ast.Compare(left=call, ops=[ast.Is()], comparators=[none])
        whole = ast.BoolOp(op=ast.Or(), values=[test, self.visit(value)])
        for node in (none, test, whole):
            ast.copy_location(node, value)
        return whole

    def _block(self, statements: Sequence[ast.stmt], *header: int) -> list[ast.stmt]:
        block: list[ast.stmt] = []
        lines: set[int] | None = None
        for place, statement in enumerate(statements):
            is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
            if is_future or isinstance(statement, (ast.Global, ast.Nonlocal)):  # nothing that runs
                block.append(statement)
                continue
            if place == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                block.append(statement)  # the documentation of what the block is of
                continue
            if lines is None or self._has_guards:
                counting = ast.Expr(value=self._call(statement, *(() if lines else header)))
                block.append(ast.copy_location(counting, statement))
                lines = self.lines[-1]
            lines.add(statement.lineno)
            block.append(self.visit(statement))
            if _leaves(statement):
                lines = None
        return block

    def visit_Module(self, node: ast.Module) -> ast.Module:
        """Count the program's own statements."""
        node.body = self._block(node.body)
        return node

    def _function(self, node: _Function) -> _Function:
        node.decorator_list = [self.visit(decorator) for decorator in node.decorator_list]
        node.args = self.visit(node.args)
        node.body = self._block(node.body)
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function  # noqa: N815 - names that ast looks for

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        """Count the statements of a class, which run once."""
        node.body = self._block(node.body)
        return node

    def _for(self, node: _For) -> _For:
        node.iter = self.visit(node.iter)
        node.body = self._block(node.body, node.lineno)
        node.orelse = self._block(node.orelse)
        return node

    visit_For = visit_AsyncFor = _for  # noqa: N815 - names that ast looks for

    def visit_While(self, node: ast.While) -> ast.While:
        """Count each look at the condition too."""
        node.test = self._counted(node.test)
        node.body = self._block(node.body)
        node.orelse = self._block(node.orelse)
        return node

    def visit_If(self, node: ast.If) -> ast.If:
        """Count both branches."""
        node.test = self.visit(node.test)
        node.body = self._block(node.body)
        node.orelse = self._block(node.orelse)
        return node

    def _with(self, node: _With) -> _With:
        node.items = [self.visit(item) for item in node.items]
        node.body = self._block(node.body)
        return node

    visit_With = visit_AsyncWith = _with  # noqa: N815 - names that ast looks for

    def _try(self, node: _Try) -> _Try:
        node.body = self._block(node.body)
        for handler in node.handlers:
            handler.body = self._block(handler.body)
        node.orelse = self._block(node.orelse)
        node.finalbody = self._block(node.finalbody)
        return node

    visit_Try = visit_TryStar = _try  # noqa: N815 - names that ast looks for

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        """Count the statements of a case."""
        node.body = self._block(node.body)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> ast.Lambda:
        """Count the calls."""
        node.args = self.visit(node.args)
        node.body = self._counted(node.body)
        return node

    def _comprehension(self, node: _Comprehension) -> _Comprehension:
        node.elt = self._counted(node.elt)
        node.generators = [self.visit(generator) for generator in node.generators]
        return node

    visit_ListComp = visit_SetComp = visit_GeneratorExp = _comprehension  # noqa: N815 - names that ast looks for

    def visit_DictComp(self, node: ast.DictComp) -> ast.DictComp:
        """Count the elements."""
        node.key, node.value = self._counted(node.key), self.visit(node.value)
        node.generators = [self.visit(generator) for generator in node.generators]
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        """Count each look at the first condition."""
        node.iter = self.visit(node.iter)
        node.ifs = [self.visit(test) if place else self._counted(test) for place, test in enumerate(node.ifs)]
        return node


def _leaves(statement: ast.stmt) -> bool:
    """Return whether the statement may leave its block before the end, other than by an exception of a call."""
    if isinstance(statement, _SCOPES):
        return False
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, _LEAVING):
            return True
        if not isinstance(node, _SCOPES):
            waiting += ast.iter_child_nodes(node)
    return False


def _write_at_end(counters: list[Callable[[], int]], lines: list[set[int]]) -> None:
    own = os.getpid()
    dump, open_file = json.dumps, os.open

    def write() -> None:
        if os.getpid() != own:
            return
        most: dict[int, int] = {}
        for counter, counted in zip(counters, lines, strict=True):
            count = counter()
            for line in counted:
                most[line] = max(most.get(line, 0), count)
        descriptor = open_file(_TABLE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(dump([[line, count] for line, count in sorted(most.items()) if count]))

    atexit.register(write)


def _run(program: str) -> None:
    with io.open_code(program) as file:
        tree = ast.parse(file.read(), program)
    counting = _Counting(has_guards=any(isinstance(node, _GUARDS) for node in ast.walk(tree)))
    tree = ast.fix_missing_locations(counting.visit(tree))
    counters = [itertools.count().__next__ for _ in counting.lines]
    _write_at_end(counters, counting.lines)
    for number, counter in enumerate(counters):
        setattr(builtins, f"tally_{number}_", counter)
    code = compile(tree, program, "exec", dont_inherit=True)
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=program, __builtins__=builtins, __annotations__={})
    sys.modules["__main__"] = main
    sys.argv = sys.argv[1:]
    sys.setrecursionlimit(sys.getrecursionlimit() + _OWN_FRAMES)
    exec(code, main.__dict__)  # noqa: S102 - this is what it is for


if __name__ == "__main__":
    _run(sys.argv[1])
