// The page: sends commands, reads their progress as server-sent events, and shows the answer.
import { Drawing, pairKey } from "./graph.js";
import { visible } from "./names.js";
import { changeList, columnDetail, edgeDetail, fitDetail, made, name, nodeDetail } from "./panel.js";

const element = (id) => document.getElementById(id);
const page = { view: null, choice: null, busy: false, drawing: null };

// --- commands ------------------------------------------------------------------------------------

async function* events(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    let end;
    while ((end = text.indexOf("\n\n")) >= 0) {
      const fields = new Map(text.slice(0, end).split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
      text = text.slice(end + 2);
      yield { kind: fields.get("event"), data: JSON.parse(fields.get("data")) };
    }
  }
}

async function send(command, options = {}) {
  if (page.busy) return null;
  const said = JSON.stringify({ command, arguments: options });
  working(true, command);
  try {
    const response = await fetch("command", { method: "POST", headers: { "content-type": "application/json" }, body: said });
    if (!response.ok) return failed((await response.json()).problem, response.status);
    for await (const { kind, data } of events(response)) {
      if (kind === "progress") progressed(data);
      else if (kind === "failed") return failed(data.problem);
      else return data;
    }
    return failed("The explorer ended in the middle of its work.");
  } catch (problem) {
    return failed("The explorer does not answer; start it again in the terminal.");
  } finally {
    working(false);
  }
}

function failed(problem, status = 0) {
  if (status === 409) page.wait = true;
  element("problem").textContent = problem;
  element("problem").hidden = false;
  return null;
}

function working(busy, command = "") {
  page.busy = busy;
  document.body.toggleAttribute("data-busy", busy);
  clearTimeout(page.showing);
  if (busy) {
    element("problem").hidden = true;
    element("progress-text").textContent = command === "fit" ? "testing" : "searching";
    page.showing = setTimeout(() => { element("progress").hidden = false; }, 120);
  } else {
    element("progress").hidden = true;
  }
  controls();
}

function progressed(told) {
  const parts = [told.phase, `${told.tests.toLocaleString("en")} tests`, `${told.seconds.toFixed(1)} s`];
  element("progress-text").textContent = parts.join(" · ");
}

async function change(command, options) {
  const answer = await send(command, options);
  if (answer === null) return;
  const fresh = new Set(answer.changes.map((one) => pairKey(one.left, one.right)));
  element("changes").replaceChildren(...changeList(answer.changes));
  element("changes").hidden = false;
  closeFit();
  show(answer.view, fresh);
}

const act = {
  grow: (names) => change("grow", { names }),
  mark: (a, b, mark) => change("mark", { a, b, mark }),
  chooseEdge: (edge) => choose({ edge: pairKey(edge.left, edge.right) }),
  closeFit,
};

// --- what is shown -------------------------------------------------------------------------------

function show(view, fresh = new Set()) {
  page.view = view;
  element("target").textContent = visible(view.target);
  const table = view.table;
  element("table").textContent = `${table.source} · ${table.n_rows.toLocaleString("en")} rows, ${table.n_columns.toLocaleString("en")} columns`;
  element("table").title = table.source;
  element("alpha").value = String(view.alpha);
  element("test").replaceChildren(...view.tests.map((test) => made("option", test.replaceAll("_", " "), { value: test })));
  element("test").value = view.test;
  element("agreement").value = view.agreement;
  page.drawing.show(view, fresh);
  lists(view);
  choose(stillThere(page.choice));
  controls();
}

function lists(view) {
  const chips = view.nodes.map((node) =>
    made("button", name(node.name), {
      type: "button",
      class: `chip ${node.target ? "target" : node.grown ? "grown" : ""}`,
      "aria-pressed": "false",
      "data-name": node.name,
      onclick: () => choose({ node: node.name }),
    }),
  );
  element("all-nodes-title").textContent = `Columns shown (${view.nodes.length})`;
  element("nodes").replaceChildren(...chips);
  const WORDS = { known: " → ", not: " never → ", impossible: " and " };
  const marks = view.marks.map(([a, b, mark]) =>
    made("li", [
      name(a), WORDS[mark], name(b), mark === "known" ? ": known " : mark === "impossible" ? ": no edge " : " ",
      made("button", "take back", { type: "button", class: "link", disabled: view.locked, onclick: () => act.mark(a, b, "open") }),
    ]),
  );
  element("marks").replaceChildren(...marks);
  element("marks-block").hidden = !marks.length;
  element("notes").replaceChildren(...view.notes.map((note) => made("li", note, { dir: "auto" })));
  element("notes-block").hidden = !view.notes.length;
}

