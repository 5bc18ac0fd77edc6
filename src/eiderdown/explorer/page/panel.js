import { shortened, visible } from "./names.js";

// The details beside the drawing. Names are text: nothing here is ever read as HTML.
export function made(tag, content = [], attributes = {}) {
  const element = document.createElement(tag);
  element.append(...[content].flat());
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") element.addEventListener("click", value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  return element;
}

const LONGEST = 48; // letters of a name in a list; headings have all of them

export function name(text, most = LONGEST) {
  const short = shortened(text, most);
  return made("bdi", short, { class: "name", title: short.endsWith("…") ? visible(text) : null });
}

function wholeName(text) {
  return name(text, Infinity);
}

function listed(names) {
  if (!names.length) return ["nothing"];
  return names.flatMap((text, place) => (place ? [", ", name(text)] : [name(text)]));
}

function facts(pairs) {
  const rows = pairs.map(([term, value]) => made("div", [made("dt", term), made("dd", value)]));
  return made("dl", rows, { class: "facts" });
}

function tested(title, test) {
  return [
    made("h3", title),
    facts([
      ["held fixed", listed(test.given)],
      ["answer", test.answer],
      ["p", test.p],
      ["effect", test.effect],
      ["statistic", `${test.statistic}, ${test.dof} degrees of freedom`],
      ["rows used", test.n_used.toLocaleString("en")],
    ]),
  ];
}

function heading(edge) {
  const between = edge.directed ? " → " : edge.in_doubt ? " ··· " : " — ";
  return made("h2", [wholeName(edge.left), between, wholeName(edge.right)]);
}

function marks(edge, view, act) {
  const from = (a, b) => [name(a), " → ", name(b)];
  const offered = [
    ["known", edge.left, edge.right, ["Known: ", ...from(edge.left, edge.right)], edge.mark === "known"],
    ["known", edge.right, edge.left, ["Known: ", ...from(edge.right, edge.left)], false],
    ["not", edge.left, edge.right, ["Never ", ...from(edge.left, edge.right)], edge.mark === "not"],
    ["not", edge.right, edge.left, ["Never ", ...from(edge.right, edge.left)], edge.mark === "reverse not"],
    ["impossible", edge.left, edge.right, "Impossible", false],
    ["open", edge.left, edge.right, "Open", edge.mark === "open"],
  ];
  return made(
    "div",
    offered.map(([mark, a, b, label, pressed]) =>
      made("button", label, {
        type: "button",
        "data-mark": mark,
        "aria-pressed": String(pressed),
        disabled: view.locked,
        onclick: () => act.mark(a, b, mark),
      }),
    ),
    { class: "row", role: "group", "aria-label": "Mark this edge" },
  );
}

function sides(edge) {
  const rows = [];
  if (edge.found_from.length) rows.push(["found from", listed(edge.found_from)]);
  if (edge.missed_from.length) rows.push(["not found from", listed(edge.missed_from)]);
  for (const [side, share] of edge.votes) rows.push([["votes from ", name(side)], `${Math.round(100 * share)} %`]);
  return rows.length ? [made("h3", "Found by"), facts(rows)] : [];
}

export function edgeDetail(edge, view, act) {
  return [
    heading(edge),
    made("p", edge.why, { class: "why" }),
    marks(edge, view, act),
    ...tested("The weakest test it survived", edge.test),
    ...tested("The two alone", edge.alone),
    ...sides(edge),
  ];
}

