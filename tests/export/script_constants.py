"""What a script says at its top, and texts that could break it."""

from __future__ import annotations

import ast
from typing import Any

from hypothesis import strategies as st

NASTY = st.text(min_size=1, max_size=40) | st.sampled_from(
    ['"""', "'''\nimport os\n", "\\", '\\"""', "\x00", "{}", "# x\nboom()", "\ud800"]
)


def constants(script: str) -> dict[str, Any]:
    """Constants of a script; they are literals, besides which it has only imports and functions."""
    constants = {}
    for node in ast.parse(script).body:
        if isinstance(node, ast.Assign):
            (name,) = (target.id for target in node.targets if isinstance(target, ast.Name))
            constants[name] = ast.literal_eval(node.value)
        else:
            assert isinstance(node, ast.Import | ast.ImportFrom | ast.FunctionDef | ast.If | ast.Expr), ast.dump(node)
            assert not isinstance(node, ast.Expr) or isinstance(node.value, ast.Constant)
    return constants
