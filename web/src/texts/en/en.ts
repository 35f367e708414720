/** English, a file for each feature. */
import { app } from "./app.js";
import { conversation } from "./conversation.js";
import { ui } from "./ui.js";

export const en = { app, conversation, ui };
