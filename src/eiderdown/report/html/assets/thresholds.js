// A slider that decides which edges are drawn, and where on the curve of errors one stands.
(() => {
  "use strict";

  const ROUNDING = 1e-9;
  const BOX = { left: 46, right: 120, top: 16, bottom: 40, width: 640, height: 240 };

  function drawn(kind, attributes, text) {
    const element = document.createElementNS("http://www.w3.org/2000/svg", kind);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  }

  const counted = (n, thing) => `${n.toLocaleString("en")} ${thing}${n === 1 ? "" : "s"}`;

  class ErrorCurve {
    constructor(svg, curve) {
      this.svg = svg;
      this.curve = curve;
      this.most = Math.max(1, ...curve.false_positives, ...curve.false_negatives);
      svg.replaceChildren(...this.axes(), ...this.lines());
      this.marker = drawn("line", { class: "marker", y1: BOX.top, y2: BOX.height - BOX.bottom });
      this.dots = ["positives", "negatives"].map((kind) => drawn("circle", { class: kind, r: 5 }));
      svg.append(this.marker, ...this.dots);
    }

    x(threshold) {
      return BOX.left + threshold * (BOX.width - BOX.left - BOX.right);
    }

    y(count) {
      return BOX.height - BOX.bottom - (count / this.most) * (BOX.height - BOX.top - BOX.bottom);
    }

    axes() {
      const bottom = BOX.height - BOX.bottom;
      const ticks = [0, 0.25, 0.5, 0.75, 1].map((t) =>
        drawn("text", { x: this.x(t), y: bottom + 18, class: "tick middle" }, String(t)),
      );
      return [
        drawn("line", { class: "axis", x1: BOX.left, x2: this.x(1), y1: bottom, y2: bottom }),
        ...ticks,
        drawn("text", { x: BOX.left - 8, y: this.y(this.most) + 4, class: "tick end" }, this.most.toLocaleString("en")),
        drawn("text", { x: BOX.left - 8, y: bottom + 4, class: "tick end" }, "0"),
        drawn("text", { x: this.x(0.5), y: BOX.height - 4, class: "tick middle" }, "threshold"),
      ];
    }

    lines() {
      const { thresholds, false_positives: wrong, false_negatives: missed } = this.curve;
      const points = (counts) => counts.map((n, i) => `${this.x(thresholds[i])},${this.y(n)}`).join(" ");
      const end = this.x(1) + 8;
      const last = (counts) => this.y(counts[counts.length - 1]);
      let [over, under] = [last(wrong), last(missed)];
      if (Math.abs(over - under) < 16) [over, under] = over > under ? [over + 6, over - 10] : [under - 10, under + 6];
      return [
        drawn("polyline", { class: "positives", points: points(wrong) }),
        drawn("polyline", { class: "negatives", points: points(missed) }),
        drawn("text", { x: end, y: over + 4, class: "positives" }, "false positives"),
        drawn("text", { x: end, y: under + 4, class: "negatives" }, "false negatives"),
      ];
    }

    at(threshold) {
      const { thresholds } = this.curve;
      let place = 0;
      thresholds.forEach((one, i) => {
        if (Math.abs(one - threshold) < Math.abs(thresholds[place] - threshold)) place = i;
      });
      return place;
    }

    show(threshold) {
      const place = this.at(threshold);
      const x = this.x(threshold);
      this.marker.setAttribute("x1", x);
      this.marker.setAttribute("x2", x);
      const counts = [this.curve.false_positives[place], this.curve.false_negatives[place]];
      this.dots.forEach((dot, i) => {
        dot.setAttribute("cx", x);
        dot.setAttribute("cy", this.y(counts[i]));
      });
    }
  }

  function start(block) {
    const graph = eiderdownGraphs.get(block.dataset.threshold);
    const slider = block.querySelector("[data-slider]");
    const { edges, curves } = graph.data;
    const svg = block.querySelector("[data-curve]");
    let group = 0;
    let curve = curves.length ? new ErrorCurve(svg, curves[0]) : null;

    function said(threshold, passing) {
      if (!curve) return `${counted(passing, "edge")} drawn.`;
      const place = curve.at(threshold);
      const { name, passed, false_positives: wrong, false_negatives: missed } = curve.curve;
      return (
        `${passed[place].toLocaleString("en")} ${name} pass; against ${block.dataset.reference}: ` +
        `${counted(wrong[place], "false positive")}, ${counted(missed[place], "false negative")}.`
      );
    }

    function show() {
      const threshold = Number(slider.value);
      const joined = new Set();
      let passing = 0;
      graph.cy.batch(() => {
        edges.forEach((edge, place) => {
          const below = edge.share < threshold - ROUNDING;
          graph.cy.getElementById(`e${place}`).toggleClass("below", below);
          if (below) return;
          passing += 1;
          joined.add(edge.source).add(edge.target);
        });
        graph.data.nodes.forEach((_, place) => {
          graph.cy.getElementById(`n${place}`).toggleClass("faded", !joined.has(place));
        });
      });
      curve?.show(threshold);
      block.querySelector("[data-value]").textContent = threshold.toFixed(2);
      block.querySelector("[data-said]").textContent = said(threshold, passing);
    }

    slider.addEventListener("input", show);
    block.querySelector("[data-suggested]")?.addEventListener("click", () => {
      slider.value = curves[group].suggested;
      show();
    });
    for (const radio of block.querySelectorAll("input[type=radio]")) {
      radio.addEventListener("change", () => {
        group = Number(radio.value);
        curve = new ErrorCurve(svg, curves[group]);
        block.querySelector("[data-suggested]").textContent = `Suggested: ${curves[group].suggested.toFixed(2)}`;
        show();
      });
    }
    show();
  }

  for (const block of document.querySelectorAll("[data-threshold]")) start(block);
})();
