/** English, a file for each feature. */
import { app } from "./app.js";
import { beside } from "./beside.js";
import { ui } from "./ui.js";

export const en = { app, beside, ui };
