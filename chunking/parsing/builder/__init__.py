"""What readers are made with: a canonical text with exact spans, blocks, tables, numbers of headings, safe XML and
JSON.
"""
