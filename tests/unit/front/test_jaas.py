"""A login module is read as Kafka's clients read it."""

from __future__ import annotations

import pytest

from highwater.jaas import login_in

MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ('"plain"', "plain"),
        ("'single \"quotes\"'", 'single "quotes"'),
        (r"'it\'s'", "it's"),
        (r'"a\nb\rc\td"', "a\nb\rc\td"),
        (r'"\101\0477\400"', "A'7 0"),
        (r'"\"\\\q\8"', '"\\q8'),
        ('"a;b=c//d/*e"', "a;b=c//d/*e"),
        ("bare-word_$.1", "bare-word_$.1"),
        ("пароль", "пароль"),
        ("geheim§x", "geheim§x"),
        ("\xa0a", "\xa0a"),
        ("£", "£"),
        ("٣a", "٣a"),
        ("😀", "😀"),
        ('"\\\n"', "\n"),
    ],
)
def test_a_value_is_what_java_makes_of_it(written: str, meant: str) -> None:
    found = login_in(f'{MODULE}  Required username="u"\n\tpassword = {written};')

    assert found == (MODULE, {"username": "u", "password": meant})


@pytest.mark.parametrize(
    "written",
    [
        "",
        MODULE,
        f'{MODULE} required password="p"',
        f'{MODULE} password="p";',
        f'{MODULE} needed password="p";',
        f"{MODULE} required password;",
        f"{MODULE} required password=;",
        f'{MODULE} required password="p\n";',
        f'{MODULE} required password="p;',
        f"{MODULE} required password='p\";",
        f"{MODULE} required password=1secret;",
        f"{MODULE} required password=secret@home;",
        f"{MODULE} required password=secret\x9f;",
        f"{MODULE} required password=-secret;",
        f'{MODULE} required /* now */ password="secret";',
        f'{MODULE} required password="p"; {MODULE} required password="secret";',
    ],
)
def test_what_java_would_not_take_is_refused_and_not_quoted(written: str) -> None:
    with pytest.raises(ValueError, match="expected") as raised:
        login_in(written)

    assert "secret" not in str(raised.value)
