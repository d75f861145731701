"""`deside-mcp wallet`: the key stays in its file unless it is asked for by name."""

from __future__ import annotations

from pathlib import Path

import orjson
from solders.keypair import Keypair
from tests.deside.cli.command import ran


async def test_a_new_wallet_prints_its_address_and_lies_in_the_users_own_folder(tmp_path: Path) -> None:
    made = await ran("wallet", "new", home=tmp_path)

    assert made.code == 0
    keypair = Keypair.from_bytes(bytes(orjson.loads((tmp_path / "deside-mcp" / "wallet.json").read_bytes())))
    assert made.out == f"{keypair.pubkey()}\n"
    assert str(keypair) not in made.out + made.err


async def test_a_second_one_does_not_take_the_place_of_the_first(tmp_path: Path) -> None:
    first = await ran("wallet", "new", home=tmp_path)

    second = await ran("wallet", "new", home=tmp_path)

    assert (second.code, second.out) == (3, "")
    assert second.err == f"{tmp_path / 'deside-mcp' / 'wallet.json'}: File exists\n"
    assert (await ran("wallet", "show", home=tmp_path)).out == first.out


async def test_it_shows_the_secret_only_with_its_flag(tmp_path: Path) -> None:
    made = (await ran("wallet", "new", "--json", home=tmp_path)).json

    shown = (await ran("wallet", "show", "--json", home=tmp_path)).json
    whole = (await ran("wallet", "show", "--secret", "--json", home=tmp_path)).json

    assert shown == made == {"wallet": whole["wallet"], "file": str(tmp_path / "deside-mcp" / "wallet.json")}
    assert str(Keypair.from_base58_string(whole["secret"]).pubkey()) == shown["wallet"]


async def test_another_file_can_be_named(tmp_path: Path) -> None:
    made = await ran("wallet", "new", "--wallet", str(tmp_path / "second.json"), home=tmp_path)

    shown = await ran("wallet", "show", "--wallet", str(tmp_path / "second.json"), home=tmp_path)

    assert shown.out == made.out


async def test_where_there_is_no_wallet_it_says_how_to_make_one(tmp_path: Path) -> None:
    for words in (["wallet", "show"], ["login"], ["send", "x", "y"], ["read"], ["watch"], ["logout"]):
        failed = await ran(*words, home=tmp_path)

        assert (failed.code, failed.out) == (3, ""), words
        assert "No such file or directory" in failed.err
        assert "`deside-mcp wallet new` makes a wallet" in failed.err


async def test_a_failure_is_json_where_json_is_asked_for(tmp_path: Path) -> None:
    failed = await ran("read", "--json", home=tmp_path)

    assert (failed.code, failed.err) == (3, "")
    assert failed.json == {
        "error": "WalletFile",
        "message": f"{tmp_path / 'deside-mcp' / 'wallet.json'}: No such file or directory",
        "advice": "`deside-mcp wallet new` makes a wallet; --wallet names another file",
    }


async def test_an_address_to_which_no_token_may_go_is_a_wrong_command_line(tmp_path: Path) -> None:
    wrong = await ran("login", "--url", "http://deside.example", home=tmp_path)

    assert wrong.code == 2
    assert "use https" in wrong.err


async def test_without_a_sign_in_it_says_how_to_sign_in(tmp_path: Path) -> None:
    await ran("wallet", "new", home=tmp_path)

    failed = await ran("read", home=tmp_path)

    assert failed.code == 3
    assert failed.err.endswith("is not signed in at http://127.0.0.1:3100/mcp\n`deside-mcp login` signs in\n")
