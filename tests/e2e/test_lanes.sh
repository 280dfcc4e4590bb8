# The same logits in every lane of this processor, for any number of threads, chunk and company. What another
# processor gives: tests/lanes/aarch64.sh.
. "$(dirname "$0")/tap.sh"
. "$root/tests/lanes/models.sh"
cd "$root" || exit 1
lanelogits=$BIN/tests/lanelogits
[ -x "$lanelogits" ] || { tap_skip "lanes" "built in release only"; tap_end; }

# every_lane MODEL: three ways of running it in each lane
every_lane() {
    want=$(lanes_hash "$lanelogits" "$1" isa=c chunk=1)
    differ=
    for lane in $lanes; do
        for way in "threads=1" "threads=2 chunk=7" "threads=3 chunk=64 strangers=5"; do
            # shellcheck disable=SC2086 # several words
            got=$(lanes_hash "$lanelogits" "$1" isa="$lane" $way)
            [ "$got" = "$want" ] || differ="$differ$lane $way: $got; "
        done
    done
    check_equal "$(basename "$1") in every lane" "$differ" ""
}

# every_way MODEL: each number of threads with each chunk, by turns alone and with strangers
every_way() {
    want=$(lanes_hash "$lanelogits" "$1" isa=c tokens=512)
    differ=
    for threads in 1 2 3 7; do
        for chunk in 1 7 64 512; do
            strangers=$(((threads + chunk) % 2 * 20))
            way="threads=$threads chunk=$chunk strangers=$strangers"
            # shellcheck disable=SC2086
            got=$(lanes_hash "$lanelogits" "$1" tokens=512 $way)
            [ "$got" = "$want" ] || differ="$differ$way: $got; "
        done
    done
    check_equal "$(basename "$1") in every way" "$differ" ""
}

# every_contract CONTRACT: every lane as the portable one, with other threads, chunks and company
every_contract() {
    story=models/fak-stories-Q8_0.gguf words=$(lanes_words "$1")
    # shellcheck disable=SC2086
    want=$(lanes_hash "$lanelogits" $story isa=c $words)
    echo "$want" >>"$scratch/contracts"
    differ=
    for lane in $lanes; do
        # shellcheck disable=SC2086
        got=$(lanes_hash "$lanelogits" $story isa="$lane" threads=3 chunk=7 strangers=3 $words)
        [ "$got" = "$want" ] || differ="$differ$lane: $got; "
    done
    # shellcheck disable=SC2086
    want=$(lanes_hash "$lanelogits" $story tokens=512 $words)
    for way in "threads=7 chunk=1" "threads=3 chunk=7 strangers=20" "threads=2 chunk=64 strangers=20" "threads=7 chunk=512"; do
        # shellcheck disable=SC2086
        got=$(lanes_hash "$lanelogits" $story tokens=512 $way $words)
        [ "$got" = "$want" ] || differ="$differ$way: $got; "
    done
    check_equal "$1" "$differ" ""
}

lanes=$("$lanelogits")
lanes_hash "$lanelogits" models/fak-stories-Q8_0.gguf isa=c >"$scratch/contracts"
check_has "the portable lane is among them" "$lanes" "c"
models=$(lanes_models)
for model in $models; do every_lane "$model"; done
every_way models/fak-stories-Q8_0.gguf
for contract in $(lanes_contracts); do every_contract "$contract"; done
check_equal "and no two contracts are one" "$(sort -u "$scratch/contracts" | wc -l)" 8
cpu=$(sed -nE 's/^Cpus_allowed_list:[^0-9]*([0-9]+).*/\1/p' /proc/self/status)
check_equal "seven threads on one CPU" \
    "$(lanes_hash taskset -c "$cpu" "$lanelogits" models/fak-stories-Q8_0.gguf threads=7 chunk=7)" "$(head -n 1 "$scratch/contracts")"
check_has "a lane of another processor is refused" \
    "$(lanes_hash "$lanelogits" models/fak-stories-Q8_0.gguf isa="$([ "$(uname -m)" = aarch64 ] && echo avx2 || echo neon)")" \
    "this CPU cannot run lane"
tap_end
