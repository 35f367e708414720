/** One field that knows whose key it is; the key is tried, and kept if the provider takes it, or if the person insists. */
import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { useAnswer, useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { Field } from "../../ui/field.js";
import { say, sayProblem } from "../../ui/toasts.js";
import { Choice } from "../one/choice.js";
import { Told, useTesting } from "./testing.js";

/** Which providers there are that take a key, those first whose keys look like this one. */
function useWhose(key: string) {
  // A key is no part of a name under which answers are kept: only how it begins.
  const begin = key.trim().slice(0, 12);
  return useAnswer(
    ["whose", begin],
    ({ http }, signal) => http.post("/api/keys/whose", { body: { key: begin || "?" }, signal }),
    { stale: 60_000 },
  ).data;
}

export function AddKey() {
  const { keys } = texts.settings;
  const { http } = useStudio();
  const queries = useQueryClient();
  const [key, setKey] = useState("");
  const [chosen, setChosen] = useState("");
  const testing = useTesting();
  const whose = useWhose(key);
  const all = whose ? [...whose.fits, ...whose.others] : [];
  // One that could be of several goes to nobody before one is chosen.
  const name = chosen || (key && whose?.fits.length === 1 && whose.fits[0]) || "";
  const keepIt = async () => {
    await http.put("/api/keys/{name}", { path: { name }, body: { key: key.trim() } });
    void queries.invalidateQueries({ queryKey: ["keys"] });
    void queries.invalidateQueries({ queryKey: ["models"] });
    say(keys.added(name));
    setKey("");
    setChosen("");
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() && name && (await testing.test(name, key.trim()))) await keepIt().catch(sayProblem);
  };
  return (
    <form
      onSubmit={(event) => void submit(event)}
      className="flex flex-col gap-3 rounded-panel border border-line bg-surface p-3"
    >
      <Field
        label={keys.key}
        about={keys.keyAbout}
        type="password"
        autoComplete="off"
        spellCheck={false}
        value={key}
        onChange={(event) => {
          setKey(event.target.value);
          testing.forget();
        }}
      />
      <Choice
        label={keys.provider}
        value={name}
        options={[["", keys.choose], ...all.map((each): [string, string] => [each, each])]}
        onChange={setChosen}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" kind="main" busy={testing.busy} disabled={!key.trim() || !name}>
          {keys.testAndKeep}
        </Button>
        {testing.told && !testing.told.takes && key && (
          <Button onClick={() => void keepIt().catch(sayProblem)}>{keys.keepAnyway}</Button>
        )}
      </div>
      <Told told={testing.told} />
    </form>
  );
}
