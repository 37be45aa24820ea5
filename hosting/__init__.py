"""A deployment for many people: who they are, what they may do and use, and the server around them.

Plugs in where the mode is `demo` or `team` (`components.session.host`). Nothing outside imports it: with the folder
gone, the app serves one person.
"""
