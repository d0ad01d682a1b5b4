// The modes of CodeMirror that languages name (`Editor` of judge/grading/languages/language.py): one line for each.
// biome-ignore-all lint/performance/noBarrelFile: the bundle holds all of them, and a language looks its own up by name
export { cpp } from "@codemirror/legacy-modes/mode/clike";
export { python } from "@codemirror/legacy-modes/mode/python";
export { rust } from "@codemirror/legacy-modes/mode/rust";
