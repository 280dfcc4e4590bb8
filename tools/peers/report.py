"""What a raw log of bench-peers says: medians, ratios to the best peer, bars met or missed; as Markdown and as seed rows."""
import collections
import pathlib
import re
import statistics
import textwrap

NAMES = {
    "fak": "fak", "fak-8": "fak, 8-bit activations", "fak-cache": "fak, cached panels", "fak-f16": "fak, F16 KV", "fak-q8": "fak, Q8_0 KV",
    "lc": "llama.cpp", "lc-map": "llama.cpp, mapped only", "ik": "ik_llama.cpp", "ik-rtr": "ik_llama.cpp -rtr 1",
}
PEERS = ("lc", "ik", "ik-rtr")
README = pathlib.Path("README.md")
PAGE = pathlib.Path("docs/cpu-bench.md")
SEED = pathlib.Path("sotadb/seed/91-bench-cpu.sql")
BEGIN, END = "<!-- bench-peers: begin -->", "<!-- bench-peers: end -->"


class Samples:
    """The samples of a log; figures are medians."""

    def __init__(self, path):
        self.path, self.comments = path, []
        self.values = collections.defaultdict(list)
        self.models = collections.defaultdict(list)  # of each part, in order
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("#"):
                self.comments.append(line[2:])
                continue
            part, model, threads, engine, figure, value = line.split("\t")
            self.values[part, model, int(threads), engine, figure].append(value)
            if part not in ("roof", "fact") and model not in self.models[part]:
                self.models[part].append(model)

    def all(self, *key):
        return [float(value) for value in self.values.get(key, ())]

    def median(self, *key):
        values = self.all(*key)
        return statistics.median(values) if values else None

    def fact(self, model, name):
        return self.values["fact", model, 0, "-", name][0]

    def roof(self, threads, name):
        """The best that was seen: a limit is no average."""
        return max(self.all("roof", "-", threads, "-", name))

    def threads(self, part, model):
        return sorted({key[2] for key in self.values if key[:2] == (part, model)})

    def best_peer(self, part, model, threads, test, among=PEERS):
        """The engine of the best peer's best configuration, and its figure."""
        found = [(self.median(part, model, threads, name, test), name) for name in among]
        found = [(value, name) for value, name in found if value]
        return max(found) if found else (None, None)

    def share(self, model, threads, test, value):
        """Of the roof that bounds it."""
        if test.startswith("tg"):
            return value * float(self.fact(model, "read_bytes_per_token")) / self.roof(threads, "read_bytes")
        peak = "f32_ops" if model.endswith("F16") else "int8_ops"
        return value * float(self.fact(model, "ops_per_prompt_token")) / self.roof(threads, peak)

    def tests(self, part):
        """Of a part, prompts first."""
        return sorted({key[4] for key in self.values if key[0] == part})

    def comment(self, start):
        """Of the last run that says it."""
        return next((text[len(start):].strip() for text in reversed(self.comments) if text.startswith(start)), "")


def quant(model):
    return model.split("-", 1)[1]


# --- bars -------------------------------------------------------------------------------------------------------------
# Each is (what, figure, bar, met). The figures to reach are those of the issue that asked for them, "CPU lanes at the
# limit of the machine".

def ratio_bar(what, value, against, least):
    return (what, f"{value / against:.2f} ×", f"≥ {least} ×", value >= least * against)


def decode_bar(samples, part, model, threads, engine, test):
    """A ratio, or a share of what can be read, whichever is lower."""
    value = samples.median(part, model, threads, engine, test)
    peer, _ = samples.best_peer(part, model, threads, test)
    least, of_roof = (1.15, 0.80) if threads == 1 else (1.25, 0.85)
    share = samples.share(model, threads, test, value)
    return (f"{NAMES[engine]} to the best peer, or of reading", f"{value / peer:.2f} ×, {share:.0%}",
            f"≥ {least} × or {of_roof:.0%}", value >= least * peer or share >= of_roof)


def prompt_bars(samples, part, model, threads, test):
    value, eight = (samples.median(part, model, threads, engine, test) for engine in ("fak", "fak-8"))
    peer, _ = samples.best_peer(part, model, threads, test)
    lc = samples.median(part, model, threads, "lc", test)
    is_float = part == "float"
    if value and peer and part != "small":
        yield ratio_bar("fak to the best peer", value, peer, 0.7 if is_float else 0.9)
        if quant(model) in ("Q4_K_M", "Q4_0") and lc:
            yield ratio_bar("fak to llama.cpp", value, lc, 1.4)
    if eight and peer:
        yield ratio_bar("fak, 8-bit activations to the best peer", eight, peer, 1.3 if is_float else 1.35)
        if "_K" in model and part == "main":
            share = samples.share(model, threads, test, eight)
            yield ("fak, 8-bit activations of the dot-product peak", f"{share:.0%}", "≥ 55%", share >= 0.55)


