"""Corrections of Streamlit for a server that many people share."""
