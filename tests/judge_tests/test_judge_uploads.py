"""What the judge says of multipart bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest
from tests.judge_tests.wire import MESSAGES, MULTIPART, multipart

if TYPE_CHECKING:
    from tests.judge import Judge

PNG = "blob.png"


def uploaded(judge: Judge, payload: object, files: dict[str, str], path: str = MESSAGES) -> list[str]:
    body = multipart({"payload_json": orjson.dumps(payload).decode()}, files)
    return [violation.partition(" request body: ")[2] for violation in judge.request("POST", path, "", MULTIPART, body)]


@pytest.mark.parametrize(
    ("path", "payload"),
    [
        (MESSAGES, {"content": "look", "attachments": [{"id": 0, "filename": PNG, "description": "a blob"}]}),
        (MESSAGES, {"attachments": [{"id": "0"}]}),
        (MESSAGES, {"attachments": [{"id": "0"}, {"id": "1234567890123456789"}]}),
        (MESSAGES, {"content": "look"}),
        ("/channels/1/threads", {"name": "post", "message": {"content": "x", "attachments": [{"id": 0}]}}),
        ("/interactions/1/token/callback", {"type": 4, "data": {"attachments": [{"id": 0}]}}),
        ("/webhooks/1/token", {"attachments": [{"id": 0}]}),
    ],
)
def test_a_file_beside_its_payload_passes(judge: Judge, path: str, payload: object) -> None:
    assert uploaded(judge, payload, {"files[0]": PNG}, path) == []


@pytest.mark.parametrize(
    ("payload", "files", "said"),
    [
        ({"attachments": [{"id": 0}]}, {"files[0]": PNG, "files[1]": PNG}, "files[1] is not among the attachments"),
        ({"attachments": [{"id": 0}, {"id": 1}]}, {"files[0]": PNG}, "attachment 1 has no files[1]"),
        ({"contnt": "x"}, {"files[0]": PNG}, "Additional properties are not allowed ('contnt' was unexpected)"),
        ({}, {"file": PNG}, "file is no file of this operation"),
        ({}, {"files[10]": PNG}, "files[10] is no file of this operation"),
        ({}, {"files%5B0%5D": PNG}, "files%5B0%5D is no file of this operation"),
        ([], {"files[0]": PNG}, '[] is not of type "object"'),
    ],
)
def test_a_file_that_does_not_go_with_its_payload_is_caught(
    judge: Judge, payload: object, files: dict[str, str], said: str
) -> None:
    assert uploaded(judge, payload, files) == [said]


def test_an_upload_in_a_posts_message_is_held_against_its_attachments(judge: Judge) -> None:
    payload = {"name": "post", "message": {"attachments": [{"id": 1}]}}

    assert uploaded(judge, payload, {"files[0]": PNG}, "/channels/1/threads") == [
        "files[0] is not among the attachments",
        "attachment 1 has no files[1]",
    ]


def test_a_file_without_a_filename_is_caught(judge: Judge) -> None:
    body = multipart({"payload_json": "{}", "files[0]": "bytes"}, {})

    (violation,) = judge.request("POST", MESSAGES, "", MULTIPART, body)

    assert violation.endswith("body: files[0] needs a filename")


def test_a_payload_that_is_no_json_is_caught(judge: Judge) -> None:
    (violation,) = judge.request("POST", MESSAGES, "", MULTIPART, multipart({"payload_json": "{"}, {}))

    assert "body: payload_json: not JSON: " in violation


def test_a_field_beside_the_payload_is_caught(judge: Judge) -> None:
    body = multipart({"payload_json": "{}", "content": "x"}, {})

    (violation,) = judge.request("POST", MESSAGES, "", MULTIPART, body)

    assert violation.endswith("body: content is beside payload_json")


def test_fields_without_a_payload_are_read_by_the_schema(judge: Judge) -> None:
    body = multipart({"content": "5", "tts": "true"}, {"files[0]": PNG})

    assert judge.request("POST", MESSAGES, "", MULTIPART, body) == []
    assert judge.request("POST", MESSAGES, "", MULTIPART, multipart({"contnt": "5"}, {})) != []


def test_a_sticker_is_its_fields_and_its_file(judge: Judge) -> None:
    body = multipart({"name": "blob", "tags": "1", "description": ""}, {"file": PNG})

    assert judge.request("POST", "/guilds/1/stickers", "", MULTIPART, body) == []


@pytest.mark.parametrize(
    ("fields", "files", "said"),
    [
        ({"name": "blob", "tags": "x"}, {}, '"file" is a required property'),
        ({"name": "b", "tags": "x"}, {"file": PNG}, 'name: "b" is shorter than 2 characters'),
        ({"name": "blob", "tags": "x", "file": "bytes"}, {}, "file needs a filename"),
        ({"name": "blob", "tags": "x"}, {"file": PNG, "files[0]": PNG}, "files[0] is no file of this operation"),
        ({"name": "blob", "tags": "x", "tag": "y"}, {"file": PNG}, "Additional properties are not allowed"),
    ],
)
def test_a_wrong_sticker_is_caught(judge: Judge, fields: dict[str, str], files: dict[str, str], said: str) -> None:
    (violation,) = judge.request("POST", "/guilds/1/stickers", "", MULTIPART, multipart(fields, files))

    assert f"request body: {said}" in violation


def test_a_sticker_is_no_json(judge: Judge) -> None:
    (violation,) = judge.request("POST", "/guilds/1/stickers", "", {"Content-Type": "application/json"}, b"{}")

    assert violation.endswith("body: content type application/json is none of multipart/form-data")


def test_an_invite_takes_a_file_of_its_own(judge: Judge) -> None:
    body = multipart({"payload_json": "{}"}, {"target_users_file": "users.csv"})

    assert judge.request("POST", "/channels/1/invites", "", MULTIPART, body) == []


@pytest.mark.parametrize(
    "body",
    [
        b"no parts at all",
        b'--cut\r\nContent-Disposition: form-data; name="content"\r\n\r\nx\r\n',
        multipart({"content": "x"}, {}).replace(b"--cut--\r\n", b"") + multipart({"content": "y"}, {}),
        multipart({"content": "x"}, {}).replace(b"\r\nx\r\n", b"\r\n\xff\r\n"),
    ],
    ids=["no parts", "no end", "a part twice", "no UTF-8"],
)
def test_a_body_that_is_no_proper_form_is_caught(judge: Judge, body: bytes) -> None:
    assert judge.request("POST", MESSAGES, "", MULTIPART, body) != []
