"""Corrections of Streamlit (1.67), made in the server's own process: a module says what each changes, and why.

`serve.py` makes them all but that of lost clicks, which `app.py` makes itself.
"""
