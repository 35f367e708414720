/** How this browser shows the studio, and how it calls. Kept in the browser alone. */
import {
  condense,
  DENSITIES,
  type Density,
  density,
  resize,
  SIZES,
  type Size,
  size,
} from "../../look/appearance.js";
import { choose, THEMES, type Theme, theme } from "../../look/theme.js";
import { ENTERS, type Enter, enter, setEnter } from "../../studio/enter.js";
import { useKept } from "../../studio/kept.js";
import { useNotifying } from "../../studio/notifying.js";
import { sound } from "../../studio/sound.js";
import { useWatch } from "../../studio/watch.js";
import { texts } from "../../texts/texts.js";
import { Choice, Switch } from "../one/choice.js";

export function Appearance() {
  const words = texts.settings.appearance;
  const [hearing, setHearing] = useKept("sound", false);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  return (
    <div className="flex flex-col gap-5">
      <Choice
        label={texts.rooms.theme}
        value={useWatch(theme)}
        options={THEMES.map((each) => [each, texts.rooms.themes[each]])}
        onChange={(next) => choose(next as Theme)}
      />
      <Choice
        label={words.size}
        value={useWatch(size)}
        options={SIZES.map((each) => [each, words.sizes[each]])}
        onChange={(next) => resize(next as Size)}
      />
      <Choice
        label={words.density}
        value={useWatch(density)}
        options={DENSITIES.map((each) => [each, words.densities[each]])}
        onChange={(next) => condense(next as Density)}
      />
      <Choice
        label={words.enter}
        value={useWatch(enter)}
        options={ENTERS.map((each) => [each, words.enters[each]])}
        onChange={(next) => setEnter(next as Enter)}
      />
      <Notifications />
      <Switch
        label={words.sound}
        about={words.soundAbout}
        on={hearing}
        onChange={(on) => {
          setHearing(on);
          sound("waiting", on);
        }}
      />
      <p className="text-xs text-ink-2">{still ? words.still : words.moving}</p>
      <p className="text-xs text-ink-2">{words.here}</p>
    </div>
  );
}

function Notifications() {
  const words = texts.settings.appearance;
  const notifying = useNotifying();
  const able = notifying.state !== "impossible" && notifying.state !== "refused";
  return (
    <Switch
      label={words.notify}
      about={words.notifyStates[notifying.state]}
      on={notifying.state === "on"}
      disabled={!able}
      onChange={(on) => (on ? void notifying.allow() : notifying.refuse())}
    />
  );
}
