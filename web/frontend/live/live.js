// Follows a page's work (a submission, an upload) until nothing more comes. How it works: the part of the page that
// changes, #live, fetches itself (htmx) whenever it hears "tally:refresh". While it carries data-events, this module
// listens to that stream and passes each "news" on; while the stream is lost or refused, it asks about every two
// seconds instead, later every fifteen. Both addresses carry the mark of what is shown: where nothing else is to be
// shown the answer is 204, without content. "still" may bring the sentence on the place in the queue.

import { announce } from "./announce.js";
import { keepPlace } from "./keep.js";
import { notifyOfVerdict } from "./notify.js";

const POLL_MS = 2000;
const SLOW_POLL_MS = 15_000;
const QUICK_POLLS = 150; // five minutes
const NEWS_WITHIN_MS = 25_000; // the server says "still" every ten seconds

let stream = null;
let pollTimer = 0;
let silenceTimer = 0;
let polls = 0;
let isFetching = false;
let isStale = false; // news came while a fetch was under way
let announced = "";

const live = () => document.getElementById("live");
const isLive = () => Boolean(live()?.dataset.events);

// For a page with #live.
export function followLive() {
  keepPlace();
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.detail.elt.id === "live") isFetching = true;
  });
  // The part that was swapped in hears nothing before htmx has set it up, which is what "htmx:load" tells.
  document.addEventListener("htmx:load", (event) => {
    if (event.detail.elt.id === "live") fetched();
  });
  // By then the part that asked may have left the page, and detail.elt is one of its parents.
  document.addEventListener("htmx:afterRequest", (event) => {
    const { requestConfig, successful, xhr } = event.detail;
    if (requestConfig.elt.id !== "live") return;
    if (!successful) fetched();
    if (xhr.status === 204) {
      say("");
      fetched();
    }
  });
  document.addEventListener("htmx:afterSwap", () => {
    say("");
    const { title, status, waiting } = live().dataset;
    if (!waiting) notifyOfVerdict(title, status);
    if (withoutNumbers(title) !== withoutNumbers(document.title)) announceState(status);
    document.title = title;
    follow();
  });
  document.addEventListener("htmx:sendError", () => say("sayUnreachable"));
  document.addEventListener("htmx:responseError", (event) => {
    const { status } = event.detail.xhr;
    if (status !== 404) return say("sayTrouble");
    stop();
    live().removeAttribute("data-events");
    say("sayGone");
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return stop();
    if (isLive()) refresh();
    follow();
  });
  addEventListener("pagehide", stop);
  addEventListener("pageshow", follow);
}

function refresh() {
  isStale = isFetching;
  if (!isFetching) live()?.dispatchEvent(new CustomEvent("tally:refresh"));
}

function fetched() {
  isFetching = false;
  if (isStale && isLive()) refresh();
}

function follow() {
  if (!isLive()) return stop();
  if (stream && pathOf(stream.url) !== pathOf(live().dataset.events)) closeStream(); // #live shows other work now
  if (stream || pollTimer) return;
  stream = new EventSource(live().dataset.events);
  stream.addEventListener("news", onNews);
  stream.addEventListener("still", onStill);
  stream.addEventListener("finished", pollInstead); // the last "news" fetches the part that hears nothing more
  stream.addEventListener("unavailable", pollInstead);
  stream.onerror = pollInstead;
  expectNews();
}

const pathOf = (address) => new URL(address, location.href).pathname;

function onNews() {
  expectNews();
  refresh();
}

// Speaks the page's state, once: not the progress of what goes on, and not again what has been spoken of it.
function announceState(status) {
  if (status === announced) return;
  const isMore = announced && status.startsWith(announced);
  announce(isMore ? status.slice(announced.length).trim() : status);
  announced = status;
}

const withoutNumbers = (words) => words.replace(/\d[\d.,\s\u00a0\u202f]*/gu, "");

// The place in the queue changes without news of this submission: the stream has the new sentence itself.
function onStill(event) {
  expectNews();
  const caption = live()?.querySelector("[data-caption]");
  if (caption && event.data) caption.textContent = event.data;
}

function expectNews() {
  clearTimeout(silenceTimer);
  silenceTimer = setTimeout(pollInstead, NEWS_WITHIN_MS);
}

function closeStream() {
  clearTimeout(silenceTimer);
  stream?.close();
  stream = null;
}

function pollInstead() {
  closeStream();
  if (pollTimer || !isLive()) return;
  polls += 1;
  pollTimer = setTimeout(
    () => {
      pollTimer = 0;
      refresh();
      // now and then the stream gets another chance
      if (polls % 5 === 0) follow();
      else pollInstead();
    },
    (polls < QUICK_POLLS ? POLL_MS : SLOW_POLL_MS) * (0.75 + Math.random() / 2), // many pages lose it together
  );
}

function stop() {
  closeStream();
  clearTimeout(pollTimer);
  pollTimer = 0;
  polls = 0;
}

// Which of the page's sentences in data-say-* to show; "": none.
function say(name) {
  const note = document.getElementById("live-trouble");
  const trouble = name && note.dataset[name];
  note.hidden = !trouble;
  if (note.textContent !== trouble) note.textContent = trouble;
}
