// Tables that are sorted by their headings and filtered by a text.
(() => {
  "use strict";

  const orderOf = (cell) => cell.dataset.order ?? cell.textContent.trim();
  const numberOf = (text) =>
    text === "inf" ? Infinity : text === "-inf" ? -Infinity : text === "" ? NaN : Number(text);

  function sort(table, heading) {
    const column = heading.cellIndex;
    const rising = heading.getAttribute("aria-sort") !== "ascending";
    const body = table.tBodies[0];
    const texts = Array.from(body.rows, (row) => orderOf(row.cells[column]));
    const numbers = texts.map(numberOf);
    const numeric = !numbers.some(Number.isNaN);
    const compared = numeric
      ? (a, b) => (numbers[a] === numbers[b] ? 0 : numbers[a] < numbers[b] ? -1 : 1)
      : (a, b) => texts[a].localeCompare(texts[b], undefined, { numeric: true });
    const rows = Array.from(body.rows);
    const places = rows.map((_, place) => place);
    places.sort((a, b) => (rising ? compared(a, b) : compared(b, a)) || a - b);
    body.append(...places.map((place) => rows[place]));
    for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
  }

  function filter(block, table, wanted) {
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      row.searched ??= row.textContent.toLowerCase();
      row.hidden = !words.every((word) => row.searched.includes(word));
      shown += row.hidden ? 0 : 1;
    }
    const all = table.tBodies[0].rows.length.toLocaleString("en");
    const count = block.querySelector("[data-count]");
    count.textContent = words.length ? `${shown.toLocaleString("en")} of ${all} rows` : `${all} rows`;
  }

  for (const block of document.querySelectorAll("[data-table]")) {
    const table = block.querySelector("table");
    for (const button of block.querySelectorAll("[data-sort]")) {
      button.addEventListener("click", () => sort(table, button.closest("th")));
    }
    const field = block.querySelector("[data-filter]");
    field?.addEventListener("input", () => filter(block, table, field.value));
  }
})();
