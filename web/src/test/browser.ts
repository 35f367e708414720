/** A browser in which somebody has just signed in, for tests. */
export function fresh(): void {
  history.replaceState(null, "", "/");
  localStorage.clear();
  sessionStorage.clear();
  localStorage.setItem("bottega-person:", "me");
}
