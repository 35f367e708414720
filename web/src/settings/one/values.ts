/** The settings of the server: read with where each comes from, and changed in the host's own file. */
import { useQueryClient } from "@tanstack/react-query";
import type { Schema } from "../../api/http.js";
import { useAnswer, useStudio } from "../../studio/context.js";

export type Setting = Schema<"Setting">;

export function useSettings() {
  return useAnswer(["settings"], ({ http }, signal) => http.get("/api/settings", { signal }));
}

/** Change one; null takes it out of the file. Whatever may depend on it is asked for anew. */
export function useChange() {
  const { http } = useStudio();
  const queries = useQueryClient();
  return async (name: string, value: unknown) => {
    const page = await http.patch("/api/settings", { body: { [name]: value } });
    queries.setQueryData(["settings"], page);
    for (const key of ["models", "agents", "rules", "instructions"])
      void queries.invalidateQueries({ queryKey: [key] });
  };
}
