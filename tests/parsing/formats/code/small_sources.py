"""A small source of each language, and the sections that a reader expects in it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SOURCES", "Source"]


@dataclass(frozen=True, slots=True)
class Source:
    """One source."""

    name: str
    language: str
    sections: tuple[tuple[int, str], ...]
    text: str


SOURCES = (
    Source(
        "gateway.py",
        "python",
        (
            *((1, "class Gateway"), (2, "rotate"), (2, "class Inner"), (3, "deep")),
            *((1, "start"),),
        ),
        '''\
#!/usr/bin/env python
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
''',
    ),
    Source(
        "gateway.js",
        "javascript",
        (
            *((1, "class Gateway"), (2, "size"), (2, "rotate"), (1, "each")),
            *((1, "start"), (1, "exports.stop"), (1, "old")),
        ),
        """\
import a from 'a';

// A gateway.
export class Gateway {
  #keys = 1;
  get size() { return 1; }
  static rotate() {}
}

function* each() {}
const start = () => 1;
exports.stop = function () {};
var old = function named() {};
start();
""",
    ),
    Source(
        "gateway.ts",
        "typescript",
        (
            *((1, "class Gateway"), (2, "handle"), (2, "constructor"), (2, "rotate")),
            *((1, "class Old"), (1, "interface Store"), (1, "type Options"), (1, "enum Kind")),
            *((1, "namespace Inner"), (2, "deep"), (1, "start"), (1, "main")),
        ),
        """\
import { a } from "./a";

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
""",
    ),
    Source(
        "view.tsx",
        "tsx",
        (*((1, "View"), (1, "Page")),),
        """\
export const View = ({ a }: Props) => <div>{a}</div>;
export function Page() { return <View a={1} />; }
""",
    ),
    Source(
        "Gateway.java",
        "java",
        (
            *((1, "class Gateway"), (2, "Gateway"), (2, "rotate"), (2, "class Inner")),
            *((3, "deep"), (1, "interface Store"), (2, "put"), (1, "record Key")),
            *((1, "enum Kind"), (2, "run"), (1, "@interface Mark")),
        ),
        """\
package a;

import java.util.List;

/** A gateway. */
@Service
public class Gateway<T> {
    private int keys;

    public Gateway() { }

    /** Turns. */
    @Override
    public void rotate(int key) { }

    static class Inner { void deep() {} }
}

interface Store { void put(); }

record Key(int id) { }

enum Kind { A; void run() {} }

@interface Mark { }
""",
    ),
    Source(
        "gateway.go",
        "go",
        (
            *((1, "type Gateway"), (1, "type Store"), (1, "type Key"), (1, "Gateway.Rotate")),
            *((1, "List.Len"), (1, "main")),
        ),
        """\
package a

import "fmt"

// Gateway keeps keys.
type Gateway struct{ keys int }

type (
\t// Store puts.
\tStore interface{ Put() }
\tKey = int
)

func (g *Gateway) Rotate(key int) { fmt.Println(key) }
func (l List[T]) Len() int { return 1 }

func main() {}
""",
    ),
    Source(
        "gateway.rs",
        "rust",
        (
            *((1, "struct Gateway"), (1, "impl<T> fmt::Display for Gateway<T>"), (2, "fmt"), (1, "mod deep")),
            *((2, "run"), (1, "trait Store"), (2, "put"), (1, "enum Kind")),
            *((1, "twice"), (1, "start")),
        ),
        """\
use std::fmt;

/// A gateway.
#[derive(Debug)]
pub struct Gateway<T> { keys: T }

impl<T> fmt::Display for Gateway<T> {
    fn fmt(&self) -> u8 { 1 }
}

mod inner;
mod deep { pub fn run() {} }
trait Store { fn put(&self) {} }
enum Kind { A }
macro_rules! twice { () => {} }
pub async fn start() {}
""",
    ),
    Source(
        "gateway.c",
        "c",
        (*((1, "struct Key"), (1, "struct node"), (1, "enum kind"), (1, "rotate")),),
        """\
#include <a.h>

#define LIMIT 5

typedef struct { int id; } Key;
struct node { struct node *next; };
enum kind { A };
int proto(int);

#ifdef LIMIT
/* Turns a key. */
static char *rotate(int key)
{
    return 0;
}
#endif
""",
    ),
    Source(
        "gateway.cpp",
        "cpp",
        (
            *((1, "namespace a::b"), (2, "class Gateway"), (3, "~Gateway"), (3, "operator==")),
            *((2, "Gateway::rotate"), (1, "start")),
        ),
        """\
#include <a>

namespace a::b {

/// A gateway.
template <class T>
class Gateway : public Base {
public:
    ~Gateway() {}
    bool operator==(const Gateway& o) const { return true; }
    int size() const;
};

void Gateway::rotate(int key) {}

}  // namespace a::b

template <typename T> T start(T a) { return a; }
""",
    ),
    Source(
        "old.h",
        "c",
        (*((1, "b"),),),
        """\
#pragma once
int a(void);
static inline int b(void) { return 1; }
""",
    ),
    Source(
        "new.h",
        "cpp",
        (*((1, "class Gateway"), (2, "run")),),
        """\
