/** Files of the project by a few letters of their paths. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useStudio } from "../../studio/context.js";
import { fromHere, type Place } from "../place.js";

export interface FoundFile {
  /** From the folder that is worked in; a folder ends with a slash. */
  path: string;
  folder: boolean;
}
interface Answer {
  found: { path: string; kind: "file" | "folder" }[];
  whole: boolean;
}

const MOST = 12;

export function useFiles(place: Place | null, query: string | null) {
  const studio = useStudio();
  const { data, isError, isFetching } = useQuery({
    queryKey: ["find", place?.projectId, place?.container, query],
    queryFn: ({ signal }) => find(studio.root, place!, query ?? "", signal),
    enabled: place !== null && query !== null,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  });
  const found: FoundFile[] = (data?.found ?? []).map(({ path, kind }) => ({
    path: fromHere(place!, path) + (kind === "folder" ? "/" : ""),
    folder: kind === "folder",
  }));
  return { found, whole: data?.whole ?? true, failed: isError, busy: isFetching && !data };
}

async function find(root: string, place: Place, q: string, signal: AbortSignal): Promise<Answer> {
  const asked = new URLSearchParams({ q, limit: String(MOST), container: place.container });
  const answer = await fetch(`${root}/api/projects/${encodeURIComponent(place.projectId)}/find?${asked}`, {
    signal,
    credentials: "same-origin",
  });
  if (!answer.ok) throw new Error(String(answer.status));
  return (await answer.json()) as Answer;
}
