"""Internals of Streamlit and uvicorn replaced for many people; the table is in `components.streamlit_patches`."""
