"""Facts about signatures: AWS's published test vectors, and what is read of hosts and the environment.

The vectors are those of the Signature Version 4 test suite (of 2015-08-30, for ``us-east-1``), by their names there;
``tests/inspector/replaying`` has AWS's own library check what is sent.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from inspector.probes.replay_aws import AwsKeys, read_aws_keys, region_of, sign

SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"  # AWS's published example
KEYS = AwsKeys("AKIDEXAMPLE", SECRET, "us-east-1", service="service")
WHEN = datetime(2015, 8, 30, 12, 36, tzinfo=UTC)
HOST = {"Host": "example.amazonaws.com"}
FORM = {
    "Content-Type": "application/x-www-form-urlencoded",
    "Content-Length": "13",
    "x-amz-content-sha256": "9095672bbd1f56dfc5b65f3e153adc8731a4a654192329106275f4c7b24d0b6e",
}
TOKEN = "6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267"
LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
SPACES = {"My-Header1": " value1", "My-Header2": ' "a   b   c"'}
QUERY = "/?Param-3=Value3&Param=Value2&%E1%88%B4=Value1"

VECTORS: list[tuple[str, str, str, dict[str, str], bytes]] = [
    ("get-vanilla", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31", "/", {}, b""),
    ("post-vanilla", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b", "/", {}, b""),
    ("get-utf8", "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85", "/ሴ", {}, b""),
    ("get-space", "652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741", "/example space/", {}, b""),
    ("get-unreserved", "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f", f"/-._~{LETTERS}", {}, b""),
    (
        "get-vanilla-query-order-key-case",
        "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
        "/?Param2=value2&Param1=value1",
        {},
        b"",
    ),
    (
        "get-vanilla-query-order-encoded",
        "371d3713e185cc334048618a97f809c9ffe339c62934c032af5a0e595648fcac",
        QUERY,
        {},
        b"",
    ),
    ("get-vanilla-utf8-query", "2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04", "/?ሴ=bar", {}, b""),
    (
        "post-header-key-sort",
        "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c",
        "/",
        {"My-Header1": "value1"},
        b"",
    ),
    ("get-header-value-trim", "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736", "/", SPACES, b""),
    (
        "post-x-www-form-urlencoded",
        "d3875051da38690788ef43de4db0d8f280229d82040bfac253562e56c3f20e0b",
        "/",
        FORM,
        b"Param1=value1",
    ),
]


@pytest.mark.parametrize(("name", "wanted", "target", "headers", "content"), VECTORS, ids=[one[0] for one in VECTORS])
def test_a_signature_is_that_of_the_published_vector(
    name: str, wanted: str, target: str, headers: dict[str, str], content: bytes
) -> None:
    """Path, query, headers and content, each in its canonical form."""
    method = name.split("-")[0].upper()
    signed = sign(KEYS, method, target, {**HOST, **headers}, content, WHEN)

    assert signed["authorization"].endswith(f"Signature={wanted}")


def test_the_token_of_temporary_keys_is_signed_and_sent() -> None:
    """The vector ``get-vanilla-with-session-token``, word for word."""
    signed = sign(replace(KEYS, token=TOKEN), "GET", "/", HOST, b"", WHEN)

    assert signed == {
        "x-amz-date": "20150830T123600Z",
        "x-amz-security-token": TOKEN,
        "authorization": "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
        "SignedHeaders=host;x-amz-date;x-amz-security-token, "
        "Signature=07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8",
    }


@pytest.mark.parametrize(
    ("host", "region"),
    [
        ("bedrock-runtime.us-east-1.amazonaws.com", "us-east-1"),
        ("bedrock-runtime-fips.us-gov-west-1.amazonaws.com", "us-gov-west-1"),
        ("bedrock-runtime.cn-north-1.amazonaws.com.cn", "cn-north-1"),
        ("bedrock-runtime.eu-west-1.api.aws", "eu-west-1"),
        ("bedrock-mantle.eu-west-1.api.aws", "eu-west-1"),
        ("vpce-0a1b-2c3d.bedrock-runtime.eu-west-1.vpce.amazonaws.com", "eu-west-1"),
        ("bedrock.us-east-1.amazonaws.com", None),
        ("bedrock-runtime.us-east-1.amazonaws.com.evil.test", None),
        ("s3.us-east-1.amazonaws.com", None),
        ("127.0.0.1", None),
    ],
)
def test_a_host_of_bedrock_names_its_region(host: str, region: str | None) -> None:
    """And no other host is one."""
    assert region_of(host) == region


def test_keys_are_read_from_the_environment() -> None:
    """With the token of temporary ones; none: there are none."""
    environment = {"AWS_ACCESS_KEY_ID": " A ", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": "t"}

    assert read_aws_keys("bedrock-runtime.eu-west-1.amazonaws.com", environment) == AwsKeys("A", "s", "eu-west-1", "t")
    assert read_aws_keys("bedrock-runtime.eu-west-1.amazonaws.com", {}) is None