function stillThere(choice) {
  if (choice === null) return { node: page.view.target };
  if (choice.edge && !edgeOf(choice.edge)) return { node: page.view.target };
  return choice;
}

function edgeOf(id) {
  return page.view.edges.find((edge) => pairKey(edge.left, edge.right) === id);
}

function choose(choice) {
  page.choice = choice;
  page.drawing.choose(choice);
  const detail = element("detail");
  const view = page.view;
  const node = choice && choice.node !== undefined ? view.nodes.find((one) => one.name === choice.node) : undefined;
  if (choice === null) detail.replaceChildren(made("p", "Choose a column or an edge to see more of it.", { class: "why" }));
  else if (choice.edge) detail.replaceChildren(...edgeDetail(edgeOf(choice.edge), view, act));
  else if (node) detail.replaceChildren(...nodeDetail(node, view, act));
  else detail.replaceChildren(...columnDetail(choice.node, view, act));
  for (const chip of element("nodes").children) {
    chip.setAttribute("aria-pressed", String(choice !== null && chip.dataset.name === choice.node));
  }
}

function controls() {
  const { view, busy } = page;
  const locked = view === null || view.locked;
  element("undo").disabled = busy || view === null || !view.can_undo;
  element("redo").disabled = busy || view === null || !view.can_redo;
  for (const id of ["alpha", "test", "agreement"]) element(id).disabled = busy || locked;
  for (const id of ["lock", "fit"]) element(id).disabled = busy || view === null;
  element("lock").setAttribute("aria-pressed", String(view !== null && view.locked));
  element("lock").textContent = view !== null && view.locked ? "Locked" : "Lock";
}

async function askFit() {
  const answer = await send("fit");
  if (answer === null) return;
  element("answer").replaceChildren(...fitDetail(answer.fit, act));
  element("answer").hidden = false;
  element("answer").scrollIntoView({ block: "nearest" });
}

function closeFit() {
  element("answer").hidden = true;
}

// --- finding columns, exports, theme, keys -------------------------------------------------------

function search() {
  const box = element("search");
  const sheet = element("found");
  let asked = 0;
  let at = -1;
  const close = () => { sheet.hidden = true; box.setAttribute("aria-expanded", "false"); at = -1; };
  const take = (column) => { close(); box.value = ""; choose({ node: column }); };
  box.addEventListener("input", async () => {
    const mine = (asked += 1);
    if (!box.value) return close();
    const found = await (await fetch(`columns?text=${encodeURIComponent(box.value)}`)).json();
    if (mine !== asked) return; // a later question was answered first
    const rows = found.names.map((column) => made("li", name(column), { role: "option", "data-name": column, onclick: () => take(column) }));
    const more = found.n_found - found.names.length;
    if (!rows.length || more > 0) rows.push(made("li", rows.length ? `and ${more.toLocaleString("en")} more` : "no such column", { class: "more" }));
    sheet.replaceChildren(...rows);
    sheet.hidden = false;
    box.setAttribute("aria-expanded", "true");
    at = -1;
  });
  box.addEventListener("keydown", (event) => {
    const rows = [...sheet.querySelectorAll("[role=option]")];
    if (event.key === "Escape") { close(); box.value = ""; box.blur(); }
    else if (event.key === "Enter" && rows.length) take(rows[Math.max(0, at)].dataset.name);
    else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && rows.length) {
      at = (at + (event.key === "ArrowDown" ? 1 : rows.length - 1)) % rows.length;
      rows.forEach((row, place) => row.setAttribute("aria-selected", String(place === at)));
      rows[at].scrollIntoView({ block: "nearest" });
      event.preventDefault();
    }
  });
  document.addEventListener("click", (event) => { if (!event.target.closest(".search")) close(); });
}

