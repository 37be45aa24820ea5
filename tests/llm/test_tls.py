"""Over HTTPS: a server is believed only where its certificate is."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from chunking.errors import EndpointError
from chunking.llm import Client
from chunking.llm.endpoints import Endpoint
from chunking.llm.sending import _certificates
from tests.support.llm_server import KEY, LLM, LLMServer


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Certificates are read once a process; here for each test."""
    _certificates.cache_clear()
    yield
    _certificates.cache_clear()


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that only its owner vouches for, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test server")])
    output = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    plain = serialization.NoEncryption()
    files = folder / "certificate.pem", folder / "key.pem"
    files[0].write_bytes(output.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain))
    return files


@pytest.fixture
def secure(llm_server: LLMServer, tmp_path: Path) -> Endpoint:
    """The local server, over HTTPS with its own certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate(tmp_path))
    http = llm_server._http
    assert http is not None
    http.socket = context.wrap_socket(http.socket, server_side=True, do_handshake_on_connect=False)
    return Endpoint(llm_server.url.replace("http:", "https:"), LLM, KEY, retries=0)


def test_a_certificate_that_nobody_knows_is_refused(secure: Endpoint, llm_server: LLMServer) -> None:
    """The key is not sent; the sentence says why."""
    with pytest.raises(EndpointError, match=r"cannot be reached .*certificate") as caught:
        Client(secure).complete("a", "b", max_tokens=10)
    assert llm_server.requests == []
    assert KEY not in str(caught.value)


def test_a_certificate_of_the_environment_is_taken(
    secure: Endpoint, llm_server: LLMServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As servers inside a company have them."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))
    assert Client(secure).complete("a", "b", max_tokens=10) == llm_server.answer
