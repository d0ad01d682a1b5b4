// Tells the server the browser's time zone, in a cookie for a year: times are shown in it unless the account chose
// another one (web/identity/preferences.py). The first page of a new browser is in UTC, and says so.
export function tellTimeZone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const secure = location.protocol === "https:" ? "; secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: Safari and Firefox have had cookieStore since 2025 only
  if (zone) document.cookie = `time_zone=${zone}; path=/; max-age=31536000; samesite=lax${secure}`;
}
