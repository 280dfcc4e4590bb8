-- The prior-art matrix. Rows are written in sotadb/seed/*.sql, one file a topic, as plain
-- INSERT INTO table (columns) VALUES (...), (...); sotac checks them and writes build/gen/sota_matrix.c.
-- sotadb/matrix.h is the same matrix as the C code sees it.
--
-- The name of a CHECK is what the author of a bad row reads: a fact about the column and what to write.
-- Every table remembers where its rows were written (file, line): the compiler fills both in.
-- References between tables are checked when all files are read, so the order of rows and files is free.

-- How far a capability has come in the field, and on which rung we stand.
CREATE TABLE ladder (
    axis TEXT NOT NULL PRIMARY KEY
        CONSTRAINT "axis is lower-case words joined by '-'" CHECK (axis GLOB '[a-z]*' AND axis NOT GLOB '*[^a-z0-9-]*'),
    title TEXT NOT NULL CONSTRAINT "title is empty: name the capability" CHECK (title <> ''),
    fak_rung INTEGER NOT NULL
        CONSTRAINT "fak_rung is a level of the ladder, or -1 where the axis is not implemented" CHECK (fak_rung >= -1),
    op TEXT REFERENCES op (slug), -- whose witness backs the rung
    position TEXT NOT NULL CONSTRAINT "position is empty: say in words where we stand" CHECK (position <> ''),
    file TEXT NOT NULL DEFAULT (seed_file()), line INTEGER NOT NULL DEFAULT (seed_line())
) STRICT;

-- The main line of a ladder: levels 0, 1, 2 ... in order of date, each a published technique that moved the
-- baseline. Never a claim about ourselves.
CREATE TABLE rung (
    axis TEXT NOT NULL REFERENCES ladder (axis),
    level INTEGER NOT NULL CONSTRAINT "level counts from 0" CHECK (level >= 0),
    technique TEXT NOT NULL CONSTRAINT "technique is empty: name it as the field does" CHECK (technique <> ''),
    year INTEGER NOT NULL CONSTRAINT "year is not a year" CHECK (year BETWEEN 1950 AND 2100),
    month INTEGER NOT NULL DEFAULT 0 CONSTRAINT "month is 1 to 12, or 0 when unknown" CHECK (month BETWEEN 0 AND 12),
    change TEXT NOT NULL CONSTRAINT "change is empty: say what the technique changed" CHECK (change <> ''),
    url TEXT NOT NULL CONSTRAINT "url is not an https:// link: give the paper or the repository" CHECK (url GLOB 'https://?*.?*' AND url NOT GLOB '*[^!-;=?-~]*'),
    file TEXT NOT NULL DEFAULT (seed_file()), line INTEGER NOT NULL DEFAULT (seed_line()),
    PRIMARY KEY (axis, level)
) STRICT;

-- What grew beside the main line: worth knowing at that level, no step that has to be taken to go higher.
CREATE TABLE branch (
    axis TEXT NOT NULL,
    level INTEGER NOT NULL, -- the rung it stands beside
    technique TEXT NOT NULL CONSTRAINT "technique is empty: name it as the field does" CHECK (technique <> ''),
    year INTEGER NOT NULL CONSTRAINT "year is not a year" CHECK (year BETWEEN 1950 AND 2100),
    month INTEGER NOT NULL DEFAULT 0 CONSTRAINT "month is 1 to 12, or 0 when unknown" CHECK (month BETWEEN 0 AND 12),
    change TEXT NOT NULL CONSTRAINT "change is empty: say what the technique changed" CHECK (change <> ''),
    url TEXT NOT NULL CONSTRAINT "url is not an https:// link: give the paper or the repository" CHECK (url GLOB 'https://?*.?*' AND url NOT GLOB '*[^!-;=?-~]*'),
    file TEXT NOT NULL DEFAULT (seed_file()), line INTEGER NOT NULL DEFAULT (seed_line()),
    PRIMARY KEY (axis, technique),
    FOREIGN KEY (axis, level) REFERENCES rung (axis, level)
) STRICT;

-- One operation that kernels perform.
CREATE TABLE op (
    slug TEXT NOT NULL PRIMARY KEY
        CONSTRAINT "slug is lower-case words joined by '-'" CHECK (slug GLOB '[a-z]*' AND slug NOT GLOB '*[^a-z0-9-]*'),
    title TEXT NOT NULL CONSTRAINT "title is empty: name the operation" CHECK (title <> ''),
    summary TEXT NOT NULL CONSTRAINT "summary is empty: say in one sentence what is computed" CHECK (summary <> ''),
    kind TEXT NOT NULL
        CONSTRAINT "kind is 'kernel' (the contraction itself) or 'format' (what has to be loaded first)" CHECK (kind IN ('kernel', 'format')),
    route TEXT NOT NULL
        CONSTRAINT "route is 'stay-minimal', 'bind' or 'borrow'" CHECK (route IN ('stay-minimal', 'bind', 'borrow')),
    route_note TEXT NOT NULL CONSTRAINT "route_note is empty: say why this route" CHECK (route_note <> ''),
    oracle TEXT NOT NULL DEFAULT '', -- what proves it right; seed_check and sota-coverage ask for it
    bottleneck TEXT NOT NULL CONSTRAINT "bottleneck is empty: say what is expected to limit it" CHECK (bottleneck <> ''),
    status TEXT NOT NULL
        CONSTRAINT "status is 'planned', 'selected' or 'shipped'" CHECK (status IN ('planned', 'selected', 'shipped')),
    selection TEXT NOT NULL DEFAULT '', -- what is chosen as the next step and not shipped yet
    plan TEXT NOT NULL DEFAULT '',      -- its falsifiable target: what to build and what would refute it
    axis TEXT REFERENCES ladder (axis),
    file TEXT NOT NULL DEFAULT (seed_file()), line INTEGER NOT NULL DEFAULT (seed_line()),
    CONSTRAINT "a 'selected' operation names its selection and its plan" CHECK (status <> 'selected' OR (selection <> '' AND plan <> ''))
) STRICT;

-- Further names that people type for it.
CREATE TABLE op_alias (
    op TEXT NOT NULL REFERENCES op (slug),
    alias TEXT NOT NULL PRIMARY KEY
        CONSTRAINT "alias is lower-case words joined by '-' or '_'" CHECK (alias GLOB '[a-z0-9]*' AND alias NOT GLOB '*[^a-z0-9_-]*'),
    file TEXT NOT NULL DEFAULT (seed_file()), line INTEGER NOT NULL DEFAULT (seed_line())
) STRICT;

-- Where its code lies, from the repository root. `*` stays within one folder, `**` does not.
CREATE TABLE op_path (
    op TEXT NOT NULL REFERENCES op (slug),
    glob TEXT NOT NULL
        CONSTRAINT "glob is a path from the repository root, without leading '/' or '..'" CHECK (glob <> '' AND glob NOT GLOB '/*' AND '/' || glob || '/' NOT GLOB '*/../*'),
    role TEXT NOT NULL CONSTRAINT "role is 'kernel', 'host' or 'loader'" CHECK (role IN ('kernel', 'host', 'loader')),
    planned INTEGER NOT NULL DEFAULT 0
        CONSTRAINT "planned is 1 while the file is not written yet, else 0" CHECK (planned IN (0, 1)),
    generates TEXT NOT NULL DEFAULT '', -- glob of files that this one generates
    file TEXT NOT NULL DEFAULT (seed_file()), line INTEGER NOT NULL DEFAULT (seed_line()),
    PRIMARY KEY (op, glob)
) STRICT;

-- Names of its kernels: `*` is any run of characters.
CREATE TABLE op_symbol (
    op TEXT NOT NULL REFERENCES op (slug),
    pattern TEXT NOT NULL CONSTRAINT "pattern is empty or matches everything: name the kernels" CHECK (pattern <> '' AND pattern GLOB '*[A-Za-z0-9]*'),
    file TEXT NOT NULL DEFAULT (seed_file()), line INTEGER NOT NULL DEFAULT (seed_line()),
    PRIMARY KEY (op, pattern)
) STRICT;

-- What to read before writing it. Every operation has at least one primary reference.
CREATE TABLE reference (
    op TEXT NOT NULL REFERENCES op (slug),
    name TEXT NOT NULL CONSTRAINT "name is empty: name the reference" CHECK (name <> ''),
    url TEXT NOT NULL CONSTRAINT "url is not an https:// link: give the page, file or repository to read" CHECK (url GLOB 'https://?*.?*' AND url NOT GLOB '*[^!-;=?-~]*'),
    kind TEXT NOT NULL CONSTRAINT "kind is 'primary', 'repo' or 'docs'" CHECK (kind IN ('primary', 'repo', 'docs')),
    note TEXT NOT NULL DEFAULT '', -- what to read there
    checked_on TEXT NOT NULL DEFAULT ''
        CONSTRAINT "checked_on is the day the link was read, YYYY-MM-DD, or empty" CHECK (checked_on = '' OR (checked_on GLOB '20[0-9][0-9]-*' AND checked_on IS date(checked_on, '+0 days'))),
    file TEXT NOT NULL DEFAULT (seed_file()), line INTEGER NOT NULL DEFAULT (seed_line()),
    PRIMARY KEY (op, url)
) STRICT;

CREATE TABLE paper (
    op TEXT NOT NULL REFERENCES op (slug),
    title TEXT NOT NULL CONSTRAINT "title is empty: give the paper's own title" CHECK (title <> ''),
    id TEXT NOT NULL CONSTRAINT "id is 'arXiv:YYMM.NNNNN' or 'doi:...'" CHECK (id GLOB 'arXiv:[0-9][0-9][0-9][0-9].[0-9]*' OR id GLOB 'doi:?*'),
    url TEXT NOT NULL CONSTRAINT "url is not an https:// link: give the paper's page" CHECK (url GLOB 'https://?*.?*' AND url NOT GLOB '*[^!-;=?-~]*'),
    year INTEGER NOT NULL CONSTRAINT "year is not a year" CHECK (year BETWEEN 1950 AND 2100),
    file TEXT NOT NULL DEFAULT (seed_file()), line INTEGER NOT NULL DEFAULT (seed_line()),
    PRIMARY KEY (op, id)
) STRICT;

-- A number that a lane has to reach against the oracle. C code asks for it by name (matrix_floor).
CREATE TABLE floor (
    name TEXT NOT NULL PRIMARY KEY
        CONSTRAINT "name is an identifier such as cudaAWQCosineMin" CHECK (name GLOB '[a-zA-Z]*' AND name NOT GLOB '*[^A-Za-z0-9]*'),
    metric TEXT NOT NULL
        CONSTRAINT "metric is a lower-case word: 'cosine', 'nmse' ..." CHECK (metric GLOB '[a-z]*' AND metric NOT GLOB '*[^a-z0-9_]*'),
    value REAL NOT NULL
        CONSTRAINT "value is above 0, and a cosine at most 1" CHECK (value > 0 AND (metric <> 'cosine' OR value <= 1)),
    state TEXT NOT NULL
        CONSTRAINT "state is 'recorded' (written down) or 'measured' (seen on the device)" CHECK (state IN ('recorded', 'measured')),
    note TEXT NOT NULL CONSTRAINT "note is empty: say where the number comes from" CHECK (note <> ''),
    file TEXT NOT NULL DEFAULT (seed_file()), line INTEGER NOT NULL DEFAULT (seed_line())
) STRICT;

-- What proves the operation on one device.
CREATE TABLE witness (
    op TEXT NOT NULL REFERENCES op (slug),
    device TEXT NOT NULL CONSTRAINT "device is 'cpu', 'cuda', 'metal', 'nccl' or 'mpi'" CHECK (device IN ('cpu', 'cuda', 'metal', 'nccl', 'mpi')),
    metric TEXT NOT NULL CONSTRAINT "metric is empty: say what is compared with what" CHECK (metric <> ''),
    floor TEXT REFERENCES floor (name),
    test TEXT NOT NULL DEFAULT '' -- its file
        CONSTRAINT "test is a path from the repository root, without leading '/' or '..'" CHECK (test NOT GLOB '/*' AND '/' || test NOT GLOB '*/../*'),
    planned INTEGER NOT NULL DEFAULT 0
        CONSTRAINT "planned is 1 while the lane has no test, else 0" CHECK (planned IN (0, 1) AND (planned = 0 OR test = '')),
    acceptance TEXT NOT NULL DEFAULT ''
        CONSTRAINT "acceptance scripts are for device lanes: a cpu witness runs in the test suite" CHECK (acceptance = '' OR device <> 'cpu')
        CONSTRAINT "acceptance is a path from the repository root, without leading '/' or '..'" CHECK (acceptance NOT GLOB '/*' AND '/' || acceptance NOT GLOB '*/../*'),
    file TEXT NOT NULL DEFAULT (seed_file()), line INTEGER NOT NULL DEFAULT (seed_line()),
    PRIMARY KEY (op, device, metric)
) STRICT;

-- A gap that is accepted, and why. `sota-coverage --explain FINGERPRINT` gives the row to write.
CREATE TABLE suppression (
    class TEXT NOT NULL
        CONSTRAINT "class is what `sota-coverage --explain` calls the gap: 'uncovered' ..." CHECK (class GLOB '[a-z]*' AND class NOT GLOB '*[^a-z-]*'),
    op TEXT NOT NULL DEFAULT '',     -- '': any
    path TEXT NOT NULL DEFAULT '',   -- a path or glob; '': any
    detail TEXT NOT NULL DEFAULT '', -- the kernel, device or axis; '': any
    reason TEXT NOT NULL CONSTRAINT "reason is empty: say why the gap is accepted" CHECK (reason <> ''),
    file TEXT NOT NULL DEFAULT (seed_file()), line INTEGER NOT NULL DEFAULT (seed_line()),
    PRIMARY KEY (class, op, path, detail),
    CONSTRAINT "a suppression names an op, a path or a detail: a whole class cannot be accepted" CHECK (op <> '' OR path <> '' OR detail <> '')
) STRICT;

-- A measured figure and everything needed to repeat it. The peer's figure from the same run is a row too.
CREATE TABLE bench (
    op TEXT NOT NULL REFERENCES op (slug),
    number REAL NOT NULL,
    unit TEXT NOT NULL CONSTRAINT "unit is empty: 'tok/s', 'GB/s' ..." CHECK (unit <> ''),
    model TEXT NOT NULL CONSTRAINT "model is empty: name the model or the shape" CHECK (model <> ''),
    quant TEXT NOT NULL CONSTRAINT "quant is empty: 'Q8_0', 'F32' ..." CHECK (quant <> ''),
    machine TEXT NOT NULL CONSTRAINT "machine is empty: name the processor and the threads used" CHECK (machine <> ''),
    backend TEXT NOT NULL CONSTRAINT "backend is empty: 'cpu avx2', 'cuda sm_90' ..." CHECK (backend <> ''),
    engine TEXT NOT NULL CONSTRAINT "engine is empty: 'fak', 'llama.cpp', 'vLLM', 'SGLang' ..." CHECK (engine <> ''),
    baseline TEXT NOT NULL CONSTRAINT "baseline is empty: the peer's figure from the same run, or 'none'" CHECK (baseline <> ''),
    commit_id TEXT NOT NULL CONSTRAINT "commit_id is empty: the commit or release that was measured" CHECK (commit_id <> ''),
    public_commit INTEGER NOT NULL CONSTRAINT "public_commit is 1 when anyone can fetch the commit, else 0" CHECK (public_commit IN (0, 1)),
    artifact TEXT NOT NULL DEFAULT '', -- file with the raw figures
    command TEXT NOT NULL CONSTRAINT "command is empty: what to type to measure it again" CHECK (command <> ''),
    regime TEXT NOT NULL
        CONSTRAINT "regime is 'deterministic' (the same on any machine) or 'wall-clock'" CHECK (regime IN ('deterministic', 'wall-clock')),
    measured_on TEXT NOT NULL
        CONSTRAINT "measured_on is the day of the run, YYYY-MM-DD" CHECK (measured_on GLOB '20[0-9][0-9]-*' AND measured_on IS date(measured_on, '+0 days')),
    file TEXT NOT NULL DEFAULT (seed_file()), line INTEGER NOT NULL DEFAULT (seed_line()),
    PRIMARY KEY (op, measured_on, model, quant, machine, backend, engine, unit, commit_id, command)
) STRICT;
