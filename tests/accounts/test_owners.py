"""All that is stored belongs to somebody: every table names a person, or leads to one."""

from bottega.storage.database import Database

OWNED = {
    "sessions": "owner",
    "projects": "owner",
    "passes": "person",
    "tabs": "person",
    "spent": "person",
    "calls": "person",
    "inbox": "person",
}
"""Tables that name the person, and the column that does."""

THROUGH = {
    "events": "session",
    "attachments": "session",
    "asks": "session",
    "client_tools": "session",
    "remotes": "session",
}
"""Tables that lead to a person by way of the session that a column numbers."""

NOBODYS = {
    "people": "they are the persons",
    "words": "a row has the number of its event",
}


def test_every_table_has_an_owner_or_leads_to_one(database: Database) -> None:
    tables = database.read_now(
        lambda c: c.execute(
            "SELECT name, type FROM pragma_table_list WHERE schema = 'main'"
            " AND type IN ('table', 'virtual') AND name NOT LIKE 'sqlite_%'"
        ).fetchall()
    )
    names = {name for name, _ in tables}
    assert names == OWNED.keys() | THROUGH.keys() | NOBODYS.keys()
    for table, column in {**OWNED, **THROUGH}.items():
        assert column in _columns(database, table), table
        assert _columns(database, table)[column], f"{table}.{column} may be nothing"


def test_what_a_foreign_key_leads_to_is_there(database: Database) -> None:
    for table in {**OWNED, **THROUGH}:
        keys = database.read_now(
            lambda c, table=table: c.execute(
                'SELECT "table" FROM pragma_foreign_key_list(?)', (table,)
            ).fetchall()
        )
        assert {target for (target,) in keys} <= {"people", "sessions"}


def _columns(database: Database, table: str) -> dict[str, bool]:
    """The columns of a table, and whether each must have a value."""
    rows = database.read_now(
        lambda c: c.execute('SELECT name, "notnull" FROM pragma_table_info(?)', (table,)).fetchall()
    )
    return {name: bool(must) for name, must in rows}
