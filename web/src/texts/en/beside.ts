/** Words of what stands beside the conversation: plan and changes. Files, terminal and meters have their own files. */
import { files } from "./files.js";
import { meters } from "./meters.js";
import { terminal } from "./terminal.js";

export const beside = {
  views: "Views",
  tabs: { plan: "Plan", changes: "Changes", files: "Files", terminal: "Terminal" },
  showTab: {
    plan: "Show the plan",
    changes: "Show the changes",
    files: "Show the files",
    terminal: "Show the terminal",
  },
  noProject: "There is no folder to work in.",
  noProjectHint: "Add one with “bottega projects add FOLDER” on the server's machine.",
  outside: "This session works in a folder that is none of your projects.",
  outsideHint: "Its plan and its changes are here; its files can be looked at on the server's machine.",
  failed: "This could not be loaded.",
  plan: {
    done: (done: number, all: number) => `${done} of ${all} done`,
    none: "No plan yet",
    noneHint: "For work of several steps the agent writes down what it will do, and ticks it off here.",
    noSession: "The plan of a session stands here, ticked off as the work goes on.",
    states: { pending: "To do", in_progress: "In progress", completed: "Done", cancelled: "Dropped" },
  },
  changes: {
    none: "No changes yet",
    noneHint: "Each file that the agent adds, changes or deletes is listed here, and can be put back.",
    noSession: "What a session changes in your files stands here.",
    files: (n: number) => (n === 1 ? "1 file" : `${n} files`),
    added: "Added",
    modified: "Changed",
    deleted: "Deleted",
    lines: (added: number, removed: number) => `${added} lines added, ${removed} removed`,
    binary: "no text",
    undone: "Reverted",
    edited: "Edited since",
    editedHint: "Somebody changed it after the session did. What is shown is the session's part.",
    mixed: "Mixed",
    mixedHint: "Somebody else changed it while the session worked on it.",
    imported: "Imported",
    importedHint: "Done where the session was exported, not in this folder: it cannot be reverted here.",
    unreachable: "Out of reach",
    unreachableHint: "The file, or its folder, cannot be opened now.",
    open: (path: string) => `Open ${path}`,
    revert: (path: string) => `Revert ${path}`,
    revertAll: "Revert all",
    revertAllTitle: (n: number) => (n === 1 ? "Revert 1 file?" : `Revert ${n} files?`),
    revertAllHint:
      "Every file goes back to what it was before this session. What somebody edited since is left as it is.",
    reverted: (n: number) =>
      n === 1 ? "1 file is as it was before." : `${n} files are as they were before.`,
    back: "The changes are back.",
    notBack: (path: string) => `${path} has changed since, so it was left as it is.`,
    force: "Revert anyway",
    forceHint: "What was done to it since is lost, too.",
    cut: "The difference is longer than is shown. Open the file to see all.",
    noDiff: "It has no text to compare.",
  },
  files,
  terminal,
  meters,
};
