// The drawing: rings around the target, so that the same graph always stands the same way.
import { shortened } from "./names.js";

const LONGEST = 24; // letters of a name in the drawing; the panel has all of them
const BETWEEN = 104; // pixels between rings
const HEIGHT = 34;
const MARGIN = 26;

const ruler = document.createElement("canvas").getContext("2d");

function widthOf(label) {
  ruler.font = "600 13px system-ui, sans-serif";
  return Math.max(46, ruler.measureText(label).width + 26);
}

export function pairKey(left, right) {
  return JSON.stringify([left, right].sort());
}

function style() {
  const computed = getComputedStyle(document.documentElement);
  const colour = (name) => computed.getPropertyValue(`--${name}`).trim();
  const accent = colour("accent");
  return [
    {
      selector: "node",
      style: {
        shape: "round-rectangle",
        width: "data(width)",
        height: HEIGHT,
        label: "data(label)",
        "font-family": "system-ui, -apple-system, Segoe UI, Roboto, sans-serif",
        "font-size": 13,
        "text-valign": "center",
        "text-halign": "center",
        color: colour("text"),
        "background-color": colour("surface"),
        "border-width": 1.25,
        "border-style": "dashed",
        "border-color": colour("muted"),
        "overlay-opacity": 0,
      },
    },
    { selector: ".grown", style: { "background-color": colour("accent-soft"), "border-style": "solid", "border-color": accent } },
    { selector: ".target", style: { "background-color": accent, "border-style": "solid", "border-color": accent, color: colour("on-accent"), "font-weight": 600 } },
    {
      selector: "edge",
      style: {
        width: "data(thickness)",
        "line-color": colour("edge"),
        "target-arrow-color": colour("edge"),
        "curve-style": "bezier",
        "arrow-scale": 1.1,
        "overlay-opacity": 0,
      },
    },
    { selector: ".directed", style: { "target-arrow-shape": "triangle" } },
    { selector: ".doubt", style: { "line-style": "dotted", width: 1.6, opacity: 0.85 } },
    { selector: ".known", style: { "line-color": accent, "target-arrow-color": accent, width: 2.6 } },
    { selector: ".fresh", style: { "line-color": colour("warm"), "target-arrow-color": colour("warm") } },
    { selector: "node.fresh", style: { "border-color": colour("warm") } },
    { selector: ".chosen", style: { "border-width": 3, "border-color": accent, "line-color": accent, "target-arrow-color": accent, "z-index": 9 } },
    { selector: "edge.chosen", style: { width: 3.2 } },
    { selector: "node.target.chosen", style: { "border-color": colour("text") } },
  ];
}

// A tree of shortest ways from the target; what it does not reach hangs on the target.
function treeOf(view) {
  const near = new Map(view.nodes.map((node) => [node.name, []]));
  for (const edge of view.edges) {
    near.get(edge.left).push(edge.right);
    near.get(edge.right).push(edge.left);
  }
  const parent = new Map([[view.target, null]]);
  const queue = [view.target];
  const visit = () => {
    while (queue.length) {
      const name = queue.shift();
      for (const other of near.get(name).sort()) {
        if (!parent.has(other)) {
          parent.set(other, name);
          queue.push(other);
        }
      }
    }
  };
  visit();
  for (const node of view.nodes) {
    if (!parent.has(node.name)) {
      parent.set(node.name, view.target);
      queue.push(node.name);
      visit();
    }
  }
  const children = new Map(view.nodes.map((node) => [node.name, []]));
  for (const [name, above] of parent) if (above !== null) children.get(above).push(name);
  return children;
}

// Every branch gets as much of the circle as its boxes need.
function places(view, widths, aspect) {
  const children = treeOf(view);
  const needs = new Map();
  const rings = [];
  const widest = [];
  const need = (name, depth) => {
    const own = widths.get(name) + MARGIN;
    const below = children.get(name).reduce((sum, child) => sum + need(child, depth + 1), 0);
    rings[depth] = (rings[depth] || 0) + own;
    widest[depth] = Math.max(widest[depth] || 0, own);
    const all = Math.max(own, below * 0.6);
    needs.set(name, all);
    return all;
  };
  need(view.target, 0);
  const radius = [0];
  for (let depth = 1; depth < rings.length; depth += 1) {
    const apart = (widest[depth - 1] + widest[depth]) / (2 * aspect);
    radius[depth] = Math.max(radius[depth - 1] + Math.max(BETWEEN, apart), rings[depth] / ((1 + aspect) * Math.PI));
  }
  const found = new Map([[view.target, { x: 0, y: 0 }]]);
  const spread = (name, depth, from, to) => {
    const family = children.get(name);
    const total = family.reduce((sum, child) => sum + needs.get(child), 0);
    let at = from;
    for (const child of family) {
      const until = at + ((to - from) * needs.get(child)) / total;
      const angle = (at + until) / 2;
      const far = radius[depth + 1];
      found.set(child, { x: aspect * far * Math.cos(angle), y: far * Math.sin(angle) });
      const half = Math.min((until - at) / 2, 1.1);
      spread(child, depth + 1, angle - half, angle + half);
      at = until;
    }
  };
  spread(view.target, 0, -Math.PI / 2, 1.5 * Math.PI);
  return apartFromEachOther(found, widths);
}

