// Before anything is painted: light or dark, as was chosen here or as the system says.
(() => {
  let chosen = "system";
  try {
    chosen = localStorage.getItem("bottega.theme") || "system";
  } catch {}
  const dark = chosen === "dark" || (chosen === "system" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
})();
