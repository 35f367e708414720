/** English, a file for each feature. */
import { app } from "./app.js";
import { beside } from "./beside.js";
import { composer } from "./composer.js";
import { conversation } from "./conversation.js";
import { first } from "./first.js";
import { prose } from "./prose.js";
import { rooms } from "./rooms.js";
import { settings } from "./settings.js";
import { ui } from "./ui.js";

export const en = {
  app,
  beside,
  composer,
  conversation,
  first,
  prose,
  rooms,
  settings,
  ui,
};
