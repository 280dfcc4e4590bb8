# shellcheck shell=sh disable=SC2015
# sota-coverage report --html: the page is written whole, says what the scorecard says, and works in a browser.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
git init -q repo && cd repo || exit 1
mkdir -p sotadb/seed src/kernels
cp "$root"/sotadb/seed/*.sql sotadb/seed/
printf '__global__ void stray(float *x) { x[0] = 1; }\n' >'src/kernels/<b>stray.cu'
git add -A && git commit -qm 'a tree with one stray kernel'

check 'a page is written' sota-coverage report --html ../out
page=$scratch/out/index.html
debt=$(sota-coverage | tail -n 1)
check_equal 'its last line is the number' "$(sota-coverage report --html ../out | tail -n 1)" "$debt"
check_has 'the title says the number' "$(grep '<title>' "$page")" "sota_debt ${debt#*=}</title>"
check_has 'a file name is text' "$(cat "$page")" '&lt;b&gt;stray.cu'
check_lacks 'and no markup' "$(cat "$page")" '<b>stray'
check_equal 'nothing is loaded from elsewhere' "$(grep -cE '<(link|img|iframe)|src=|@import|url\(' "$page")" 0
cp "$page" ../first.html && sota-coverage report --html ../out >/dev/null
check 'the same tree gives the same bytes' cmp "$page" ../first.html
check_exit 'without a folder it is asked for' 2 sota-coverage report
touch ../file
check_exit 'a folder that cannot be made is said' 2 sota-coverage report --html ../file/out
check_has 'by name' "$tap_out" file/out
check 'a revision is read as well' sota-coverage report --html ../rev HEAD
check_has 'and named' "$(cat ../rev/index.html)" "$(git rev-parse --short=12 HEAD)"

# --- the history -------------------------------------------------------------------------------------------------
check_has 'the debt over time is drawn' "$(cat "$page")" '<svg class="debt-plot"'
check_equal 'its rules hold in the plot alone' \
    "$(sed -n 's/^<style>\(.*\)<\/style>$/\1/p' "$page" | tr '}' '\n' | grep -c '^[^.]\|^\.[^d]')" 0
sota-coverage report --no-history --html ../plain >/dev/null
check_lacks 'or is left out' "$(cat ../plain/index.html)" 'id="history"'
echo more >more.txt && git add -A && git commit -qm 'more'
git clone -q --depth 1 "file://$PWD" ../cut && sota-coverage report -C ../cut --html ../cut.html >/dev/null 2>../cut.err
check_equal 'a shallow clone has a page' "$?" 0
check_has 'which says why it has no plot' "$(cat ../cut.html/index.html)" 'No plot: this is a shallow clone'
check_has 'and so does the command' "$(cat ../cut.err)" 'git fetch --unshallow'

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
# dom URL-SUFFIX FILE: the document as the browser has it after the scripts ran, and what they complained of
dom() {
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$scratch/profile" \
        --virtual-time-budget=5000 --enable-logging=stderr --dump-dom "file://$2$1" 2>"$scratch/console"
}
rows() { grep -c "<tr id=\"op-[^>]*>" ; }
hidden() { grep -c "<tr id=\"op-[^>]* hidden=\"\">"; }
if [ -z "$browser" ]; then
    tap_skip 'the page in a browser' 'no chromium here (sh tools/setup check installs it)'
else
    dom '' "$page" >../plain.dom
    all=$(rows <../plain.dom)
    check_has 'the filter counts the operations' "$(cat ../plain.dom)" "$all operations</output>"
    check_equal 'no script complains' "$(grep -c CONSOLE "$scratch/console")" 0
    dom '#q=awq&status=selected' "$page" >../some.dom
    shown=$(($(rows <../some.dom) - $(hidden <../some.dom)))
    check_has 'an address filters the table' "$(cat ../some.dom)" "$shown of $all operations</output>"
    check 'to some rows and not to none' [ "$shown" -ge 1 ] && [ "$shown" -lt "$all" ]
    dom '#op-awq-gemm' "$page" >../open.dom
    check_has 'an address opens an operation' "$(grep -A3 'id="op-awq-gemm"' ../open.dom)" '<details open="">'
    sed 's|^</body>|<script>parent.postMessage(document.documentElement.scrollWidth - document.documentElement.clientWidth, "*")</script>&|' \
        "$page" >../phone.html
    printf '<iframe src="phone.html" width="360" height="800"></iframe><script>onmessage = (e) => { document.title = "wider by " + e.data; }</script>\n' \
        >../frame.html
    check_has 'nothing is wider than a phone' "$(dom '' "$scratch/frame.html")" '<title>wider by 0</title>'
fi
tap_end
