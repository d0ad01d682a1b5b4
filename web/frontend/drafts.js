// What somebody typed, kept in this browser per person, problem and language. A browser without storage keeps nothing.

const LANGUAGE_KEY = "tally:language";

export function drafts(owner) {
  const key = (language) => `tally:draft:${owner}:${language}`;
  return {
    load: (language) => read(key(language)) ?? "",
    save: (language, text) => write(key(language), text),
    language: () => read(LANGUAGE_KEY),
    rememberLanguage: (language) => write(LANGUAGE_KEY, language),
  };
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