const EXPORTS = { session: "Session, to be taken up again", code: "Python code", result: "Result (JSON)", report: "Report (HTML)" };

async function save(form) {
  element("export-menu").open = false;
  const response = await fetch(`export/${encodeURIComponent(form)}`);
  if (!response.ok) return failed((await response.json()).problem);
  const file = (response.headers.get("content-disposition") || "").match(/filename="(.*)"/);
  const link = made("a", [], { href: URL.createObjectURL(await response.blob()), download: file ? file[1] : form });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  return null;
}

function offer(forms) {
  element("exports").replaceChildren(...forms.map((form) =>
    made("button", EXPORTS[form] || `Graph: ${form}`, { type: "button", "data-form": form, onclick: () => save(form) })));
}

function isDark() {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function themed() {
  element("theme").textContent = isDark() ? "Light" : "Dark";
  page.drawing.repaint();
}

function keys(event) {
  const typing = event.target.closest("input, select, textarea, dialog");
  const control = event.ctrlKey || event.metaKey;
  if (typing) return;
  if (control && event.key.toLowerCase() === "z") { event.preventDefault(); element(event.shiftKey ? "redo" : "undo").click(); return; }
  if (control && event.key.toLowerCase() === "y") { event.preventDefault(); element("redo").click(); return; }
  if (event.key === "Escape" && page.busy) { element("cancel").click(); return; }
  if (control || event.altKey || page.view === null) return;
  const edge = page.choice && page.choice.edge ? edgeOf(page.choice.edge) : null;
  const marked = (mark) => edge && !page.view.locked && act.mark(edge.left, edge.right, mark);
  const does = {
    "/": () => element("search").focus(),
    "?": () => element("help").showModal(),
    g: () => document.getElementById("grow")?.click(),
    u: () => element("undo").click(),
    r: () => element("redo").click(),
    f: () => element("fit").click(),
    k: () => marked("known"),
    i: () => marked("impossible"),
    o: () => marked("open"),
    escape: () => choose(null),
  }[event.key.toLowerCase()];
  if (does) { event.preventDefault(); does(); }
}

function wire() {
  element("undo").addEventListener("click", () => change("undo", {}));
  element("redo").addEventListener("click", () => change("redo", {}));
  element("lock").addEventListener("click", () => change("set_locked", { locked: !page.view.locked }));
  element("fit").addEventListener("click", askFit);
  element("cancel").addEventListener("click", () => fetch("cancel", { method: "POST" }));
  element("test").addEventListener("change", (event) => change("set_test", { test: event.target.value }).then(restore));
  element("agreement").addEventListener("change", (event) => change("set_agreement", { agreement: event.target.value }).then(restore));
  element("alpha").addEventListener("change", (event) => {
    const alpha = Number(event.target.value.replace(",", "."));
    if (Number.isFinite(alpha)) change("set_alpha", { alpha }).then(restore);
    else { failed(`alpha must be a number between 0 and 1, not ${event.target.value}.`); restore(); }
  });
  element("closer").addEventListener("click", () => page.drawing.zoom(1.25));
  element("farther").addEventListener("click", () => page.drawing.zoom(0.8));
  element("arrange").addEventListener("click", () => page.drawing.arrange());
  element("help-button").addEventListener("click", () => element("help").showModal());
  element("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    themed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", themed);
  document.addEventListener("click", (event) => { if (!event.target.closest("#export-menu")) element("export-menu").open = false; });
  document.addEventListener("keydown", keys);
  search();
}

// What a command refused is not left standing in its control.
function restore() {
  element("alpha").value = String(page.view.alpha);
  element("test").value = page.view.test;
  element("agreement").value = page.view.agreement;
}

async function begin() {
  page.drawing = new Drawing(element("canvas"), choose);
  wire();
  themed();
  let answer = null;
  for (;;) {
    page.wait = false;
    answer = await send("show");
    if (answer !== null || !page.wait) break;
    await new Promise((later) => setTimeout(later, 500)); // another page's search is at work
  }
  if (answer === null) return;
  offer(answer.exports);
  show(answer.view);
  const untouched = !answer.view.can_undo && !answer.view.can_redo;
  if (untouched && !answer.view.locked) await act.grow([answer.view.target]);
}

begin();
