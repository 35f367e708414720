/**
 * Terminals over the socket: whoever watches one is given each byte once and in order, however often the connection is
 * lost, as it is attached again at the byte that was given last.
 *
 * What is typed is said once: a key that nobody heard is told to be lost, never typed later.
 */
import type { FrameIn, FrameOut } from "./client.js";
import { Problem, type Schema } from "./http.js";

export interface Watcher {
  /** What it printed; `missed`: bytes before it that are no longer kept. `old`: printed before it was attached. */
  printed(text: string, missed: number, old: boolean): void;
  ended(exitCode: number | null): void;
  /** Watched again, no longer, or never again: the shell is not there any more. */
  state(state: "attached" | "lost" | "gone"): void;
}

interface Watched {
  projectId: string;
  watcher: Watcher;
  /** The byte to go on from. */
  next: number;
  /** How much it had printed when it was attached. */
  size: number;
  attaching: boolean;
}

export interface Line {
  ask(frame: FrameIn): Promise<FrameOut>;
  tell(frame: FrameIn): boolean;
}

/** Characters of one frame; a paste is cut into so many. */
const PIECE = 16_000;

export class Shells {
  private watched = new Map<string, Watched>();

  constructor(private line: Line) {}

  /** Watch a shell from a byte on; the answer ends it. One watcher a shell: the last one counts. */
  watch(projectId: string, shellId: string, watcher: Watcher, offset = 0): () => void {
    const watched = { projectId, watcher, next: offset, size: 0, attaching: false };
    this.watched.set(shellId, watched);
    this.attach(shellId, watched);
    return () => {
      if (this.watched.get(shellId) !== watched) return;
      this.watched.delete(shellId);
      this.line.tell({ type: "shell-detach", project_id: projectId, shell_id: shellId });
    };
  }

  /** Type it; false: there is no connection, and it was not typed. */
  type(projectId: string, shellId: string, text: string): boolean {
    for (const piece of pieces(text)) {
      const frame = { type: "shell-input" as const, project_id: projectId, shell_id: shellId, text: piece };
      if (!this.line.tell(frame)) return false;
    }
    return true;
  }

  resize(projectId: string, shellId: string, columns: number, rows: number): boolean {
    return this.line.tell({
      type: "shell-resize",
      project_id: projectId,
      shell_id: shellId,
      columns,
      rows,
    });
  }

  hear(frame: Schema<"OutShellOutput"> | Schema<"OutShellEnded">): void {
    const watched = this.watched.get(frame.shell_id);
    if (!watched) return;
    if (frame.type === "shell-ended") {
      watched.watcher.ended(frame.exit_code);
      return;
    }
    if (frame.next <= watched.next) return;
    const missed = Math.max(0, frame.offset - watched.next);
    watched.next = frame.next;
    watched.watcher.printed(frame.text, missed, frame.next <= watched.size);
  }

  /** The socket is new: go on where each was. */
  again(): void {
    for (const [shellId, watched] of this.watched) this.attach(shellId, watched);
  }

  lost(): void {
    for (const { watcher } of this.watched.values()) watcher.state("lost");
  }

  private attach(shellId: string, watched: Watched): void {
    // One that is not answered yet is said again by the line itself: nothing came since.
    if (watched.attaching) return;
    watched.attaching = true;
    const named = { project_id: watched.projectId, shell_id: shellId };
    const current = () => this.watched.get(shellId) === watched;
    this.line
      .ask({ type: "shell-attach", ...named, offset: watched.next })
      .then(
        (answer) => {
          if (!current()) this.line.tell({ type: "shell-detach", ...named });
          else if (answer.type === "shell-attached") {
            watched.size = answer.size;
            watched.watcher.state("attached");
          }
        },
        (error: unknown) => {
          if (current()) watched.watcher.state(error instanceof Problem ? "gone" : "lost");
        },
      )
      .finally(() => {
        watched.attaching = false;
      });
  }
}

function* pieces(text: string): Generator<string> {
  const points = text.length > PIECE ? [...text] : [text];
  if (points.length === 1) yield text;
  else for (let at = 0; at < points.length; at += PIECE) yield points.slice(at, at + PIECE).join("");
}