def reply_bars(samples, part, model, threads, test):
    for engine in ("fak", "fak-8"):
        value = samples.median(part, model, threads, engine, test)
        peer, _ = samples.best_peer(part, model, threads, test)
        if not value or not peer:
            continue
        if part != "small":
            yield decode_bar(samples, part, model, threads, engine, test)
        elif engine == "fak-8":
            yield ratio_bar(f"{NAMES[engine]} to the best peer", value, peer, 1.3)


# --- the page ---------------------------------------------------------------------------------------------------------

def number(value):
    return "" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def spread(samples, key):
    values = samples.all(*key)
    return f"{number(statistics.median(values))} ({number(min(values))} to {number(max(values))})" if values else ""


def speed_rows(samples, part):
    """A line for each model, threads and test: each engine's median, least and most."""
    engines = [name for name in ("fak", "fak-8", *PEERS) if any(key[0] == part and key[3] == name for key in samples.values)]
    yield "| weights | threads | test | " + " | ".join(NAMES[name] for name in engines) + " |"
    yield "|---|--:|---|" + "--:|" * len(engines)
    for model in samples.models[part]:
        for threads in samples.threads(part, model):
            for test in samples.tests(part):
                cells = [spread(samples, (part, model, threads, name, test)) for name in engines]
                yield f"| {quant(model)} | {threads} | {test} | {' | '.join(cells)} |"


def bar_rows(samples, part):
    yield "| weights | threads | test | what | reached | bar | |"
    yield "|---|--:|---|---|--:|--:|---|"
    for model in samples.models[part]:
        for threads in samples.threads(part, model):
            for test in samples.tests(part):
                bars = prompt_bars if test.startswith("pp") else reply_bars
                for what, figure, bar, met in bars(samples, part, model, threads, test):
                    yield f"| {quant(model)} | {threads} | {test} | {what} | {figure} | {bar} | {'met' if met else '**missed**'} |"


def depth_rows(samples):
    """What is left of the speed at depth 0."""
    yield "| weights | test | engine | at depth 0 | at depth 4096 | lost | bar | |"
    yield "|---|---|---|--:|--:|--:|--:|---|"
    bars = {("fak-f16", "tg"): 0.30, ("fak-f16", "pp"): 0.45, ("fak-q8", "pp"): 0.25}
    for model in samples.models["depth"]:
        for key in sorted({key for key in samples.values if key[:2] == ("depth", model) and "@" in key[4]},
                          key=lambda key: (key[4], list(NAMES).index(key[3]))):
            deep, flat = samples.median(*key), samples.median(*key[:4], key[4].split("@")[0])
            if not flat:
                continue
            lost, bar = 1 - deep / flat, bars.get((key[3], key[4][:2]))
            cells = (f"at most {bar:.0%}", "met" if lost <= bar else "**missed**") if bar else ("", "")
            yield (f"| {quant(model)} | {key[4].split('@')[0]} | {NAMES[key[3]]} | {number(flat)} | {number(deep)} | "
                   f"{lost:.0%} | {' | '.join(cells)} |")


def load_rows(samples):
    """From start to exit after one token, and the most memory."""
    yield "| weights | engine | seconds | to llama.cpp mapped only | bar | | peak memory | of the file | bar | |"
    yield "|---|---|--:|--:|--:|---|--:|--:|--:|---|"
    for model in samples.models["load"]:
        threads = max(samples.threads("load", model))
        mapped = samples.median("load", model, threads, "lc-map", "seconds")
        size = float(samples.fact(model, "file_bytes"))
        for engine in ("fak", "fak-cache", "lc", "lc-map", "ik"):
            seconds = samples.median("load", model, threads, engine, "seconds")
            peak = samples.median("load", model, threads, engine, "peak_bytes")
            if not seconds:
                continue
            ours, most = engine.startswith("fak"), 1.1 if engine == "fak-cache" else 1.5
            time_bar = (f"≤ {most} ×", "met" if seconds <= most * mapped else "**missed**") if ours and mapped else ("", "")
            size_bar = ("≤ 1.15 × + KV", "met" if peak <= 1.15 * size + (32 << 20) else "**missed**") if ours else ("", "")
            yield (f"| {quant(model)} | {NAMES[engine]} | {seconds:.2f} | {seconds / mapped if mapped else 0:.2f} × | "
                   f"{' | '.join(time_bar)} | {peak / 2**20:.0f} MiB | {peak / size:.2f} × | {' | '.join(size_bar)} |")


