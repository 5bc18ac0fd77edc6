// "Why not this column?": names with a sentence each, unpacked when somebody first asks.
(() => {
  "use strict";

  const MOST_SHOWN = 12;
  const SLOT = /\ue000/g;
  const NAME = /\ue001/g;

  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text.trim()), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const columns = JSON.parse(await new Response(stream).text());
    columns.searched = columns.names.map((name) => name.toLowerCase());
    return columns;
  }

  function sentence(columns, place) {
    const numbers = columns.numbers[place].split(" ");
    let next = 0;
    return columns.wordings[columns.which[place]]
      .replace(SLOT, () => numbers[next++])
      .replace(NAME, () => `'${columns.names[place]}'`);
  }

  function matches(columns, typed) {
    const wanted = typed.trim().toLowerCase();
    const first = [];
    const later = [];
    for (let place = 0; place < columns.names.length && first.length < MOST_SHOWN; place += 1) {
      const found = columns.searched[place].indexOf(wanted);
      if (found === 0) first.push(place);
      else if (found > 0 && later.length < MOST_SHOWN) later.push(place);
    }
    return [...first, ...later].slice(0, MOST_SHOWN);
  }

  class WhyNot {
    constructor(block) {
      const id = block.dataset.why;
      this.id = id;
      this.input = document.getElementById(`${id}-input`);
      this.list = document.getElementById(`${id}-list`);
      this.reason = block.querySelector("[data-reason]");
      this.packed = document.getElementById(`${id}-data`);
      this.active = -1;
      this.input.addEventListener("focus", () => this.load());
      this.input.addEventListener("input", () => this.suggest());
      this.input.addEventListener("click", () => this.suggest());
      this.input.addEventListener("keydown", (event) => this.key(event));
      this.input.addEventListener("blur", () => this.close());
    }

    load() {
      this.loading ??= unpacked(this.packed.textContent).then(
        (columns) => (this.columns = columns),
        () => {
          this.reason.textContent = "This browser cannot unpack the answers; a newer one can.";
        },
      );
      return this.loading;
    }

    async suggest() {
      await this.load();
      if (!this.columns) return;
      this.places = matches(this.columns, this.input.value);
      this.list.replaceChildren(...this.places.map((place, i) => this.option(place, i)));
      this.active = -1;
      this.input.removeAttribute("aria-activedescendant");
      this.list.hidden = this.places.length === 0;
      this.input.setAttribute("aria-expanded", String(!this.list.hidden));
      if (!this.places.length) {
        this.reason.textContent = "No such column outside; members are in the table above.";
      }
    }

    option(place, i) {
      const item = document.createElement("li");
      const name = document.createElement("bdi");
      item.id = `${this.id}-option-${i}`;
      item.setAttribute("role", "option");
      item.setAttribute("aria-selected", "false");
      name.textContent = this.columns.names[place];
      item.append(name);
      item.addEventListener("pointerdown", (event) => {
        event.preventDefault(); // the field keeps the focus
        this.answer(place);
      });
      return item;
    }

    key(event) {
      const open = !this.list.hidden;
      if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        event.preventDefault();
        if (open) this.move(event.key === "ArrowDown" ? 1 : -1);
        else this.suggest();
      } else if (event.key === "Enter") {
        event.preventDefault();
        this.enter();
      } else if (event.key === "Escape" && open) {
        this.close();
      }
    }

    move(step) {
      const n = this.places.length;
      this.active = (this.active + step + n) % n;
      Array.from(this.list.children).forEach((item, i) => {
        item.setAttribute("aria-selected", String(i === this.active));
        if (i === this.active) item.scrollIntoView({ block: "nearest" });
      });
      this.input.setAttribute("aria-activedescendant", `${this.id}-option-${this.active}`);
    }

    async enter() {
      await this.load();
      if (!this.columns) return;
      const exact = this.columns.names.indexOf(this.input.value);
      const chosen = this.active >= 0 ? this.places[this.active] : exact >= 0 ? exact : matches(this.columns, this.input.value)[0];
      if (chosen !== undefined) this.answer(chosen);
    }

    answer(place) {
      this.input.value = this.columns.names[place];
      this.reason.textContent = sentence(this.columns, place);
      this.close();
    }

    close() {
      this.list.hidden = true;
      this.active = -1;
      this.input.setAttribute("aria-expanded", "false");
      this.input.removeAttribute("aria-activedescendant");
    }
  }

  for (const block of document.querySelectorAll("[data-why]")) new WhyNot(block);
})();
