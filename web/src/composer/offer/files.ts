/** Files of the project by a few letters of their paths. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useStudio } from "../../studio/context.js";
import { fromHere, type Place } from "../place.js";

interface FoundFile {
  /** From the folder that is worked in; a folder ends with a slash. */
  path: string;
  folder: boolean;
}

const MOST = 12;

export function useFiles(place: Place | null, query: string | null) {
  const studio = useStudio();
  const { data, isError, isFetching } = useQuery({
    queryKey: ["find", place?.projectId, place?.container, query],
    queryFn: ({ signal }) =>
      studio.http.get("/api/projects/{project_id}/find", {
        path: { project_id: place?.projectId ?? "" },
        query: { q: query ?? "", limit: MOST, container: place?.container ?? "" },
        signal,
      }),
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
