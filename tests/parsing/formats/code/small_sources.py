"""A small source of each language, and the sections that a reader expects in it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SOURCES", "Source"]


@dataclass(frozen=True, slots=True)
class Source:
    """One source."""

    name: str
    language: str
    text: str
    sections: tuple[tuple[int, str], ...]


_PYTHON = '''#!/usr/bin/env python
"""Keys of the gateway."""

import os
import sys

LIMIT = 5


@dataclass
class Gateway:
    """Keeps keys. 🦆"""

    keys: str = "é"

    # Turns a key.
    @retry(3)
    async def rotate(self, key):
        def inner():
            return key

        return inner

    class Inner:
        def deep(self): ...


def start(größe):
    return größe


if __name__ == "__main__":
    start(1)
'''
_TYPESCRIPT = """import { a } from "./a";

/** A gateway. */
@Injectable()
export class Gateway extends Base {
  private keys = 1;
  handle = async () => { return 1; };
  constructor() { super(); }
  @Input()
  rotate<T>(key: T): void { }
}

export abstract class Old { abstract run(): void; }

export interface Store { put(key: string): void }
export type Options = { size: number };
enum Kind { A }
namespace Inner { export function deep() {} }
export const start = (a: number) => a;
export default function main() {}
"""

SOURCES = (
    Source(
        "gateway.py",
        "python",
        _PYTHON,
        ((1, "class Gateway"), (2, "rotate"), (2, "class Inner"), (3, "deep"), (1, "start")),
    ),
    Source(
        "gateway.js",
        "javascript",
        "import a from 'a';\n\n// A gateway.\nexport class Gateway {\n  #keys = 1;\n  get size() { return 1; }\n  static rotate() {}\n}\n\n"
        "function* each() {}\nconst start = () => 1;\nexports.stop = function () {};\nvar old = function named() {};\nstart();\n",
        ((1, "class Gateway"), (2, "size"), (2, "rotate"), (1, "each"), (1, "start"), (1, "exports.stop"), (1, "old")),
    ),
    Source(
        "gateway.ts",
        "typescript",
        _TYPESCRIPT,
        (
            *((1, "class Gateway"), (2, "handle"), (2, "constructor"), (2, "rotate"), (1, "class Old"), (1, "interface Store")),
            *((1, "type Options"), (1, "enum Kind"), (1, "namespace Inner"), (2, "deep"), (1, "start"), (1, "main")),
        ),
    ),
    Source(
        "view.tsx",
        "tsx",
        "export const View = ({ a }: Props) => <div>{a}</div>;\nexport function Page() { return <View a={1} />; }\n",
        ((1, "View"), (1, "Page")),
    ),
    Source(
        "Gateway.java",
        "java",
        "package a;\n\nimport java.util.List;\n\n/** A gateway. */\n@Service\npublic class Gateway<T> {\n    private int keys;\n\n"
        "    public Gateway() { }\n\n    /** Turns. */\n    @Override\n    public void rotate(int key) { }\n\n    static class Inner { void deep() {} }\n}\n\n"
        "interface Store { void put(); }\n\nrecord Key(int id) { }\n\nenum Kind { A; void run() {} }\n\n@interface Mark { }\n",
        (
            *((1, "class Gateway"), (2, "Gateway"), (2, "rotate"), (2, "class Inner"), (3, "deep"), (1, "interface Store")),
            *((2, "put"), (1, "record Key"), (1, "enum Kind"), (2, "run"), (1, "@interface Mark")),
        ),
    ),
    Source(
        "gateway.go",
        "go",
        'package a\n\nimport "fmt"\n\n// Gateway keeps keys.\ntype Gateway struct{ keys int }\n\ntype (\n\t// Store puts.\n\tStore interface{ Put() }\n'
        "\tKey = int\n)\n\nfunc (g *Gateway) Rotate(key int) { fmt.Println(key) }\nfunc (l List[T]) Len() int { return 1 }\n\nfunc main() {}\n",
        ((1, "type Gateway"), (1, "type Store"), (1, "type Key"), (1, "Gateway.Rotate"), (1, "List.Len"), (1, "main")),
    ),
    Source(
        "gateway.rs",
        "rust",
        "use std::fmt;\n\n/// A gateway.\n#[derive(Debug)]\npub struct Gateway<T> { keys: T }\n\nimpl<T> fmt::Display for Gateway<T> {\n"
        "    fn fmt(&self) -> u8 { 1 }\n}\n\nmod inner;\nmod deep { pub fn run() {} }\ntrait Store { fn put(&self) {} }\nenum Kind { A }\n"
        "macro_rules! twice { () => {} }\npub async fn start() {}\n",
        (
            *((1, "struct Gateway"), (1, "impl<T> fmt::Display for Gateway<T>"), (2, "fmt"), (1, "mod deep"), (2, "run")),
            *((1, "trait Store"), (2, "put"), (1, "enum Kind"), (1, "twice"), (1, "start")),
        ),
    ),
    Source(
        "gateway.c",
        "c",
        "#include <a.h>\n\n#define LIMIT 5\n\ntypedef struct { int id; } Key;\nstruct node { struct node *next; };\nenum kind { A };\nint proto(int);\n\n"
        "#ifdef LIMIT\n/* Turns a key. */\nstatic char *rotate(int key)\n{\n    return 0;\n}\n#endif\n",
        ((1, "struct Key"), (1, "struct node"), (1, "enum kind"), (1, "rotate")),
    ),
    Source(
        "gateway.cpp",
        "cpp",
        "#include <a>\n\nnamespace a::b {\n\n/// A gateway.\ntemplate <class T>\nclass Gateway : public Base {\npublic:\n    ~Gateway() {}\n"
        "    bool operator==(const Gateway& o) const { return true; }\n    int size() const;\n};\n\nvoid Gateway::rotate(int key) {}\n\n}  // namespace a::b\n\n"
        "template <typename T> T start(T a) { return a; }\n",
        ((1, "namespace a::b"), (2, "class Gateway"), (3, "~Gateway"), (3, "operator=="), (2, "Gateway::rotate"), (1, "start")),
    ),
    Source("old.h", "c", "#pragma once\nint a(void);\nstatic inline int b(void) { return 1; }\n", ((1, "b"),)),
    Source("new.h", "cpp", "#pragma once\nclass Gateway { void run() {} };\n", ((1, "class Gateway"), (2, "run"))),
    Source(
        "Gateway.cs",
        "csharp",
        "using System;\n\nnamespace A.B\n{\n    /// <summary>A gateway.</summary>\n    [Serializable]\n    public class Gateway : Base\n    {\n"
        "        public int Size { get; set; }\n        public Gateway() { }\n        public int Rotate(int key) => key;\n"
        "        public static Gateway operator +(Gateway a, Gateway b) => a;\n    }\n\n    interface IStore { void Put(); }\n"
        "    record Key(int Id);\n    enum Kind { A }\n    struct Point { }\n}\n",
        (
            *((1, "namespace A.B"), (2, "class Gateway"), (3, "Gateway"), (3, "Rotate")),
            *((3, "public static Gateway operator +(Gateway a, Gateway b)"), (2, "interface IStore"), (3, "Put"), (2, "record Key")),
            *((2, "enum Kind"), (2, "struct Point")),
        ),
    ),
    Source(
        "gateway.rb",
        "ruby",
        'require "a"\n\n# A gateway.\nmodule Inner\n  class Gateway < Base\n    attr_reader :keys\n\n    # Turns.\n    def rotate(key) = key\n\n'
        "    def self.start\n      1\n    end\n\n    private def hidden; end\n\n    class << self\n      def deep; end\n    end\n  end\nend\n",
        (
            *((1, "module Inner"), (2, "class Gateway"), (3, "rotate"), (3, "start"), (3, "hidden")),
            *((3, "class << self"), (4, "deep")),
        ),
    ),
    Source(
        "gateway.php",
        "php",
        "<?php\nnamespace App;\n\nuse Other\\Thing;\n\n/** A gateway. */\n#[Service]\nfinal class Gateway extends Base\n{\n    const LIMIT = 5;\n\n"
        "    public function rotate($key) { return $key; }\n}\n\ninterface Store { public function put(); }\ntrait Turns { }\nenum Kind: string { case A = 'a'; }\n"
        "function start() { }\n$stop = function () { };\n",
        (
            *((1, "class Gateway"), (2, "rotate"), (1, "interface Store"), (2, "put"), (1, "trait Turns"), (1, "enum Kind")),
            *((1, "start"), (1, "$stop")),
        ),
    ),
    Source(
        "deploy.sh",
        "bash",
        "#!/bin/sh\n\nset -e\n\n# Turns a key.\nrotate() {\n  echo $1\n}\nfunction start { rotate 1; }\n\nstart\n",
        ((1, "rotate"), (1, "start")),
    ),
    Source(
        "schema.sql",
        "sql",
        "-- The events.\nCREATE TABLE app.events (id INT PRIMARY KEY, name TEXT);\n\ncreate view latest as select 1;\n\n"
        "CREATE OR REPLACE FUNCTION app.rotate(a int) RETURNS int AS $$\nBEGIN\n  RETURN a;\nEND;\n$$ LANGUAGE plpgsql;\n\n"
        "INSERT INTO app.events VALUES (1, 'CREATE TABLE');\n\nCREATE INDEX by_name ON app.events (name);\n",
        ((1, "table app.events"), (1, "view latest"), (1, "function app.rotate"), (1, "index by_name")),
    ),
    Source(
        "Gateway.kt",
        "kotlin",
        "package a\n\nimport b.c\n\n/** A gateway. */\n@Service\nclass Gateway(val keys: Int) {\n    fun rotate(key: Int) = key\n\n"
        "    companion object { fun start() {} }\n}\n\ninterface Store {\n    fun put()\n}\nobject Single { }\nenum class Kind { A }\nfun String.turned(): Int { return 1 }\n",
        (
            *((1, "class Gateway"), (2, "rotate"), (2, "companion object"), (3, "start"), (1, "interface Store"), (2, "put")),
            *((1, "object Single"), (1, "class Kind"), (1, "turned")),
        ),
    ),
    Source(
        "Gateway.swift",
        "swift",
        "import A\n\n/// A gateway.\n@objc\nclass Gateway: Base {\n    var keys = 1\n    init(a: Int) {}\n    func rotate(_ key: Int) -> Int { return key }\n"
        "    deinit { }\n}\n\nstruct Key { }\nprotocol Store { func put() }\nextension Gateway: Store { func put() {} }\nfunc start() {}\n",
        (
            *((1, "class Gateway"), (2, "init"), (2, "rotate"), (2, "deinit"), (1, "struct Key"), (1, "protocol Store")),
            *((1, "extension Gateway"), (2, "put"), (1, "start")),
        ),
    ),
    Source(
        "Gateway.scala",
        "scala",
        "package a\n\nimport b.c\n\n/** A gateway. */\ncase class Gateway(keys: Int) {\n  def rotate(key: Int): Int = key\n}\n\n"
        "object Gateway { def start() = 1 }\ntrait Store { def put(): Unit }\n",
        ((1, "class Gateway"), (2, "rotate"), (1, "object Gateway"), (2, "start"), (1, "trait Store")),
    ),
    Source(
        "gateway.lua",
        "lua",
        "local M = {}\n\n--- Turns a key.\nfunction M.rotate(key) return key end\nfunction M:stop() end\nlocal function hidden() end\n"
        "M.start = function() end\nlocal f = function() end\nreturn M\n",
        ((1, "M.rotate"), (1, "M:stop"), (1, "hidden"), (1, "M.start"), (1, "f")),
    ),
)
