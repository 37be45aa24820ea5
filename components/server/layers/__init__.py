"""What stands around Streamlit's server, one module a layer: who asks, from where, and what they may have;
`layer_order.py` lists them.
"""
