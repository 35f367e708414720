// Keeps what the studio is built of, so that the page is there while its server is not. Nothing that the server answers
// about sessions, files or settings is ever kept: those requests are not touched.
const KEPT = "bottega-1";
const MOST = 300;
const root = new URL("./", self.location).href;

self.addEventListener("install", (event) => event.waitUntil(shell().then(() => self.skipWaiting())));
self.addEventListener("activate", (event) => event.waitUntil(begin()));

async function begin() {
  for (const name of await caches.keys()) if (name.startsWith("bottega-") && name !== KEPT) await caches.delete(name);
  await self.clients.claim();
}

/** Keep the page, if it is the studio and not the one for those who are not signed in. */
async function keepPage(answer) {
  const text = answer.ok ? await answer.clone().text() : "";
  if (text.includes('id="root"')) await (await caches.open(KEPT)).put(root, answer);
}

async function shell() {
  try {
    await keepPage(await fetch(root, { cache: "no-store", credentials: "same-origin" }));
  } catch {
    // It is kept the next time that it is asked for.
  }
}

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || !request.url.startsWith(root)) return;
  const path = request.url.slice(root.length).replace(/[?#].*$/, "");
  if (request.mode === "navigate" && isPage(path)) event.respondWith(page(request));
  else if (/^assets\/[\w.-]+$/.test(path) || /^[\w-]+\.(svg|png|webmanifest|js)$/.test(path))
    event.respondWith(file(request, path));
});

function isPage(path) {
  return path === "" || /^(sessions|settings)(\/|$)/.test(path);
}

/** The page as the server has it; while that is gone, as it was. */
async function page(request) {
  try {
    const answer = await fetch(request);
    if (new URL(request.url).pathname === new URL(root).pathname) await keepPage(answer.clone());
    return answer;
  } catch (error) {
    const known = await (await caches.open(KEPT)).match(root);
    if (known) return known;
    throw error;
  }
}

/** Names under assets/ hold a digest: what is kept of them is right for good. The others are asked for first. */
async function file(request, path) {
  const cache = await caches.open(KEPT);
  const digested = path.startsWith("assets/");
  if (digested) {
    const known = await cache.match(request);
    if (known) return known;
  }
  try {
    const answer = await fetch(request);
    if (answer.ok) {
      await cache.put(request, answer.clone());
      await trim(cache);
    }
    return answer;
  } catch (error) {
    const known = await cache.match(request);
    if (known) return known;
    throw error;
  }
}

async function trim(cache) {
  const keys = await cache.keys();
  for (const key of keys.slice(0, Math.max(0, keys.length - MOST))) if (key.url !== root) await cache.delete(key);
}
