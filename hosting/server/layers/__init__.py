"""Layers around the server for many people, one module each; `layer_order.py` lists them."""
