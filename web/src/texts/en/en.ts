/** English, a file for each feature. */
import { app } from "./app.js";
import { composer } from "./composer.js";
import { prose } from "./prose.js";
import { rooms } from "./rooms.js";
import { settings } from "./settings.js";
import { ui } from "./ui.js";

export const en = { app, composer, prose, rooms, settings, ui };
