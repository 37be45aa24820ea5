"""Bearer tokens by which agents come to one workspace each, with at most the role of the person who made them."""

from __future__ import annotations

from chunking.deployment.agent_tokens.agent_tokens import MOST_TOKENS, AgentTokens
from chunking.deployment.agent_tokens.token_access import AgentToken, TokenAccess

__all__ = ["MOST_TOKENS", "AgentToken", "AgentTokens", "TokenAccess"]
