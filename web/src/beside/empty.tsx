/** A view that has nothing to show yet, and what will stand in it. */
import type { ReactNode } from "react";

export function Empty({ title, hint, children }: { title: string; hint?: string; children?: ReactNode }) {
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-1 p-6 text-center">
      <p className="max-w-72 text-base text-ink-2">{title}</p>
      {hint && <p className="max-w-72 text-sm text-ink-3">{hint}</p>}
      {children && <div className="mt-3 flex flex-wrap justify-center gap-2">{children}</div>}
    </div>
  );
}
