/** Files of one project on the server: every change names the version that it is about. */
import { type Http, Problem } from "../../api/client.js";
import type { Schema } from "../../api/http.js";

export type File = Schema<"FileShape">;
export type Item = Schema<"ItemShape">;
type Made = Schema<"MadeShape">;

/** Characters that surely fit into a request as JSON; more goes as bytes. */
const INLINE = 300_000;
const MARK = "\ufeff";

export class Disk {
  private path: { project_id: string };

  constructor(
    private http: Http,
    readonly projectId: string,
  ) {
    this.path = { project_id: projectId };
  }

  list(path: string, start = 0, signal?: AbortSignal) {
    const query = { path, start };
    return this.http.get("/api/projects/{project_id}/files", this.call(query, signal));
  }

  find(q: string, limit: number, signal?: AbortSignal) {
    return this.http.get("/api/projects/{project_id}/find", this.call({ q, limit }, signal));
  }

  read(path: string, offset = 0, signal?: AbortSignal): Promise<File> {
    return this.http.get("/api/projects/{project_id}/file", this.call({ path, offset }, signal));
  }

  /** The version that is there; null: there is no such file. */
  async version(path: string): Promise<string | null> {
    try {
      const found = await this.http.get("/api/projects/{project_id}/file", this.call({ path, limit: 1 }));
      return found.version;
    } catch (error) {
      if (error instanceof Problem && error.status === 404) return null;
      throw error;
    }
  }

  /** Write a text; `encoding` is that of the file it is for. */
  write(path: string, content: string, version: string, encoding = "utf-8"): Promise<Made> {
    if (content.length <= INLINE || !encoding.startsWith("utf-8")) {
      return this.http.put("/api/projects/{project_id}/file", {
        ...this.call({ path }),
        body: { content, version },
      });
    }
    const marked = encoding.endsWith("marked") && !content.startsWith(MARK);
    return this.upload(path, new Blob(marked ? [MARK, content] : [content]), version);
  }

  upload(path: string, bytes: Blob, version: string, signal?: AbortSignal): Promise<Made> {
    return this.http.upload("/api/projects/{project_id}/upload", bytes, this.call({ path, version }, signal));
  }

  /** What writing this text would change in what is there. */
  compare(path: string, content: string) {
    return this.http.post("/api/projects/{project_id}/diff", { path: this.path, body: { path, content } });
  }

  async makeFolder(path: string): Promise<void> {
    await this.http.post("/api/projects/{project_id}/folders", { path: this.path, body: { path } });
  }

  async move(item: Pick<Item, "path" | "kind">, to: string): Promise<void> {
    const body = { path: item.path, to, version: await this.versionFor(item) };
    await this.http.post("/api/projects/{project_id}/move", { path: this.path, body });
  }

  async remove(item: Pick<Item, "path" | "kind">, over?: string): Promise<void> {
    const version = over ?? (await this.versionFor(item));
    const query = { path: item.path, version, recursive: item.kind === "folder" };
    await this.http.delete("/api/projects/{project_id}/file", { path: this.path, query });
  }

  bytes(path: string, signal?: AbortSignal): Promise<Blob> {
    return this.http.bytes("/api/projects/{project_id}/download", this.call({ path }, signal));
  }

  /** Where the file, or the folder as a zip, is to be had. */
  address(path: string): string {
    return this.http.address("/api/projects/{project_id}/download", this.call({ path }));
  }

  /** What a change of it is about: a file as it is now; a folder has no version. */
  private async versionFor(item: Pick<Item, "path" | "kind">): Promise<string> {
    return item.kind === "file" ? ((await this.version(item.path)) ?? "") : "";
  }

  private call<Q>(query: Q, signal?: AbortSignal) {
    return { path: this.path, query, ...(signal ? { signal } : {}) };
  }
}
