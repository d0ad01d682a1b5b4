// The languages of the editor. How it works: CodeMirror's stream modes read a source line by line. Its grammars build a
// syntax tree, and weigh almost as much as the rest of the editor; what a tree would add here are the colours of calls
// and types, which `withNames` tells from how a name looks, and from the names that each language's record adds.
import { StreamLanguage } from "@codemirror/language";
import { tags } from "@lezer/highlight";

// biome-ignore lint/performance/noNamespaceImport: records name the modes, and each is in the bundle
import * as modes from "./modes.js";

const CAPITALISED = /^[A-Z]\w*[a-z]/u;

function withNames(mode, { keywords, types, atoms_are_types: atomsAreTypes }) {
  const [isKeyword, isType] = [new Set(keywords), new Set(types)];
  const token = (stream, state) => {
    const style = mode.token(stream, state);
    if (style !== "variable") return style;
    const name = stream.current();
    if (isKeyword.has(name)) return "keyword";
    if (stream.peek() === "(") return "variableName.function";
    return isType.has(name) || CAPITALISED.test(name) ? "typeName" : style;
  };
  return StreamLanguage.define({ ...mode, token, tokenTable: atomsAreTypes ? { atom: tags.typeName } : {} });
}

const records = JSON.parse(document.getElementById("editor-modes").textContent); // {"cpp": {"mode": "cpp", ...}, ...}
const languages = {};

export function languageOf(id) {
  if (!records[id]) return [];
  // biome-ignore lint/performance/noDynamicNamespaceImportAccess: as above
  languages[id] ??= withNames(modes[records[id].mode], records[id]);
  return languages[id];
}
