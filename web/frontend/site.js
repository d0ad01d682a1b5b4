// Loaded on every page: htmx, the menu, copy buttons, the upload page, problems that are typed, choices to compare, lists
// to search, live pages, notifications, announcements, the time zone.
import htmx from "htmx.org";

import { announcePart, prepareAnnouncements } from "./live/announce.js";
import { askWhenOpened } from "./live/ask.js";
import { followLive } from "./live/live.js";
import { offerNotification } from "./live/notify.js";
import { revealTargets } from "./live/reveal.js";
import { enhanceChosenPictures } from "./making/chosen.js";
import { enhancePlaces } from "./making/places.js";
import { enhanceUpload } from "./making/upload.js";
import { enhanceTyped } from "./making/wizard.js";
import { enhanceChoice } from "./parts/choose.js";
import { enhanceCopyButtons } from "./parts/copy.js";
import { enhanceFilter } from "./parts/filter.js";
import { closeMenuByItself } from "./parts/menu.js";
import { tellTimeZone } from "./parts/zone.js";

globalThis.htmx = htmx;
tellTimeZone();
prepareAnnouncements();
htmx.onLoad((element) => {
  announcePart(element);
  enhanceCopyButtons(element);
  enhanceUpload(element);
  enhanceTyped(element);
  enhanceChosenPictures(element);
  enhancePlaces(element);
});
document.querySelectorAll("form.choose").forEach(enhanceChoice);
document.querySelectorAll("input[data-filter]").forEach(enhanceFilter);
if (document.getElementById("live")) followLive();
askWhenOpened();
document.querySelectorAll("details.menu").forEach(closeMenuByItself);
document.querySelectorAll("button[data-notify]").forEach(offerNotification);
revealTargets();