def kind_rows(samples):
    """Each kind of weights against Q4_K_M of the same shape of model, per weight that a token is multiplied by."""
    yield "| weights | threads | test | fak | per weight, to Q4_K_M | fak, 8-bit activations | per weight, to Q4_K_M | bar | |"
    yield "|---|--:|---|--:|--:|--:|--:|--:|---|"
    base = samples.models["kinds"][0]
    for model in samples.models["kinds"]:
        work = float(samples.fact(model, "ops_per_prompt_token")) / float(samples.fact(base, "ops_per_prompt_token"))
        for threads in samples.threads("kinds", model):
            for test in samples.tests("kinds"):
                cells, met = [], True
                for engine in ("fak", "fak-8"):
                    value, against = (samples.median("kinds", name, threads, engine, test) for name in (model, base))
                    cells += [number(value), f"{value * work / against:.2f} ×"]
                    met &= value * work >= 0.7 * against
                yield f"| {model} | {threads} | {test} | {' | '.join(cells)} | ≥ 0.7 × | {'met' if met else '**missed**'} |"


TITLES = {
    "main": "1B: quantised weights", "float": "1B: weights of floats", "small": "110M",
}
HOW = """\
Figures are tokens a second, the median of the runs, and the least and the most of them in brackets. Engines take turns: a shared machine
changes by a factor within minutes, so that only what was measured side by side can be compared. All read the same GGUF files, which
`fak bench --synth` makes (random weights; the 1B shape is Llama-3.2-1B's with 32,000 tokens, 1.04 G parameters). Of each peer its
best configuration counts, for each test anew; fak has one. fak multiplies by activations of sixteen bits and keeps F32 keys and values
unless a column says otherwise; the peers multiply by eight bits and keep F16. The peak of 8-bit dot products is that of whole bytes; on
AVX2 the products of codes of few bits may be added up in words, which takes fewer instructions, and go past it."""


def roof_lines(samples):
    for threads in sorted({key[2] for key in samples.values if key[0] == "roof"}):
        yield (f"* {threads} thread{'s' * (threads > 1)}: reads {samples.roof(threads, 'read_bytes') / 1e9:.1f} GB/s, int8 dot products "
               f"{samples.roof(threads, 'int8_ops') / 1e9:.0f} Gop/s, f32 {samples.roof(threads, 'f32_ops') / 1e9:.0f} GFLOP/s")


def machine(samples):
    return samples.comment("machine: ").split(",")[0]


def day(samples):
    return samples.comment("bench-peers, ")[:10]


def page(logs):
    yield "# Speed on a CPU, beside the peers"
    yield ""
    yield HOW
    for samples in logs:
        yield from ("", *machine_lines(samples))


def machine_lines(samples):
    """What one log says."""
    yield f"## {machine(samples)}, {day(samples)}"
    yield ""
    yield f"Written by `tools/bench-peers` from [{samples.path.name}](bench/{samples.path.name}), every sample of the run."
    yield ""
    for start in ("machine: ", "fak: ", "llama.cpp: ", "ik_llama.cpp: ", "each engine under: "):
        if samples.comment(start):
            yield f"* {start}{samples.comment(start)}"
    yield "* noise: " + noise(samples)
    yield ""
    yield "What this machine can do at most, by `fak bench`, the best over the whole run:"
    yield ""
    yield from roof_lines(samples)
    for part, title in TITLES.items():
        if samples.models[part]:
            yield from ("", f"### {title}", "", *speed_rows(samples, part), "", *bar_rows(samples, part))
    if samples.models["kinds"]:
        yield from ("", "### Other weights", "", *kind_rows(samples))
    if samples.models["depth"]:
        yield from ("", "### Depth", "", *depth_rows(samples))
    if samples.models["load"]:
        yield from ("", "### Start, first token, memory", "",
                    "From start to exit after one token, the file in the page cache; memory is the most that was resident.", "",
                    *load_rows(samples))


def noise(samples):
    """How far the runs of one figure lie apart."""
    apart = [max(values) / min(values) - 1 for values in
             (samples.all(*key) for key in samples.values if key[0] in TITLES) if len(values) > 1]
    loads = [float(found.group(1)) for found in map(re.compile(r".*load ([\d.]+)$").match, samples.comments) if found]
    return (f"the runs of a figure lie {statistics.median(apart):.0%} apart in the median, {max(apart):.0%} at most"
            if apart else "one run each") + f"; load average {min(loads):.1f} to {max(loads):.1f}"


# --- README and seed --------------------------------------------------------------------------------------------------

def lane(samples):
    return next(values[0] for key, values in samples.values.items() if key[0] == "fact" and key[4] == "lane")


