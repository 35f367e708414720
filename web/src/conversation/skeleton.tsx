/** The place of a conversation that is being read: as high as what comes. */
import { texts } from "../texts/texts.js";

export function Skeleton() {
  return (
    <div role="status" aria-label={texts.conversation.loading} className="min-h-0 flex-1 overflow-hidden">
      <div aria-hidden className="mx-auto flex w-full max-w-[760px] flex-col gap-6 px-4 pt-8">
        {["w-2/5", "w-3/5", "w-1/2"].map((width) => (
          <div key={width} className="flex flex-col gap-4">
            <div className="border-l-2 border-line pl-3">
              <div className={`h-4 rounded-control bg-sunken ${width}`} />
            </div>
            <div className="flex flex-col gap-2">
              <div className="h-4 w-24 rounded-control bg-sunken" />
              <div className="h-4 rounded-control bg-sunken" />
              <div className="h-4 w-11/12 rounded-control bg-sunken" />
              <div className="h-4 w-4/5 rounded-control bg-sunken" />
            </div>
          </div>
        ))}
      </div>
    </div>
  );
}
