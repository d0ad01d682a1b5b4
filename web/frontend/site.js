// Loaded on every page: htmx, copy buttons, the upload page, problems that are typed, choices to compare, live pages, notifications.
import htmx from "htmx.org";

import { askWhenOpened } from "./ask.js";
import { enhanceChoice } from "./choose.js";
import { enhanceCopyButtons } from "./copy.js";
import { followLive } from "./live.js";
import { offerNotification } from "./notify.js";
import { enhancePlaces } from "./places.js";
import { revealTargets } from "./reveal.js";
import { enhanceUpload } from "./upload.js";
import { enhanceTyped } from "./wizard.js";

window.htmx = htmx;
htmx.onLoad((element) => {
  enhanceCopyButtons(element);
  enhanceUpload(element);
  enhanceTyped(element);
  enhancePlaces(element);
});
document.querySelectorAll("form.choose").forEach(enhanceChoice);
if (document.getElementById("live")) followLive();
askWhenOpened();
document.querySelectorAll("button[data-notify]").forEach(offerNotification);
revealTargets();
