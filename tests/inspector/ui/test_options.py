"""The arguments of the app, and who may see prompts."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.ui.options import host_of, is_loopback, parse_options, refusal, sample_directory


def test_a_directory_is_taken_from_the_arguments(tmp_path: Path) -> None:
    """The first argument is the directory of the traces."""
    options = parse_options([str(tmp_path)])

    assert (options.directory, options.samples, options.allow_remote) == (tmp_path.resolve(), False, False)


def test_without_a_directory_the_samples_are_opened() -> None:
    """No argument means the shipped samples."""
    options = parse_options(["--allow-remote"])

    assert (options.directory, options.samples, options.allow_remote) == (sample_directory(), True, True)
    assert list(sample_directory().glob("*/*.jsonl"))


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST.", "127.0.0.1", "127.8.8.8", "::1", "[::1]", "a.localhost"])
def test_loopback_is_recognised(host: str) -> None:
    """Names and addresses that can only be this machine."""
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", [None, "", "0.0.0.0", "::", "192.168.1.2", "example.com", "localhost.example.com", "127.0.0.1.nip.io"]
)
def test_everything_else_is_remote(host: str | None) -> None:
    """A name that merely looks local is not."""
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("header", "host"),
    [
        ("localhost:8501", "localhost"),
        ("[::1]:8501", "::1"),
        ("http://127.0.0.1:8501", "127.0.0.1"),
        ("http://evil.example", "evil.example"),
        ("http://[broken", None),
        (None, None),
    ],
)
def test_the_host_is_read_from_a_header(header: str | None, host: str | None) -> None:
    """Ports and schemes are not part of the host."""
    assert host_of(header) == host


def test_a_local_page_of_a_local_server_is_allowed() -> None:
    """Nothing is said about the ordinary case."""
    assert refusal("127.0.0.1", "localhost:8501", "http://localhost:8501") is None
    assert refusal("localhost", None, None) is None


@pytest.mark.parametrize(
    ("address", "host", "origin", "said"),
    [
        (None, "localhost:8501", None, "every network interface"),
        ("0.0.0.0", "localhost:8501", None, "0.0.0.0"),
        ("127.0.0.1", "evil.example:8501", None, "host evil.example:8501"),
        ("127.0.0.1", "localhost:8501", "http://evil.example", "origin http://evil.example"),
    ],
)
def test_a_way_out_of_the_machine_is_refused(
    address: str | None, host: str | None, origin: str | None, said: str
) -> None:
    """A wide binding, a foreign name or a foreign page: each is named."""
    reason = refusal(address, host, origin)

    assert reason is not None
    assert said in reason
