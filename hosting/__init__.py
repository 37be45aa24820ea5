"""Deployments for many people: identity, roles, quotas, and the server's extra layers.

Plugs in where the mode is `demo` or `team` (`components.session.host`). Nothing outside imports it: with the folder
gone, the app serves one person.
"""
