/** What the session changed in files: each with its difference, and a way back. */
import { useQueryClient } from "@tanstack/react-query";
import { Undo2 } from "lucide-react";
import { useState } from "react";
import { useAnswer, useSession, useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Dialog } from "../../ui/dialog.js";
import { ProblemBox } from "../../ui/problem.js";
import { sayProblem } from "../../ui/toasts.js";
import { Empty } from "../empty.js";
import type { Where } from "../place.js";
import { filesChanged, useEachPulse } from "../pulse.js";
import { ChangeRow, Counts } from "./change-row.js";
import { type Change, revert } from "./reverting.js";

export function Changes({ place: where }: { place: Where }) {
  const place = "projectId" in where ? where : null;
  const { http } = useStudio();
  const { sessionId } = useSession();
  const queries = useQueryClient();
  const [refused, setRefused] = useState<Record<string, string>>({});
  const [busy, setBusy] = useState<string[]>([]);
  const [asking, setAsking] = useState(false);
  const { data, error, refetch } = useAnswer(["changes", sessionId], ({ http }, signal) =>
    http.get("/api/sessions/{session_id}/changes", { path: { session_id: sessionId }, signal }),
  );
  const again = () => void queries.invalidateQueries({ queryKey: ["changes", sessionId] });
  useEachPulse(again);

  const undo = async (changes: Change[], force = false) => {
    const paths = changes.map(({ path }) => path);
    setBusy((now) => [...now, ...paths]);
    try {
      const undone = await revert(http, sessionId, place, { paths, all: false, force }, changes);
      setRefused((before) => {
        const rest = Object.entries(before).filter(([path]) => !paths.includes(path));
        return { ...Object.fromEntries(rest), ...undone.refused };
      });
      filesChanged();
    } catch (problem) {
      sayProblem(problem);
    } finally {
      setBusy((now) => now.filter((path) => !paths.includes(path)));
      again();
    }
  };

  const { beside, ui } = texts;
  if (!data)
    return error ? (
      <div className="p-3">
        <ProblemBox
          title={beside.failed}
          detail={error.message}
          action={{ label: ui.again, run: () => void refetch() }}
        />
      </div>
    ) : (
      <p className="p-4 text-sm text-ink-3">{ui.loading}</p>
    );
  const { changes } = data;
  if (!changes.length) return <Empty title={beside.changes.none} hint={beside.changes.noneHint} />;
  const standing = changes.filter(({ now, imported }) => now !== "undone" && !imported);
  return (
    <>
      <div className="flex h-10 shrink-0 items-center gap-3 border-b border-line pr-2 pl-4 text-sm max-mid:h-12">
        <p role="status" className="min-w-0 flex-1 text-ink-2">
          {beside.changes.files(changes.length)} <Counts of={totals(changes)} />
        </p>
        <Button
          small
          kind="quiet"
          icon={<Undo2 size={14} aria-hidden />}
          disabled={!standing.length}
          busy={busy.length > 1}
          onClick={() => setAsking(true)}
        >
          {beside.changes.revertAll}
        </Button>
      </div>
      <ul aria-label={beside.tabs.changes} className="min-h-0 flex-1 overflow-y-auto py-1">
        {changes.map((change) => (
          <ChangeRow
            key={change.path}
            change={change}
            place={place}
            busy={busy.includes(change.path)}
            refused={change.now === "undone" ? undefined : refused[change.path]}
            onRevert={(force) => void undo([change], force)}
          />
        ))}
      </ul>
      <Dialog
        title={beside.changes.revertAllTitle(standing.length)}
        about={beside.changes.revertAllHint}
        open={asking}
        onClose={() => setAsking(false)}
      >
        <div className="flex justify-end gap-2">
          <Button onClick={() => setAsking(false)}>{ui.cancel}</Button>
          <Button
            kind="danger"
            onClick={() => {
              setAsking(false);
              void undo(standing);
            }}
          >
            {beside.changes.revertAll}
          </Button>
        </div>
      </Dialog>
    </>
  );
}

function totals(changes: Change[]) {
  const sum = (of: "added" | "removed") => changes.reduce((all, each) => all + (each[of] ?? 0), 0);
  return { added: sum("added"), removed: sum("removed") };
}
