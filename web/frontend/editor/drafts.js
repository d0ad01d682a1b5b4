// What somebody typed, kept in this browser per person, problem and language. A browser without storage keeps nothing.
// A text that another one takes the place of, such as a submission to be edited, is kept too: the last few of them.

const LANGUAGE_KEY = "tally:language";
const MOST_KEPT = 5;

export function drafts(owner) {
  const key = (language) => `tally:draft:${owner}:${language}`;
  const keptKey = (language) => `tally:kept:${owner}:${language}`;
  const keptTexts = (language) => listOf(read(keptKey(language)));
  const writeKept = (language, texts) => write(keptKey(language), texts.length > 0 ? JSON.stringify(texts) : "");
  return {
    load: (language) => read(key(language)) ?? "",
    save: (language, text) => write(key(language), text),
    language: () => read(LANGUAGE_KEY),
    rememberLanguage: (language) => write(LANGUAGE_KEY, language),
    hasKept: (language) => keptTexts(language).length > 0,
    keep(language, text) {
      const others = keptTexts(language).filter((other) => other !== text);
      writeKept(language, [...others, text].slice(-MOST_KEPT));
    },
    // The text kept last; `now` is kept in its place, behind all others, so that each comes back in turn.
    swapKept(language, now) {
      const texts = keptTexts(language);
      const text = texts.pop() ?? "";
      writeKept(language, now.trim() ? [now, ...texts.filter((other) => other !== now)] : texts);
      return text;
    },
  };
}

function listOf(json) {
  try {
    const texts = JSON.parse(json ?? "[]");
    return Array.isArray(texts) ? texts.filter((text) => typeof text === "string") : [];
  } catch {
    return [];
  }
}

function read(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key, text) {
  try {
    if (text === "") localStorage.removeItem(key);
    else localStorage.setItem(key, text);
  } catch {
    // Storage is full or switched off: the text is still in the form.
  }
}
