// Loaded on every page: htmx, copy buttons, the upload page, and problems that are typed.
import htmx from "htmx.org";

import { enhanceCopyButtons } from "./copy.js";
import { enhanceUpload } from "./upload.js";
import { enhanceTyped } from "./wizard.js";

window.htmx = htmx;
htmx.onLoad((element) => {
  enhanceCopyButtons(element);
  enhanceUpload(element);
  enhanceTyped(element);
});
