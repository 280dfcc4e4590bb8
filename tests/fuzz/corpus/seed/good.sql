-- one of everything
INSERT INTO ladder (axis, title, fak_rung, position) VALUES ('a', 'A', -1, 'p');
INSERT INTO rung (axis, level, technique, year, month, change, url) VALUES ('a', 0, 't', 2020, 1, 'c', 'https://a.b');
INSERT INTO branch (axis, level, technique, year, change, url) VALUES ('a', 0, 'u', 2020, 'c', 'https://a.b');
INSERT INTO op (slug, title, summary, kind, route, route_note, oracle, bottleneck, status) VALUES
('x', 't', 's', 'kernel', 'bind', 'n', 'o', 'b', 'planned'), /* and */ ('y', 't''t' || 'u', 's', 'format', 'borrow', 'n', 'o', 'b', 'planned');
INSERT INTO op_alias (op, alias) VALUES ('x', 'z');
INSERT INTO op_path (op, glob, role, planned) VALUES ('x', 'a/*.c', 'kernel', 1), ('y', 'b.c', 'loader', 0);
INSERT INTO op_symbol (op, pattern) VALUES ('x', 'k_*');
INSERT INTO reference (op, name, url, kind) VALUES ('x', 'r', 'https://a.b', 'primary'), ('y', 'r', 'https://a.b', 'primary');
INSERT INTO paper (op, title, id, url, year) VALUES ('x', 't', 'arXiv:2205.14135', 'https://a.b', 2022);
INSERT INTO floor (name, metric, value, state, note) VALUES ('f', 'cosine', 0.5, 'recorded', 'n');
INSERT INTO witness (op, device, metric, floor) VALUES ('x', 'cuda', 'm', 'f');
INSERT INTO bench (op, number, unit, model, quant, machine, backend, engine, baseline, commit_id, public_commit, command, regime, measured_on)
VALUES ('x', 1.5, 'tok/s', 'm', 'F32', 'c', 'cpu', 'fak', 'none', 'abc', 1, 'x', 'wall-clock', '2026-11-30');
