// Graphs: boxes stand where the report placed them; whatever is chosen shows its evidence.
const eiderdownGraphs = new Map();

(() => {
  "use strict";

  const NARROW = 620; // pixels; below, nodes stand where narrow pages have them
  const MOST_ZOOM = 1.15;

  function style() {
    const computed = getComputedStyle(document.documentElement);
    const colour = (name) => computed.getPropertyValue(`--${name}`).trim();
    const [accent, soft, surface] = ["accent", "accent-soft", "surface"].map(colour);
    const [text, muted, line, onAccent] = ["text", "muted", "edge", "on-accent"].map(colour);
    return [
      {
        selector: "node",
        style: {
          shape: "round-rectangle",
          width: "data(width)",
          height: 34,
          label: "data(label)",
          "font-family": "system-ui, -apple-system, Segoe UI, Roboto, sans-serif",
          "font-size": 13,
          "text-valign": "center",
          "text-halign": "center",
          color: text,
          "background-color": surface,
          "border-width": 1.25,
          "border-color": muted,
          "overlay-opacity": 0,
        },
      },
      { selector: ".target", style: { "background-color": accent, "border-color": accent, color: onAccent, "font-weight": 600 } },
      { selector: ".adjacent, .cause, .member", style: { "background-color": soft, "border-color": accent } },
      { selector: ".effect", style: { "border-color": accent, "border-width": 2 } },
      { selector: ".spouse, .undecided", style: { "border-style": "dashed", "border-color": accent } },
      {
        selector: "edge",
        style: {
          width: "data(thickness)",
          "line-color": line,
          "target-arrow-color": line,
          "curve-style": "bezier",
          "arrow-scale": 1.05,
          "overlay-opacity": 0,
        },
      },
      { selector: "edge.bent", style: { "curve-style": "round-segments", "segment-weights": "data(weights)", "segment-distances": "data(asides)", "segment-radii": 24, "edge-distances": "node-position" } },
      { selector: "edge.directed", style: { "target-arrow-shape": "triangle" } },
      { selector: "edge.dashed", style: { "line-style": "dashed" } },
      { selector: "edge.dotted", style: { "line-style": "dotted" } },
      { selector: ".below", style: { display: "none" } },
      { selector: ".faded", style: { opacity: 0.35 } },
      { selector: ".chosen", style: { "border-width": 3, "border-color": accent, "line-color": accent, "target-arrow-color": accent } },
      { selector: "node.target.chosen", style: { "border-color": text } },
    ];
  }

  function elements(data) {
    const nodes = data.nodes.map((node, place) => ({
      data: { id: `n${place}`, label: node.label, width: node.width },
      position: { x: node.x, y: node.y },
      classes: node.role,
    }));
    const edges = data.edges.map((edge, place) => {
      const bent = edge.bends.length > 0;
      const classes = [edge.style, edge.directed ? "directed" : "", bent ? "bent" : ""];
      return {
        data: {
          id: `e${place}`,
          source: `n${edge.source}`,
          target: `n${edge.target}`,
          thickness: 1 + 1.6 * edge.share,
          weights: edge.bends.map((bend) => bend[0]),
          asides: edge.bends.map((bend) => bend[1]),
        },
        classes: classes.filter(Boolean).join(" "),
      };
    });
    return [...nodes, ...edges];
  }

  function described(title, facts) {
    const heading = document.createElement("h3");
    const name = document.createElement("bdi");
    name.textContent = title;
    heading.append(name);
    const list = document.createElement("dl");
    for (const [label, value] of facts) {
      const pair = document.createElement("div");
      const term = document.createElement("dt");
      const said = document.createElement("dd");
      term.textContent = label;
      said.textContent = value;
      said.dir = "auto";
      pair.append(term, said);
      list.append(pair);
    }
    return [heading, list];
  }

  class GraphOnPage {
    constructor(block) {
      const id = block.dataset.graph;
      this.block = block;
      this.data = JSON.parse(document.getElementById(`${id}-data`).textContent);
      this.canvas = document.getElementById(`${id}-canvas`);
      this.narrow = null;
      this.arrange();
      this.cy = cytoscape({
        container: this.canvas,
        elements: elements(this.data),
        layout: { name: "preset" },
        style: style(),
        userZoomingEnabled: false,
        boxSelectionEnabled: false,
        selectionType: "single",
        minZoom: 0.05,
        maxZoom: 3,
      });
      this.place();
      this.fit();
      this.cy.on("tap", "node", (event) => this.choose(Number(event.target.id().slice(1))));
      this.cy.on("tap", "edge", (event) => this.chooseEdge(Number(event.target.id().slice(1))));
      for (const chip of block.querySelectorAll("[data-node]")) {
        chip.addEventListener("click", () => this.choose(Number(chip.dataset.node)));
      }
      for (const button of block.querySelectorAll("[data-zoom]")) {
        button.addEventListener("click", () => this.zoom(button.dataset.zoom));
      }
      // Where the canvas is on the screen is remembered, and wrong just after scrolling.
      this.canvas.addEventListener("pointerenter", () => this.cy.resize());
      new ResizeObserver(() => this.resize()).observe(this.canvas);
    }

    positions() {
      return this.data.nodes.map((node) => (this.narrow && node.narrow ? node.narrow : [node.x, node.y]));
    }

    // Give the canvas the height that its graph needs at the width of the page.
    arrange() {
      const width = this.canvas.clientWidth;
      this.narrow = width < NARROW;
      const places = this.positions();
      const ys = places.map((place) => place[1]);
      const edges = this.data.nodes.flatMap((node, i) => [places[i][0] - node.width / 2, places[i][0] + node.width / 2]);
      const wide = Math.max(...edges) - Math.min(...edges) + 48;
      const high = Math.max(...ys) - Math.min(...ys) + 34 + 48;
      const scale = Math.min(MOST_ZOOM, width / wide);
      this.canvas.style.height = `${Math.round(Math.min(780, Math.max(180, high * scale)))}px`;
    }

    place() {
      const places = this.positions();
      this.cy.batch(() => {
        places.forEach(([x, y], place) => this.cy.getElementById(`n${place}`).position({ x, y }));
      });
    }

    resize() {
      const width = this.canvas.clientWidth;
      if (!width || width === this.width) return;
      this.arrange();
      this.place();
      this.fit();
    }

    fit() {
      this.width = this.canvas.clientWidth;
      this.cy.resize();
      this.cy.fit(this.cy.nodes(), 24);
      if (this.cy.zoom() > MOST_ZOOM) {
        this.cy.zoom(MOST_ZOOM);
        this.cy.center(this.cy.nodes());
      }
    }

    zoom(how) {
      if (how === "fit") return this.fit();
      const middle = { x: this.canvas.clientWidth / 2, y: this.canvas.clientHeight / 2 };
      const level = this.cy.zoom() * (how === "in" ? 1.25 : 0.8);
      return this.cy.zoom({ level, renderedPosition: middle });
    }

    choose(place) {
      const node = this.data.nodes[place];
      this.mark(`n${place}`, node.name, node.facts.length ? node.facts : [["role", node.role]]);
      for (const chip of this.block.querySelectorAll("[data-node]")) {
        chip.setAttribute("aria-pressed", String(Number(chip.dataset.node) === place));
      }
    }

    chooseEdge(place) {
      const edge = this.data.edges[place];
      const [from, to] = [edge.source, edge.target].map((end) => this.data.nodes[end].name);
      this.mark(`e${place}`, `${from} ${edge.directed ? "→" : "–"} ${to}`, edge.facts);
    }

    mark(id, title, facts) {
      this.cy.elements(".chosen").removeClass("chosen");
      this.cy.getElementById(id).addClass("chosen");
      this.block.querySelector("[data-detail]").replaceChildren(...described(title, facts));
    }

    restyle() {
      this.cy.style(style());
    }
  }

  for (const block of document.querySelectorAll("[data-graph]")) {
    eiderdownGraphs.set(block.dataset.graph, new GraphOnPage(block));
  }
})();