#pragma once
class Gateway { void run() {} };
""",
    ),
    Source(
        "Gateway.cs",
        "csharp",
        (
            *((1, "namespace A.B"), (2, "class Gateway"), (3, "Gateway"), (3, "Rotate")),
            *(
                (3, "public static Gateway operator +(Gateway a, Gateway b)"),
                (2, "interface IStore"),
                (3, "Put"),
                (2, "record Key"),
            ),
            *((2, "enum Kind"), (2, "struct Point")),
        ),
        """\
using System;

namespace A.B
{
    /// <summary>A gateway.</summary>
    [Serializable]
    public class Gateway : Base
    {
        public int Size { get; set; }
        public Gateway() { }
        public int Rotate(int key) => key;
        public static Gateway operator +(Gateway a, Gateway b) => a;
    }

    interface IStore { void Put(); }
    record Key(int Id);
    enum Kind { A }
    struct Point { }
}
""",
    ),
    Source(
        "gateway.rb",
        "ruby",
        (
            *((1, "module Inner"), (2, "class Gateway"), (3, "rotate"), (3, "start")),
            *((3, "hidden"), (3, "class << self"), (4, "deep")),
        ),
        """\
require "a"

# A gateway.
module Inner
  class Gateway < Base
    attr_reader :keys

    # Turns.
    def rotate(key) = key

    def self.start
      1
    end

    private def hidden; end

    class << self
      def deep; end
    end
  end
end
""",
    ),
    Source(
        "gateway.php",
        "php",
        (
            *((1, "class Gateway"), (2, "rotate"), (1, "interface Store"), (2, "put")),
            *((1, "trait Turns"), (1, "enum Kind"), (1, "start"), (1, "$stop")),
        ),
        """\
<?php
namespace App;

use Other\\Thing;

/** A gateway. */
#[Service]
final class Gateway extends Base
{
    const LIMIT = 5;

    public function rotate($key) { return $key; }
}

interface Store { public function put(); }
trait Turns { }
enum Kind: string { case A = 'a'; }
function start() { }
$stop = function () { };
""",
    ),
    Source(
        "deploy.sh",
        "bash",
        (*((1, "rotate"), (1, "start")),),
        """\
#!/bin/sh

set -e

# Turns a key.
rotate() {
  echo $1
}
function start { rotate 1; }

start
""",
    ),
    Source(
        "schema.sql",
        "sql",
        (*((1, "table app.events"), (1, "view latest"), (1, "function app.rotate"), (1, "index by_name")),),
        """\
-- The events.
CREATE TABLE app.events (id INT PRIMARY KEY, name TEXT);

create view latest as select 1;

CREATE OR REPLACE FUNCTION app.rotate(a int) RETURNS int AS $$
BEGIN
  RETURN a;
END;
$$ LANGUAGE plpgsql;

INSERT INTO app.events VALUES (1, 'CREATE TABLE');

CREATE INDEX by_name ON app.events (name);
""",
    ),
    Source(
        "Gateway.kt",
        "kotlin",
        (
            *((1, "class Gateway"), (2, "rotate"), (2, "companion object"), (3, "start")),
            *((1, "interface Store"), (2, "put"), (1, "object Single"), (1, "class Kind")),
            *((1, "turned"),),
        ),
        """\
package a

import b.c

/** A gateway. */
@Service
class Gateway(val keys: Int) {
    fun rotate(key: Int) = key

    companion object { fun start() {} }
}

interface Store {
    fun put()
}
object Single { }
enum class Kind { A }
fun String.turned(): Int { return 1 }
""",
    ),
    Source(
        "Gateway.swift",
        "swift",
        (
            *((1, "class Gateway"), (2, "init"), (2, "rotate"), (2, "deinit")),
            *((1, "struct Key"), (1, "protocol Store"), (1, "extension Gateway"), (2, "put")),
            *((1, "start"),),
        ),
        """\
import A

/// A gateway.
@objc
class Gateway: Base {
    var keys = 1
    init(a: Int) {}
    func rotate(_ key: Int) -> Int { return key }
    deinit { }
}

struct Key { }
protocol Store { func put() }
extension Gateway: Store { func put() {} }
func start() {}
""",
    ),
    Source(
        "Gateway.scala",
        "scala",
        (
            *((1, "class Gateway"), (2, "rotate"), (1, "object Gateway"), (2, "start")),
            *((1, "trait Store"),),
        ),
        """\
package a

import b.c

/** A gateway. */
case class Gateway(keys: Int) {
  def rotate(key: Int): Int = key
}

object Gateway { def start() = 1 }
trait Store { def put(): Unit }
""",
    ),
    Source(
        "gateway.lua",
        "lua",
        (
            *((1, "M.rotate"), (1, "M:stop"), (1, "hidden"), (1, "M.start")),
            *((1, "f"),),
        ),
        """\
local M = {}

--- Turns a key.
function M.rotate(key) return key end
function M:stop() end
local function hidden() end
M.start = function() end
local f = function() end
return M
""",
    ),
)
