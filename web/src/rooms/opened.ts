/** Which window of ours is over the page. */
import { Watch } from "../studio/watch.js";

export const opened = new Watch<"" | "palette" | "keys">("");
