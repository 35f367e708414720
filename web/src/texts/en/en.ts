/** English, a file for each feature. */
import { app } from "./app.js";
import { ui } from "./ui.js";

export const en = { app, ui };
