/** A thin arc that is filled by so many per cent; what it says stands beside it in words. */
const AROUND = 2 * Math.PI * 6;

export function Arc({ percent }: { percent: number }) {
  const filled = Math.min(1, Math.max(0, percent / 100)) * AROUND;
  const colour = percent >= 90 ? "text-bad" : percent >= 75 ? "text-care" : "text-ink-2";
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden className={`-rotate-90 ${colour}`}>
      <circle cx="8" cy="8" r="6" fill="none" strokeWidth="2" className="stroke-line" />
      <circle
        cx="8"
        cy="8"
        r="6"
        fill="none"
        strokeWidth="2"
        stroke="currentColor"
        strokeLinecap="round"
        strokeDasharray={`${filled} ${AROUND}`}
        visibility={percent > 0 ? "visible" : "hidden"}
      />
    </svg>
  );
}
