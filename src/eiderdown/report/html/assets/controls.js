// Copying, the theme, and what printing needs.
(() => {
  "use strict";

  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const theme = document.getElementById("theme");

  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

  function restyle() {
    theme.textContent = isDark() ? "Light" : "Dark";
    theme.setAttribute("aria-label", `Use the ${isDark() ? "light" : "dark"} theme`);
    for (const graph of eiderdownGraphs.values()) graph.restyle();
  }

  theme.hidden = false;
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("eiderdown-theme", root.dataset.theme);
    } catch {
      // The theme lasts as long as the page.
    }
    restyle();
  });
  system.addEventListener("change", restyle);

  // Paper is light, and nothing on it can be opened.
  let before = null;
  addEventListener("beforeprint", () => {
    before = root.dataset.theme ?? "";
    root.dataset.theme = "light";
    restyle();
  });
  addEventListener("afterprint", () => {
    if (before) root.dataset.theme = before;
    else delete root.dataset.theme;
    restyle();
  });

  async function copied(text, pre) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      getSelection().selectAllChildren(pre); // for Ctrl-C, where pages may not copy
      return false;
    }
  }

  for (const block of document.querySelectorAll("[data-code]")) {
    const button = block.querySelector("[data-copy]");
    const pre = block.querySelector("pre");
    button.addEventListener("click", async () => {
      const done = await copied(pre.textContent.trimEnd(), pre);
      button.textContent = done ? "Copied" : "Selected";
      setTimeout(() => (button.textContent = "Copy"), 1600);
    });
  }

  restyle();
})();
