/** Something went wrong: what, why, and the likely way out; the rest is folded. */
import { TriangleAlert } from "lucide-react";
import { Component, type ReactNode } from "react";
import { texts } from "../texts/texts.js";
import { Button } from "./button.js";

interface Props {
  title: string;
  detail?: ReactNode;
  action?: { label: string; run(): void };
  more?: string;
}

export function ProblemBox({ title, detail, action, more }: Props) {
  return (
    <div
      role="alert"
      className="flex flex-col gap-2 rounded-panel border border-bad/50 bg-surface p-3 text-sm"
    >
      <p className="flex items-start gap-2 font-medium text-bad">
        <TriangleAlert size={16} className="mt-0.5 shrink-0" aria-hidden />
        {title}
      </p>
      {detail && <div className="text-ink-2">{detail}</div>}
      {more && (
        <details className="text-xs text-ink-2">
          <summary>{texts.ui.details}</summary>
          <pre className="mt-1 max-h-60 overflow-auto rounded-control bg-sunken p-2 font-mono whitespace-pre-wrap">
            {more}
          </pre>
        </details>
      )}
      {action && (
        <div>
          <Button onClick={action.run}>{action.label}</Button>
        </div>
      )}
    </div>
  );
}

/** A part of the page that fails alone. */
export class Fence extends Component<{ children: ReactNode; name: string }, { error: Error | null }> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="p-3">
        <ProblemBox
          title={texts.ui.broken(this.props.name)}
          detail={texts.ui.brokenHint}
          more={error.stack ?? error.message}
          action={{ label: texts.ui.again, run: () => this.setState({ error: null }) }}
        />
      </div>
    );
  }
}