// Boxes that still lie on each other are pushed apart, the shorter way; the target stays.
function apartFromEachOther(found, widths) {
  const names = [...found.keys()];
  for (let round = 0; round < 60; round += 1) {
    let moved = false;
    for (let i = 0; i < names.length; i += 1) {
      for (let j = i + 1; j < names.length; j += 1) {
        const [a, b] = [found.get(names[i]), found.get(names[j])];
        const x = (widths.get(names[i]) + widths.get(names[j])) / 2 + 14 - Math.abs(a.x - b.x);
        const y = HEIGHT + 14 - Math.abs(a.y - b.y);
        if (x <= 0 || y <= 0) continue;
        const axis = x < y ? "x" : "y";
        const push = (Math.min(x, y) / 2 + 0.5) * (a[axis] < b[axis] ? -1 : 1);
        if (i > 0) a[axis] += push;
        b[axis] -= i > 0 ? push : 2 * push;
        moved = true;
      }
    }
    if (!moved) break;
  }
  return found;
}

export class Drawing {
  constructor(canvas, chosen) {
    this.moved = new Map(); // where somebody dragged a box
    this.view = null;
    this.cy = cytoscape({
      container: canvas,
      style: style(),
      layout: { name: "preset" },
      boxSelectionEnabled: false,
      autounselectify: true,
      minZoom: 0.08,
      maxZoom: 2.5,
    });
    this.cy.on("tap", (event) => {
      if (event.target === this.cy) chosen(null);
      else if (event.target.isNode()) chosen({ node: event.target.data("name") });
      else chosen({ edge: event.target.id() });
    });
    this.cy.on("dragfree", "node", (event) => {
      this.moved.set(event.target.id(), { ...event.target.position() });
    });
    this.cy.on("mouseover", "node, edge", () => { canvas.style.cursor = "pointer"; });
    this.cy.on("mouseout", "node, edge", () => { canvas.style.cursor = ""; });
    new ResizeObserver(() => { this.cy.resize(); this.fit(); }).observe(canvas);
  }

  show(view, fresh) {
    this.view = view;
    const widths = new Map(view.nodes.map((node) => [node.name, widthOf(shortened(node.name, LONGEST))]));
    const aspect = Math.max(1, Math.min(1.7, this.cy.width() / Math.max(1, this.cy.height())));
    const where = places(view, widths, aspect);
    const wanted = new Map();
    for (const node of view.nodes) {
      const classes = [node.target ? "target" : "", node.grown ? "grown" : ""];
      const data = { id: `n${node.name}`, name: node.name, label: shortened(node.name, LONGEST), width: widths.get(node.name) };
      wanted.set(data.id, { group: "nodes", data, classes: classes.filter(Boolean).join(" ") });
    }
    for (const edge of view.edges) {
      const id = pairKey(edge.left, edge.right);
      const thickness = 1.2 + Math.min(2, Math.log10(1 + Math.max(0, edge.test.strength)) * 0.7);
      const classes = [edge.directed ? "directed" : "", edge.in_doubt ? "doubt" : "", edge.mark === "known" ? "known" : ""];
      if (fresh.has(id)) classes.push("fresh");
      const data = { id, source: `n${edge.left}`, target: `n${edge.right}`, thickness };
      wanted.set(id, { group: "edges", data, classes: classes.filter(Boolean).join(" ") });
    }
    this.replace(wanted, where);
  }

  replace(wanted, where) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.cy.stop(true, true);
    this.cy.batch(() => {
      this.cy.edges().remove();
      this.cy.nodes().forEach((node) => { if (!wanted.has(node.id())) node.remove(); });
      for (const [id, element] of wanted) {
        if (element.group === "edges") continue;
        const node = this.cy.getElementById(id);
        if (node.length) {
          node.data(element.data);
          node.classes(element.classes);
        } else {
          this.cy.add({ ...element, position: this.birthplace(element.data.name) });
        }
      }
      for (const element of wanted.values()) if (element.group === "edges") this.cy.add(element);
    });
    for (const node of this.cy.nodes()) {
      const position = this.moved.get(node.id()) || where.get(node.data("name"));
      if (still) node.position(position);
      else node.animate({ position }, { duration: 260, easing: "ease-out-cubic" });
    }
    clearTimeout(this.fitting);
    this.fitting = setTimeout(() => this.fit(!still), still ? 0 : 280);
  }

  // New boxes come out of a neighbour that is there already.
  birthplace(name) {
    for (const edge of this.view.edges) {
      const other = edge.left === name ? edge.right : edge.right === name ? edge.left : null;
      const node = other === null ? [] : this.cy.getElementById(`n${other}`);
      if (node.length) return { ...node.position() };
    }
    return { x: 0, y: 0 };
  }

  fit(animated = false) {
    if (!this.cy.nodes().length) return;
    const box = this.cy.elements().boundingBox();
    const width = this.cy.width() - 72;
    const height = this.cy.height() - 128;
    const zoom = Math.max(0.08, Math.min(1.2, width / Math.max(1, box.w), height / Math.max(1, box.h)));
    const pan = {
      x: this.cy.width() / 2 - (zoom * (box.x1 + box.x2)) / 2,
      y: this.cy.height() / 2 + 10 - (zoom * (box.y1 + box.y2)) / 2,
    };
    if (animated) this.cy.animate({ zoom, pan }, { duration: 200, easing: "ease-out-cubic" });
    else this.cy.viewport({ zoom, pan });
  }

  arrange() {
    this.moved.clear();
    if (this.view) this.show(this.view, new Set());
  }

  zoom(factor) {
    this.cy.zoom({ level: this.cy.zoom() * factor, renderedPosition: { x: this.cy.width() / 2, y: this.cy.height() / 2 } });
  }

  choose(choice) {
    this.cy.elements().removeClass("chosen");
    const id = choice === null ? null : choice.edge || `n${choice.node}`;
    if (id !== null) this.cy.getElementById(id).addClass("chosen");
  }

  repaint() {
    this.cy.style(style());
  }
}
