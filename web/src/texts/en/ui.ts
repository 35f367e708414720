/** Words of the parts that every feature uses. */
export const ui = {
  close: "Close",
  cancel: "Cancel",
  again: "Try again",
  undo: "Undo",
  details: "Details",
  loading: "Loading",
  broken: (name: string) => `${name} could not be shown.`,
  brokenHint: "The rest of the page works on, and nothing is lost: what was said is stored on the server.",
  signs: {
    idle: "Nothing runs",
    new: "New",
    queued: "Waits for its turn",
    working: "Working",
    waiting: "Waiting for you",
    done: "Done",
    failed: "Failed",
    stopped: "Stopped",
  },
};
