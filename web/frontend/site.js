// Loaded on every page: htmx with its event-stream extension, and copy buttons.
import htmx from "htmx.org";
import "htmx-ext-sse";

import { enhanceCopyButtons } from "./copy.js";

window.htmx = htmx;
enhanceCopyButtons(document);
htmx.onLoad((element) => enhanceCopyButtons(element));
