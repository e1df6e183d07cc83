-- SPDX-FileCopyrightText: 2026 The liquid engine developers
-- SPDX-License-Identifier: MIT
-- Schema 2 of the timings database. Ids of identities, problems and candidates are hashes of their
-- content (names.c), so that they are the same in every file. Run inside the transaction that also sets
-- application_id and user_version (migrate.c).

-- uuid: the origin of rows that are measured for this file
CREATE TABLE meta(
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE origins(
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE
) STRICT;

-- kind: 1 machine, 2 build, 3 device
CREATE TABLE identities(
    id INTEGER PRIMARY KEY,
    kind INTEGER NOT NULL CHECK (kind BETWEEN 1 AND 3)
) STRICT;

CREATE TABLE parts(
    identity INTEGER NOT NULL REFERENCES identities(id),
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (identity, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE problems(
    id INTEGER PRIMARY KEY,
    operation TEXT NOT NULL,
    key TEXT NOT NULL,
    work REAL NOT NULL,
    bytes REAL NOT NULL,
    UNIQUE (operation, key)
) STRICT;

-- device NULL: the CPU pool of the machine
CREATE TABLE candidates(
    id INTEGER PRIMARY KEY,
    operation TEXT NOT NULL,
    implementation TEXT NOT NULL,
    run_type TEXT NOT NULL,
    device INTEGER REFERENCES identities(id),
    params TEXT NOT NULL,
    source_hash TEXT NOT NULL
) STRICT;
CREATE INDEX candidates_operation ON candidates(operation);

-- Moments are of log seconds. seen counts all samples, in whatever class, but not the runs that were
-- stopped: stopped_s is the longest time that one of them had.
CREATE TABLE samples(
    id INTEGER PRIMARY KEY,
    origin INTEGER NOT NULL REFERENCES origins(id),
    machine INTEGER NOT NULL REFERENCES identities(id),
    build INTEGER NOT NULL REFERENCES identities(id),
    problem INTEGER NOT NULL REFERENCES problems(id),
    candidate INTEGER NOT NULL REFERENCES candidates(id),
    clean_n INTEGER NOT NULL CHECK (clean_n >= 0),
    clean_mean REAL NOT NULL,
    clean_m2 REAL NOT NULL CHECK (clean_m2 >= 0),
    contended_n INTEGER NOT NULL CHECK (contended_n >= 0),
    contended_mean REAL NOT NULL,
    contended_m2 REAL NOT NULL CHECK (contended_m2 >= 0),
    cold_n INTEGER NOT NULL CHECK (cold_n >= 0),
    cold_mean REAL NOT NULL,
    cold_m2 REAL NOT NULL CHECK (cold_m2 >= 0),
    min_s REAL CHECK (min_s > 0),
    max_s REAL CHECK (max_s >= min_s),
    cpu_s REAL NOT NULL,
    cpu_n INTEGER NOT NULL,
    setup_s REAL NOT NULL,
    peak_bytes INTEGER NOT NULL,
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    seen INTEGER NOT NULL CHECK (seen = clean_n + contended_n + cold_n),
    sketch BLOB NOT NULL,
    stopped_n INTEGER NOT NULL DEFAULT 0 CHECK (stopped_n >= 0),
    stopped_s REAL NOT NULL DEFAULT 0 CHECK (stopped_s >= 0),
    stopped_cold_n INTEGER NOT NULL DEFAULT 0 CHECK (stopped_cold_n >= 0),
    stopped_cold_s REAL NOT NULL DEFAULT 0 CHECK (stopped_cold_s >= 0),
    UNIQUE (problem, candidate, machine, build, origin)
) STRICT;

CREATE TABLE raw_samples(
    samples INTEGER NOT NULL REFERENCES samples(id) ON DELETE CASCADE,
    slot INTEGER NOT NULL CHECK (slot BETWEEN 0 AND 31),
    seconds REAL NOT NULL,
    setup_s REAL NOT NULL,
    kernel_s REAL NOT NULL,
    transfer_s REAL NOT NULL,
    cpu_s REAL NOT NULL,
    peak_bytes INTEGER NOT NULL,
    date_ms INTEGER NOT NULL,
    load REAL NOT NULL,
    steal REAL NOT NULL,
    throttled REAL NOT NULL,
    pressure REAL NOT NULL,
    flags INTEGER NOT NULL,
    PRIMARY KEY (samples, slot)
) STRICT, WITHOUT ROWID;

-- errors: 18 doubles, little-endian
CREATE TABLE verdicts(
    machine INTEGER NOT NULL REFERENCES identities(id),
    build INTEGER NOT NULL REFERENCES identities(id),
    candidate INTEGER NOT NULL REFERENCES candidates(id),
    size_class TEXT NOT NULL,
    state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 3),
    errors BLOB NOT NULL CHECK (length(errors) = 144),
    reason TEXT NOT NULL,
    date_ms INTEGER NOT NULL,
    attempts INTEGER NOT NULL CHECK (attempts >= 0),
    PRIMARY KEY (candidate, machine, size_class)
) STRICT, WITHOUT ROWID;

CREATE TABLE choices(
    machine INTEGER NOT NULL REFERENCES identities(id),
    build INTEGER NOT NULL REFERENCES identities(id),
    problem INTEGER NOT NULL REFERENCES problems(id),
    constraint_text TEXT NOT NULL,
    objective TEXT NOT NULL,
    candidate INTEGER NOT NULL REFERENCES candidates(id),
    evidence TEXT NOT NULL,
    date_ms INTEGER NOT NULL,
    PRIMARY KEY (problem, machine, constraint_text, objective)
) STRICT, WITHOUT ROWID;

CREATE TABLE accounts(
    origin INTEGER NOT NULL REFERENCES origins(id),
    machine INTEGER NOT NULL REFERENCES identities(id),
    build INTEGER NOT NULL REFERENCES identities(id),
    operation TEXT NOT NULL,
    answered_s REAL NOT NULL,
    explored_s REAL NOT NULL,
    regret_s REAL NOT NULL,
    calls INTEGER NOT NULL,
    date_ms INTEGER NOT NULL,
    PRIMARY KEY (operation, machine, build, origin)
) STRICT, WITHOUT ROWID;