def cell(value, peer):
    return f"{number(value)} ({value / peer:.2f} ×)" if value and peer else number(value)


def readme_table(samples):
    yield "| weights | threads | prefill: fak | 8-bit | best peer | decode: fak | 8-bit | best peer |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for part in TITLES:
        tests = samples.tests(part)
        for model in samples.models[part]:
            for threads in samples.threads(part, model):
                cells = []
                for test in tests[:1] + tests[-1:]:
                    peer, name = samples.best_peer(part, model, threads, test)
                    for engine in ("fak", "fak-8"):
                        cells.append(cell(samples.median(part, model, threads, engine, test), peer))
                    cells.append(f"{number(peer)} {name}" if peer else "")
                yield f"| {model} | {threads} | {' | '.join(cells)} |"


def readme_text(logs):
    """A table of each log that has one."""
    return "\n\n".join([BEGIN, *(readme_part(samples) for samples in logs if any(samples.models[part] for part in TITLES)), END])


def readme_part(samples):
    table = "\n".join(readme_table(samples))
    tests = next(samples.tests(part) for part in TITLES if samples.models[part])
    prompt, reply = tests[0][2:], tests[-1][2:]
    about = textwrap.fill(
        f"Tokens a second on {machine(samples)} ({lane(samples)}), {day(samples)}, by `make bench-peers`: a prompt of {prompt} tokens, "
        f"{reply} tokens one by one; in brackets against the best configuration of llama.cpp (lc) and ik_llama.cpp (ik, ik-rtr) in the same run. "
        f"Noise: {noise(samples)}. [docs/cpu-bench.md](docs/cpu-bench.md) has all of it: each engine, depth, memory, the bars that are "
        "missed.", 150, break_long_words=False, break_on_hyphens=False)
    return f"{about}\n\n{table}"


def quoted(text):
    return "'" + str(text).replace("'", "''") + "'"


def seed_rows(samples):
    commit = samples.comment("fak: ").split(",")[0]
    commits = {"lc": samples.comment("llama.cpp: ").split(",")[0], "ik": samples.comment("ik_llama.cpp: ").split(" ")[0] or "unknown"}
    for part, model, threads, engine, test in samples.values:
        if part not in TITLES:
            continue
        value = samples.median(part, model, threads, engine, test)
        peer, name = samples.best_peer(part, model, threads, test)
        ours = engine.startswith("fak")
        op = "dense-f32-gemm" if part == "float" else "cpu-kquant-gemm" if "_K" in model else "block-quant-gemm"
        yield (quoted(op), number(value), quoted(f"tok/s {'prefill' if test.startswith('pp') else 'decode'} {test[2:]}"),
               quoted(f"{model.split('-', maxsplit=1)[0]}, random weights"), quoted(quant(model)),
               quoted(f"{machine(samples)}, {threads} thread{'s' * (threads > 1)}"),
               quoted(f"cpu {samples.fact(model, 'lane')}{', 8-bit activations' * engine.endswith('-8')}" if ours else
                      f"cpu native{', -rtr 1' * (engine == 'ik-rtr')}"),
               quoted("fak" if ours else NAMES[engine].split(" ", maxsplit=1)[0]),
               quoted(f"{NAMES[name]}: {number(peer)} tok/s in the same run" if ours and name else "none"),
               quoted(commit if ours else commits[engine[:2]]), "1", quoted(samples.path), quoted(f"make bench-peers PARTS={part}"),
               quoted("wall-clock"), quoted(day(samples)))


def seed(logs):
    for samples in logs:
        yield f"-- Written by tools/bench-peers from {samples.path}: medians of its samples."
    rows = [f"({', '.join(row)})" for samples in logs for row in seed_rows(samples)]
    if rows:
        yield "INSERT INTO bench (op, number, unit, model, quant, machine, backend, engine, baseline, commit_id, public_commit, artifact,"
        yield "                   command, regime, measured_on) VALUES"
        yield ",\n".join(rows) + ";"


def write(paths):
    """The three places, from the logs; returns the page. README's tables stand where nothing of them was measured."""
    logs = [Samples(path) for path in paths]
    text = "\n".join(page(logs)) + "\n"
    PAGE.write_text(text, encoding="utf-8")
    SEED.write_text("\n".join(seed(logs)) + "\n", encoding="utf-8")
    if not any(samples.models[part] for samples in logs for part in TITLES):
        return text
    readme = README.read_text(encoding="utf-8")
    before, found, rest = readme.partition(BEGIN)
    _, also, after = rest.partition(END)
    if not found or not also:
        raise SystemExit(f"bench-peers: {README} has no place for the table: {BEGIN} ... {END}")
    README.write_text(before + readme_text(logs) + after, encoding="utf-8")
    return text
