/** What scrolls by itself: reachable by the keyboard, and with a name. No landmark: there may be hundreds in a page. */
import type { ReactNode } from "react";

interface Props {
  label: string;
  children: ReactNode;
  className?: string;
  as?: "pre" | "div";
}

export function Scrolls({ label, children, className, as: Tag = "pre" }: Props) {
  return (
    <Tag tabIndex={0} role="group" aria-label={label} className={className}>
      {children}
    </Tag>
  );
}
