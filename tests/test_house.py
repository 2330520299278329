"""The house: layers, vendors as data, docstrings, sizes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import toolglot

SRC = Path(toolglot.__file__).parent
FILES = sorted(SRC.rglob("*.py"))

LAYERS = (
    *("errors", "schema", "targets", "fitting", "adk", "clients", "proofs", "contract", "report", "mcp", "providers"),
    *("demo", "cli", "pytest_plugin"),
)
TOP = ("demo", "cli", "pytest_plugin")
"""The last three stand side by side above all the others."""


def layer(path: Path) -> str:
    return path.relative_to(SRC).parts[0].removesuffix(".py")


def rank(name: str) -> int:
    return LAYERS.index(TOP[0]) if name in TOP else LAYERS.index(name)


def imports(tree: ast.AST) -> Iterator[str]:
    """The parts of toolglot that a module imports, those only for type checking included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("toolglot."):
            yield (node.module or "").split(".")[1]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[1] for alias in node.names if alias.name.startswith("toolglot."))


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(SRC)) for path in FILES])
def test_a_layer_imports_only_what_is_below(path: Path) -> None:
    own = layer(path)
    if own in ("__init__", "__main__"):
        return
    tree = ast.parse(path.read_text())
    assert [name for name in imports(tree) if name != own and rank(name) >= rank(own)] == []


VENDORS = (
    *("openai", "gemini", "vertex", "anthropic", "claude", "bedrock", "mistral", "grok", "groq", "deepseek"),
    *("cohere", "moonshot", "kimi", "cursor"),
)
MAY_NAME_VENDORS = ("providers", "clients", "adk", "demo")


def words(tree: ast.Module) -> Iterator[str]:
    """The texts and names of a module, docstrings left out."""
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value
        elif isinstance(node, ast.Name):
            yield node.id


@pytest.mark.parametrize(
    "path", [p for p in FILES if layer(p) in ("schema", "targets", "fitting", "contract", "report")]
)
def test_vendors_are_data(path: Path) -> None:
    found = [word for word in words(ast.parse(path.read_text())) if any(v in word.lower() for v in VENDORS)]
    assert found == []


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(SRC)) for path in FILES])
def test_a_file_stays_small(path: Path) -> None:
    assert path.read_text().count("\n") <= 420


def public_functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Functions of modules and methods of classes, those that are public; of overloads the one that runs."""
    for path in FILES:
        tree = ast.parse(path.read_text())
        for home in (tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))):
            for node in home.body:
                public = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_")
                if not public or any(isinstance(one, ast.Name) and one.id == "overload" for one in node.decorator_list):
                    continue
                if not (isinstance(home, ast.ClassDef) and home.name.startswith("_")):
                    yield f"{path.relative_to(SRC)}:{node.lineno} {node.name}", node


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                yield f"{path.relative_to(SRC)}:{node.lineno} {node.name}", node


def test_functions_are_short() -> None:
    lengths = sorted((node.end_lineno or node.lineno) - node.lineno + 1 for _, node in functions())
    assert lengths[len(lengths) // 2] <= 9
    assert lengths[int(len(lengths) * 0.9)] <= 30
    assert lengths[-1] <= 60


def test_every_public_function_has_a_docstring() -> None:
    assert [name for name, node in public_functions() if not ast.get_docstring(node)] == []


@pytest.mark.parametrize("name", toolglot.__all__)
def test_a_public_name_is_there(name: str) -> None:
    assert getattr(toolglot, name) is not None


def test_only_the_wire_opens_sockets() -> None:
    """httpx and sockets only where the wire is, and in the two modules that ask a model provider."""
    for path in FILES:
        names = {name.split(".")[0] for node in ast.walk(ast.parse(path.read_text())) for name in _modules(node)}
        asks_a_model = path.relative_to(SRC).as_posix() in ("providers/probe.py", "providers/eval.py")
        if layer(path) != "mcp" and not asks_a_model:
            assert not names & {"httpx", "httpx_sse", "socket", "urllib3", "requests", "aiohttp"}, path


def _modules(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        yield node.module


def test_validators_are_built_in_one_place() -> None:
    for path in FILES:
        if "jsonschema_rs" in {m for node in ast.walk(ast.parse(path.read_text())) for m in _modules(node)}:
            assert path.relative_to(SRC).as_posix() in ("schema/validate.py", "schema/algebra.py")
