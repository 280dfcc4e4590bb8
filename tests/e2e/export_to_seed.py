"""Turns `fak sota export` (on stdin) back into seed SQL (on stdout): what the export leaves out cannot come back."""
import json
import sys

matrix = json.load(sys.stdin)


def literal(value):
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, (int, float)):
        return repr(value)
    return "'" + value.replace("'", "''") + "'"


def insert(table, row):
    """Columns whose value is empty are left to their default."""
    given = {name: literal(value) for name, value in row.items() if literal(value) is not None}
    print(f"INSERT INTO {table} ({', '.join(given)}) VALUES ({', '.join(given.values())});")


def without(row, *names):
    return {name: value for name, value in row.items() if name not in names}


for row in matrix["ladders"]:
    insert("ladder", row)
for row in matrix["rungs"]:
    insert("rung", row)
for row in matrix["branches"]:
    insert("branch", row)
for row in matrix["ops"]:
    insert("op", without(row, "aliases"))
    for alias in filter(None, row["aliases"].split(",")):
        insert("op_alias", {"op": row["slug"], "alias": alias.strip()})
for row in matrix["paths"]:
    insert("op_path", row)
for row in matrix["symbols"]:
    insert("op_symbol", row)
for row in matrix["references"]:
    insert("reference", row)
for row in matrix["papers"]:
    insert("paper", row)
for row in matrix["floors"]:
    insert("floor", row)
for row in matrix["witnesses"]:
    insert("witness", without({**row, "floor": row["floor_name"]}, "floor_name", "state"))
for row in matrix["benches"]:
    insert("bench", without({**row, "commit_id": row["commit"]}, "commit"))
for row in matrix["suppressions"]:
    insert("suppression", row)
