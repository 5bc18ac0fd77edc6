// Before anything is painted: the theme that was chosen on an earlier visit.
(() => {
  "use strict";
  try {
    const chosen = localStorage.getItem("eiderdown-theme");
    if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
  } catch {
    // A browser that keeps nothing shows the theme of the system.
  }
})();
