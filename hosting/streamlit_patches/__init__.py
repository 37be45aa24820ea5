"""Patches of Streamlit for many people; the table is in `components.streamlit_patches`."""
