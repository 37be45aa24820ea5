"""Tools for agents over a workspace, for any protocol: search, read, evaluate, collect, delete."""

from __future__ import annotations

from chunking.agents.addresses import AppAddress
from chunking.agents.answers import plain_answer, plain_text
from chunking.agents.arguments import input_schema, output_schema
from chunking.agents.long_calls import CallControl, IndexBuilt, IndexRun
from chunking.agents.toolbox import Toolbox
from chunking.agents.tools import FULL_TOOLS, INSTRUCTIONS, RESEARCH_TOOLS, AgentTool, Profile, tools_of

__all__ = [
    "FULL_TOOLS",
    "INSTRUCTIONS",
    "RESEARCH_TOOLS",
    "AgentTool",
    "AppAddress",
    "CallControl",
    "IndexBuilt",
    "IndexRun",
    "Profile",
    "Toolbox",
    "input_schema",
    "output_schema",
    "plain_answer",
    "plain_text",
    "tools_of",
]
