// A notification of the browser when a verdict arrives while its page is in the background. Off until the reader presses
// the button, which also asks the browser once; pressing again turns it off. The choice is kept in this browser.

const KEY = "tally:notify";

let isTold = false; // one notification for a page

export function offerNotification(button) {
  if (!globalThis.Notification) return;
  button.hidden = false;
  show(button);
  button.addEventListener("click", async () => {
    if (isOn()) localStorage.removeItem(KEY);
    else if ((await Notification.requestPermission()) === "granted") localStorage.setItem(KEY, "1");
    show(button);
  });
}

export function notifyOfVerdict(title, status) {
  const button = document.querySelector("[data-notify]"); // there is none where the verdict was known from the start
  if (!button) return;
  button.hidden = true;
  if (isTold || !document.hidden || !globalThis.Notification || !isOn()) return;
  isTold = true;
  try {
    const notification = new Notification(title, { body: status, tag: location.pathname });
    notification.onclick = () => {
      globalThis.focus();
      notification.close();
    };
  } catch {
    // Chromium on Android has notifications of service workers only.
  }
}

function isOn() {
  return Notification.permission === "granted" && localStorage.getItem(KEY) !== null;
}

function show(button) {
  const isRefused = Notification.permission === "denied";
  button.disabled = isRefused;
  const { sayRefused, sayOn, sayOff } = button.dataset;
  if (isRefused) button.textContent = sayRefused;
  else button.textContent = isOn() ? sayOn : sayOff;
}
