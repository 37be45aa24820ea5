"""Programming languages, a row each: extensions, grammar, and the tree nodes that become sections."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

__all__ = ["ENDINGS", "GRAMMARS", "KEYWORD", "LANGUAGES", "SIGNATURE", "CodeLanguage", "language_of_source"]

KEYWORD = ""
"""Title word of a type: the keyword in the source (`class`, `interface`)."""
SIGNATURE = "signature"
"""Title word of an unnamed type or function: the title is the text before its body."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeLanguage:
    """A programming language: extensions, grammar, and syntax nodes that become sections."""

    name: str
    """Name or alias of its lexer, as in code blocks."""
    endings: tuple[str, ...]
    """Extensions in lower case, with the dot."""
    grammar: str = ""
    """Module of its grammar; empty if there is none."""
    entry: str = "language"
    """Function of that module that returns the grammar."""
    types: Mapping[str, str] = field(default_factory=dict)
    """Nodes that become sections with members, and the word before the name in the title."""
    functions: Mapping[str, str] = field(default_factory=dict)
    """Nodes that become sections in one piece; the word is empty or `SIGNATURE`."""
    bodied: frozenset[str] = frozenset()
    """Nodes that are sections only with a body: otherwise they only name a type."""
    assignments: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Nodes that name a function by assignment: fields of name and value; empty: first and last child."""
    wrappers: frozenset[str] = frozenset()
    """Nodes around a definition that belong to it: decorators, `export`, `template`."""
    line_words: str = ""
    """Words that start definitions (see `outline_lines`), for sources its grammar cannot parse."""
    declares_encoding: bool = False
    """A comment in the first two lines may declare the encoding."""


def _names(*types: str) -> dict[str, str]:
    return dict.fromkeys(types, KEYWORD)


_ARROW = {
    "variable_declarator": ("name", "value"),
    "assignment_expression": ("left", "right"),
    "field_definition": ("property", "value"),
}
_JAVASCRIPT = CodeLanguage(
    name="javascript",
    endings=(".js", ".jsx", ".mjs", ".cjs"),
    grammar="tree_sitter_javascript",
    line_words="class function",
    types=_names("class_declaration"),
    functions=_names("function_declaration", "generator_function_declaration", "method_definition"),
    assignments=_ARROW,
    wrappers=frozenset({"export_statement", "lexical_declaration", "variable_declaration", "expression_statement"}),
)
_TYPESCRIPT = CodeLanguage(
    name="typescript",
    endings=(".ts", ".mts", ".cts"),
    grammar="tree_sitter_typescript",
    line_words="class interface enum namespace type function",
    entry="language_typescript",
    types=_names(
        *("class_declaration", "abstract_class_declaration", "interface_declaration"),
        *("enum_declaration", "type_alias_declaration", "internal_module", "module"),
    ),
    functions={**_JAVASCRIPT.functions, "function_signature": ""},
    bodied=frozenset({"module"}),
    assignments={**_ARROW, "public_field_definition": ("name", "value")},
    wrappers=_JAVASCRIPT.wrappers | {"ambient_declaration"},
)
_C_TYPES = _names("struct_specifier", "union_specifier", "enum_specifier")

LANGUAGES: tuple[CodeLanguage, ...] = (
    CodeLanguage(
        name="python",
        endings=(".py", ".pyi", ".pyw"),
        grammar="tree_sitter_python",
        line_words="class def",
        types=_names("class_definition"),
        functions=_names("function_definition"),
        wrappers=frozenset({"decorated_definition"}),
        declares_encoding=True,
    ),
    _JAVASCRIPT,
    _TYPESCRIPT,
    replace(_TYPESCRIPT, name="tsx", endings=(".tsx",), entry="language_tsx"),
    CodeLanguage(
        name="java",
        endings=(".java",),
        grammar="tree_sitter_java",
        line_words="class interface enum record",
        types={
            **_names("class_declaration", "interface_declaration", "enum_declaration", "record_declaration"),
            "annotation_type_declaration": "@interface",
        },
        functions=_names("method_declaration", "constructor_declaration", "compact_constructor_declaration"),
    ),
    CodeLanguage(
        name="go",
        endings=(".go",),
        grammar="tree_sitter_go",
        line_words="type func",
        types={"type_spec": "type", "type_alias": "type"},
        functions=_names("function_declaration", "method_declaration"),
        wrappers=frozenset({"type_declaration"}),
    ),
    CodeLanguage(
        name="rust",
        endings=(".rs",),
        grammar="tree_sitter_rust",
        line_words="struct enum trait impl mod fn",
        types={
            **_names("struct_item", "enum_item", "union_item", "trait_item", "mod_item"),
            "impl_item": SIGNATURE,
        },
        functions={"function_item": "", "macro_definition": ""},
        bodied=frozenset({"mod_item"}),
    ),
    CodeLanguage(
        name="c",
        endings=(".c", ".h"),
        grammar="tree_sitter_c",
        types=_C_TYPES,
        functions=_names("function_definition", "type_definition"),
        bodied=frozenset({*_C_TYPES, "type_definition"}),
    ),
    CodeLanguage(
        name="cpp",
        endings=(".cc", ".cpp", ".cxx", ".c++", ".hpp", ".hh", ".hxx", ".ipp", ".ino"),
        grammar="tree_sitter_cpp",
        types={**_C_TYPES, **_names("class_specifier", "namespace_definition")},
        functions=_names("function_definition", "type_definition", "concept_definition"),
        bodied=frozenset({*_C_TYPES, "class_specifier", "type_definition"}),
        wrappers=frozenset({"template_declaration"}),
    ),
    CodeLanguage(
        name="csharp",
        endings=(".cs",),
        grammar="tree_sitter_c_sharp",
        line_words="namespace class struct interface enum record",
        types=_names(
            *("class_declaration", "struct_declaration", "interface_declaration", "enum_declaration"),
            *("record_declaration", "namespace_declaration"),
        ),
        functions={
            **_names("method_declaration", "constructor_declaration", "local_function_statement"),
            **dict.fromkeys(
                ("destructor_declaration", "operator_declaration", "conversion_operator_declaration"), SIGNATURE
            ),
        },
        wrappers=frozenset({"global_statement"}),
    ),
    CodeLanguage(
        name="ruby",
        endings=(".rb", ".rake", ".gemspec"),
        grammar="tree_sitter_ruby",
        line_words="module class def",
        types={**_names("class", "module"), "singleton_class": SIGNATURE},
        functions=_names("method", "singleton_method"),
        wrappers=frozenset({"call", "argument_list"}),
        declares_encoding=True,
    ),
    CodeLanguage(
        name="php",
        endings=(".php", ".phtml"),
        grammar="tree_sitter_php",
        line_words="class interface trait enum function",
        entry="language_php",
        types=_names(
            *("class_declaration", "interface_declaration", "trait_declaration", "enum_declaration"),
            "namespace_definition",
        ),
        functions=_names("function_definition", "method_declaration"),
        bodied=frozenset({"namespace_definition"}),
        assignments={"assignment_expression": ("left", "right")},
        wrappers=frozenset({"expression_statement"}),
    ),
    CodeLanguage(
        name="bash",
        endings=(".sh", ".bash", ".zsh", ".ksh"),
        grammar="tree_sitter_bash",
        line_words="function",
        functions=_names("function_definition"),
    ),
    CodeLanguage(name="sql", endings=(".sql", ".ddl", ".pks", ".pkb", ".plsql", ".psql")),
    CodeLanguage(
        name="kotlin",
        endings=(".kt", ".kts"),
        grammar="tree_sitter_kotlin",
        line_words="class interface object fun",
        types={**_names("class_declaration", "object_declaration"), "companion_object": SIGNATURE},
        functions={"function_declaration": "", "secondary_constructor": SIGNATURE},
    ),
    CodeLanguage(
        name="swift",
        endings=(".swift",),
        grammar="tree_sitter_swift",
        line_words="class struct enum protocol extension actor func",
        types=_names("class_declaration", "protocol_declaration"),
        functions={
            **_names("function_declaration", "init_declaration"),
            **dict.fromkeys(("deinit_declaration", "subscript_declaration"), SIGNATURE),
        },
    ),
    CodeLanguage(
        name="scala",
        endings=(".scala", ".sc", ".sbt"),
        grammar="tree_sitter_scala",
        line_words="class object trait enum def",
        types={
            **_names("class_definition", "object_definition", "trait_definition", "enum_definition"),
            **dict.fromkeys(("given_definition", "extension_definition"), SIGNATURE),
        },
        functions=_names("function_definition"),
    ),
    CodeLanguage(
        name="lua",
        endings=(".lua",),
        grammar="tree_sitter_lua",
        line_words="function",
        functions=_names("function_declaration"),
        assignments={"assignment_statement": ("", "")},
        wrappers=frozenset({"variable_declaration"}),
    ),
    CodeLanguage(name="r", endings=(".r",), line_words="<-"),
    CodeLanguage(name="perl", endings=(".pl", ".pm"), line_words="sub"),
    CodeLanguage(name="powershell", endings=(".ps1", ".psm1"), line_words="class enum function filter"),
    CodeLanguage(name="dart", endings=(".dart",), line_words="class enum mixin extension"),
    CodeLanguage(name="haskell", endings=(".hs",)),
    CodeLanguage(name="css", endings=(".css",)),
    CodeLanguage(name="scss", endings=(".scss", ".less")),
)
"""Programming languages. For an extension in several rows, the first wins."""

_BY_ENDING = {ending: language for language in reversed(LANGUAGES) for ending in language.endings}
_CPP = next(language for language in LANGUAGES if language.name == "cpp")
_CPP_SIGNS = re.compile(
    r"(?:^|\r)[ \t]*+(?:class\s+\w|namespace\b|template\s*+<|using\s+\w|(?:public|private|protected)\s*+:(?!:))",
    re.MULTILINE,
)

ENDINGS = tuple(dict.fromkeys(ending for language in LANGUAGES for ending in language.endings))
"""Extensions of all languages."""
GRAMMARS = tuple(dict.fromkeys(language.grammar for language in LANGUAGES if language.grammar))
"""Modules of the grammars."""


def language_of_source(source: str, text: str) -> CodeLanguage:
    """Return a file's language by extension (`.h` with C++ syntax: C++); a nameless one if unknown.

    >>> [language_of_source(*file).name for file in (("a/gateway.py", ""), ("k.h", "namespace a {"), ("x", ""))]
    ['python', 'cpp', '']
    """
    ending = f".{source.rpartition('.')[2].lower()}"
    if ending == ".h" and _CPP_SIGNS.search(text):
        return _CPP
    return _BY_ENDING.get(ending, CodeLanguage(name="", endings=()))
