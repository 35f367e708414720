/** English, a file for each feature. */
import { app } from "./app.js";
import { composer } from "./composer.js";
import { ui } from "./ui.js";

export const en = { app, composer, ui };
