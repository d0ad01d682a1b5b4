// Loaded on every page: htmx, the menu, copy buttons, the upload page, problems that are typed, choices to compare, lists
// to search, live pages, notifications, announcements, the time zone.
import htmx from "htmx.org";

import { announcePart, prepareAnnouncements } from "./announce.js";
import { askWhenOpened } from "./ask.js";
import { enhanceChoice } from "./choose.js";
import { enhanceChosenPictures } from "./chosen.js";
import { enhanceCopyButtons } from "./copy.js";
import { enhanceFilter } from "./filter.js";
import { followLive } from "./live.js";
import { closeMenuByItself } from "./menu.js";
import { offerNotification } from "./notify.js";
import { enhancePlaces } from "./places.js";
import { revealTargets } from "./reveal.js";
import { enhanceUpload } from "./upload.js";
import { enhanceTyped } from "./wizard.js";
import { tellTimeZone } from "./zone.js";

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
