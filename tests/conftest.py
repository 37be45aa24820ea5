"""What all tests share."""

import pytest

pytest.register_assert_rewrite("tests.laws_storage", "tests.laws_retrieval")  # their tests run from test_laws.py
