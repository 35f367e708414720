/** The sign of a tool: one for each sort of work. */
import {
  BookOpen,
  CircleHelp,
  FilePen,
  FilePlus,
  FileText,
  FolderTree,
  Globe,
  History,
  ListChecks,
  type LucideIcon,
  Plug,
  Search,
  SquareTerminal,
  Users,
  Wrench,
} from "lucide-react";

const ICONS: Record<string, LucideIcon> = {
  read_file: FileText,
  write_file: FilePlus,
  patch_file: FilePen,
  multi_edit: FilePen,
  list_dir: FolderTree,
  glob: Search,
  grep: Search,
  bash_exec: SquareTerminal,
  shell_open: SquareTerminal,
  shell_exec: SquareTerminal,
  shell_close: SquareTerminal,
  read_output: FileText,
  get_project_info: BookOpen,
  recall: History,
  todo_read: ListChecks,
  todo_write: ListChecks,
  web_fetch: Globe,
  delegate: Users,
  ask_user: CircleHelp,
};

export function ToolIcon({ name }: { name: string }) {
  const Icon = ICONS[name] ?? (name.startsWith("mcp__") ? Plug : Wrench);
  return <Icon size={14} className="shrink-0 text-ink-3" aria-hidden />;
}
