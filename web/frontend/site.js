// Loaded on every page: htmx, copy buttons, and the upload page.
import htmx from "htmx.org";

import { enhanceCopyButtons } from "./copy.js";
import { enhanceUpload } from "./upload.js";

window.htmx = htmx;
htmx.onLoad((element) => {
  enhanceCopyButtons(element);
  enhanceUpload(element);
});
