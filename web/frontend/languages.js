// The languages of the editor. How it works: CodeMirror's stream modes read a source line by line. Its grammars build a
// syntax tree, and weigh almost as much as the rest of the editor; what a tree would add here are the colours of calls
// and types, which `withNames` tells from how a name looks.
import { StreamLanguage } from "@codemirror/language";
import { cpp } from "@codemirror/legacy-modes/mode/clike";
import { python } from "@codemirror/legacy-modes/mode/python";
import { rust } from "@codemirror/legacy-modes/mode/rust";
import { tags } from "@lezer/highlight";

const CAPITALISED = /^[A-Z]\w*[a-z]/u;
const OF_THE_LIBRARY =
  "array bitset deque list map multimap multiset optional pair priority_queue queue set stack string string_view tuple unordered_map unordered_set variant vector";

// More words than a mode knows, each list in one string.
function withNames(mode, { keywords = "", types = "", tokenTable = {} } = {}) {
  const [isKeyword, isType] = [keywords, types].map((words) => new Set(words.split(" ")));
  const token = (stream, state) => {
    const style = mode.token(stream, state);
    if (style !== "variable") return style;
    const name = stream.current();
    if (isKeyword.has(name)) return "keyword";
    if (stream.peek() === "(") return "variableName.function";
    return isType.has(name) || CAPITALISED.test(name) ? "typeName" : style;
  };
  return StreamLanguage.define({ ...mode, token, tokenTable });
}

const MODES = {
  python: withNames(python),
  cpp: withNames(cpp, { types: OF_THE_LIBRARY }),
  rust: withNames(rust, { keywords: "mut", tokenTable: { atom: tags.typeName } }), // its atoms are u8, usize, Self
};

const modes = JSON.parse(document.getElementById("editor-modes").textContent); // {"cpp": "cpp", ...}

export const languageOf = (id) => MODES[modes[id]] ?? [];