export function nodeDetail(node, view, act) {
  const own = view.edges.filter((edge) => edge.left === node.name || edge.right === node.name);
  const around = view.nodes.filter(
    (other) => !other.grown && own.some((edge) => !edge.in_doubt && (edge.left === other.name || edge.right === other.name)),
  );
  const said = [node.target ? "target" : "", node.grown ? "grown" : "not grown yet", node.kind];
  const buttons = [];
  if (!node.grown) buttons.push(made("button", "Grow", { type: "button", id: "grow", class: "main", disabled: view.locked, onclick: () => act.grow([node.name]) }));
  if (node.grown && around.length) {
    const names = around.map((other) => other.name);
    buttons.push(made("button", `Grow the ${names.length} around it`, { type: "button", id: "grow-around", disabled: view.locked, onclick: () => act.grow(names) }));
  }
  const edges = own.map((edge) => made("li", made("button", [name(edge.left), edge.directed ? " → " : edge.in_doubt ? " ··· " : " — ", name(edge.right)], { type: "button", class: "link", onclick: () => act.chooseEdge(edge) })));
  return [
    made("h2", wholeName(node.name)),
    made("p", said.filter(Boolean).join(" · "), { class: "why" }),
    made("div", buttons, { class: "row" }),
    ...(node.target && view.boundary.length ? [made("h3", "Markov boundary, as the graph has it"), made("p", listed(view.boundary))] : []),
    ...(edges.length ? [made("h3", `Edges (${edges.length})`), made("ul", edges, { class: "plain" })] : []),
  ];
}

// A column that was searched by its name and is not in the graph.
export function columnDetail(column, view, act) {
  return [
    made("h2", wholeName(column)),
    made("p", "Not in the graph: nothing that was grown has it among its parents and children.", { class: "why" }),
    made("div", [
      made("button", "Grow", { type: "button", id: "grow", class: "main", disabled: view.locked, onclick: () => act.grow([column]) }),
      made("button", ["Known: ", name(column), " → ", name(view.target)], { type: "button", disabled: view.locked, onclick: () => act.mark(column, view.target, "known") }),
      made("button", ["Known: ", name(view.target), " → ", name(column)], { type: "button", disabled: view.locked, onclick: () => act.mark(view.target, column, "known") }),
    ], { class: "row" }),
  ];
}

const CHANGED = { added: "new", removed: "gone", doubted: "now in doubt", directed: "now directed", undirected: "direction open", reversed: "turned round" };

export function changeList(changes) {
  const rows = changes.map((change) => {
    const between = change.directed ? " → " : " — ";
    return made("li", [made("span", `${CHANGED[change.kind]}: `, { class: "kind" }), name(change.left), between, name(change.right)]);
  });
  return [made("h2", changes.length ? `What changed (${changes.length})` : "Nothing changed in the graph"), made("ul", rows, { class: "plain" })];
}

export function fitDetail(fit, act) {
  const rows = fit.rows.map((row) =>
    made("tr", [
      made("td", [name(row.x), " and ", name(row.y), made("br"), made("span", ["given ", ...listed(row.given)], { class: "kind" })]),
      made("td", row.answer, { class: row.answer === "does not fit" ? "bad" : "" }),
      made("td", [row.p, made("br"), made("span", `Holm ${row.holm}`, { class: "kind" })], { class: "number" }),
    ]),
  );
  const head = made("tr", [made("th", "implied independence", { scope: "col" }), made("th", "data", { scope: "col", class: "whole" }), made("th", "p", { scope: "col", class: "number" })]);
  const said = [made("h2", "Does the data fit this graph?"), made("p", fit.verdict)];
  if (fit.n_open) said.push(made("p", `Of ${fit.n_open} more pairs without an edge nothing follows before more columns are grown.`, { class: "why" }));
  if (fit.n_unsaid) said.push(made("p", `${fit.n_unsaid} of the tests cannot say, for want of rows or because nothing is left to test.`, { class: "why" }));
  if (rows.length) said.push(made("table", [made("thead", head), made("tbody", rows)]));
  if (fit.rows.length < fit.n_tested) said.push(made("p", `The worst ${fit.rows.length} of ${fit.n_tested} are listed.`, { class: "why" }));
  return [...said, made("div", made("button", "Close", { type: "button", onclick: act.closeFit }), { class: "row" })];
}
