/** Typed calls of a server's routes: paths, parameters, bodies and answers are those of its OpenAPI document. */

import { pageHeaders } from "./page-key.js";
import type { components, paths } from "./schema.js";

export type Schema<N extends keyof components["schemas"]> = components["schemas"][N];

type Method = "get" | "post" | "put" | "patch" | "delete";
type Json<C> = C extends { content: { "application/json": infer B } } ? B : undefined;
type Good<R> = R extends { responses: infer S } ? Json<S[keyof S & (200 | 201 | 202 | 204)]> : never;
type Body<R> = R extends { requestBody?: infer B } ? Json<NonNullable<B>> : undefined;
type Named<R, K extends "path" | "query"> = R extends { parameters: { [k in K]?: infer P } } ? P : undefined;

export interface Call<R> {
  path?: Named<R, "path">;
  query?: Named<R, "query">;
  body?: Body<R>;
  signal?: AbortSignal;
}

export interface Place {
  /** Where the server is; empty: where this page came from. */
  address: string;
  /** For programs: `Authorization`. A browser has its cookie. */
  headers?: Record<string, string>;
}

/** What a server says went wrong (RFC 9457). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    readonly detail: string,
    readonly hint = "",
    /** Of a conflict about a file: the version that is there; empty: none. */
    readonly version: string | null = null,
  ) {
    super(`${detail} ${hint}`.trim());
  }
}

export class Http {
  constructor(readonly place: Place) {}

  get = <P extends keyof paths>(path: P, call?: Call<paths[P]["get"]>) => this.call("get", path, call);
  post = <P extends keyof paths>(path: P, call?: Call<paths[P]["post"]>) => this.call("post", path, call);
  put = <P extends keyof paths>(path: P, call?: Call<paths[P]["put"]>) => this.call("put", path, call);
  patch = <P extends keyof paths>(path: P, call?: Call<paths[P]["patch"]>) => this.call("patch", path, call);
  delete = <P extends keyof paths>(path: P, call?: Call<paths[P]["delete"]>) =>
    this.call("delete", path, call);

  /** Where a route is: for a link. */
  address = <P extends keyof paths>(path: P, call: Call<paths[P]["get"]> = {}): string =>
    this.place.address + filled(path as string, call.path, call.query);

  /** The bytes that a route answers with. */
  async bytes<P extends keyof paths>(path: P, call: Call<paths[P]["get"]> = {}): Promise<Blob> {
    return (await this.reach("get", path as string, call)).blob();
  }

  /** Give a route bytes. */
  async upload<P extends keyof paths>(
    path: P,
    bytes: Blob,
    call: Call<paths[P]["post"]> = {},
  ): Promise<Good<paths[P]["post"]>> {
    const answer = await this.reach("post", path as string, call, bytes, "application/octet-stream");
    return (await answer.json()) as Good<paths[P]["post"]>;
  }

  private async call<P extends keyof paths, M extends Method>(
    method: M,
    path: P,
    call: Call<paths[P][M]> = {},
  ): Promise<Good<paths[P][M]>> {
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const text = await (await this.reach(method, path as string, call, body, "application/json")).text();
    return (text ? JSON.parse(text) : undefined) as Good<paths[P][M]>;
  }

  /** Ask, and have an answer that is good. */
  private async reach(
    method: Method,
    path: string,
    call: { path?: unknown; query?: unknown; signal?: AbortSignal },
    body?: BodyInit,
    type = "",
  ): Promise<Response> {
    const headers: Record<string, string> = { ...pageHeaders(), ...this.place.headers };
    const init: RequestInit = { method: method.toUpperCase(), headers, credentials: "same-origin" };
    if (body !== undefined) {
      headers["Content-Type"] = type;
      init.body = body;
    }
    if (call.signal) init.signal = call.signal;
    const answer = await reached(this.place.address + filled(path, call.path, call.query), init);
    if (!answer.ok) throw problem(answer.status, await answer.text());
    return answer;
  }
}

/** What went wrong, in words. */
export function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What the server answers; nobody there is a problem like any other, with status 0. */
async function reached(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Problem(0, "unreachable", "The server does not answer.", "It is tried again.");
  }
}

function filled(path: string, names: unknown, query: unknown): string {
  const known = (names ?? {}) as Record<string, string>;
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(known[name] ?? ""));
  const asked = Object.entries((query ?? {}) as Record<string, unknown>).filter(
    ([, value]) => value !== undefined,
  );
  return asked.length ? `${place}?${new URLSearchParams(asked.map(([k, v]) => [k, String(v)]))}` : place;
}

function problem(status: number, text: string): Problem {
  try {
    const told = JSON.parse(text) as Schema<"ProblemShape">;
    return new Problem(status, told.code, told.detail, told.hint, told.version ?? null);
  } catch {
    return new Problem(status, "problem", `The server answered with status ${status}.`);
  }
}
