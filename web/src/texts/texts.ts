/** Every word that a person reads, in the language of this page. Another language is another folder of the same shape. */
import { en } from "./en/en.js";

export type Texts = typeof en;
export const texts: Texts = en;
