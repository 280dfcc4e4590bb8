"use strict";
// The filter, the sorting and the links into the table. The page is whole without this.
(() => {
  const form = document.getElementById("filter");
  const table = document.getElementById("ops");
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const text = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  const { q, status, route, gaps, found } = form.elements;
  form.hidden = false;

  function apply() {
    const words = q.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const row of rows) {
      const data = row.dataset;
      row.hidden = !(words.every((word) => text.get(row).includes(word)) &&
        (!status.value || data.status === status.value) &&
        (!route.value || data.route === route.value) &&
        (!gaps.checked || data.gaps !== "0"));
      n += !row.hidden;
    }
    found.value = n === rows.length ? `${n} operations` : `${n} of ${rows.length} operations`;
  }

  // What is filtered stands in the address, so that it can be sent to somebody.
  function remember() {
    const state = new URLSearchParams();
    if (q.value) state.set("q", q.value);
    if (status.value) state.set("status", status.value);
    if (route.value) state.set("route", route.value);
    if (gaps.checked) state.set("gaps", "1");
    history.replaceState(null, "", "#" + (state.toString() || "matrix"));
  }

  function openTarget() {
    const hash = decodeURIComponent(location.hash.slice(1));
    if (/^(q|status|route|gaps)=/.test(hash)) {
      const state = new URLSearchParams(location.hash.slice(1));
      q.value = state.get("q") || "";
      status.value = state.get("status") || "";
      route.value = state.get("route") || "";
      gaps.checked = state.get("gaps") === "1";
      apply();
      form.scrollIntoView();
      return;
    }
    const target = hash && document.getElementById(hash);
    if (!target) return;
    if (target.hidden) { form.reset(); apply(); }
    const details = target.matches("details") ? target : target.querySelector("details");
    if (details && /^(op|gap)-/.test(hash)) details.open = true;
    target.scrollIntoView();
  }

  function sortBy(column, header) {
    const down = header.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
    header.setAttribute("aria-sort", down ? "descending" : "ascending");
    const key = (row) => (column ? row.cells[column].textContent : row.id).trim();
    rows.sort((a, b) => key(a).localeCompare(key(b), "en", { numeric: true }));
    if (down) rows.reverse();
    body.append(...rows);
  }

  Array.from(table.tHead.rows[0].cells).forEach((header, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = header.textContent;
    button.addEventListener("click", () => sortBy(column, header));
    header.replaceChildren(button);
    header.setAttribute("aria-sort", column ? "none" : "ascending");
  });
  form.addEventListener("input", () => { apply(); remember(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  addEventListener("hashchange", openTarget);
  apply();
  openTarget();
})();
