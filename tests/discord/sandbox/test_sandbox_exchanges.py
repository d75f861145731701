from __future__ import annotations

from accord.discord.sandbox.exchanges import KEPT_BYTES, KEPT_EXCHANGES, Exchange, ExchangeLog


def exchange(body: bytes = b"") -> Exchange:
    return Exchange("POST", "/x", "", {}, body, 200, {}, b"")


def test_the_log_keeps_the_last_ten_thousand_exchanges() -> None:
    log = ExchangeLog()

    for _ in range(KEPT_EXCHANGES + 5):
        log.add(exchange())

    numbers = [number for number, _ in log]
    assert (len(numbers), numbers[0], numbers[-1]) == (KEPT_EXCHANGES, 6, KEPT_EXCHANGES + 5)


def test_the_log_keeps_no_more_bodies_than_fit_its_bound() -> None:
    log = ExchangeLog()
    third = exchange(bytes(KEPT_BYTES // 3))

    for _ in range(5):
        log.add(third)

    assert [number for number, _ in log] == [3, 4, 5]


def test_a_cleared_log_counts_on() -> None:
    log = ExchangeLog()
    log.add(exchange())

    log.clear()
    log.add(exchange())

    assert [number for number, _ in log] == [2]
