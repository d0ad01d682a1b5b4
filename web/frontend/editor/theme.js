// The editor's look in the site's tokens, so that light and dark follow the page without a second theme.
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const look = EditorView.theme({
  "&": {
    color: "var(--ink)",
    backgroundColor: "var(--surface)",
    border: "1px solid var(--line-strong)",
    fontSize: "0.875rem",
  },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5", minHeight: "22rem", maxHeight: "70vh" },
  ".cm-content": { caretColor: "var(--ink)", padding: "0.6rem 0" },
  ".cm-content, .cm-gutter": { minHeight: "22rem" },
  ".cm-cursor": { borderLeftColor: "var(--ink)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "var(--sunken)", color: "var(--ink-soft)", border: "0" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--accent-tint) 40%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "var(--accent-tint)", color: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 28%, transparent)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--warn-tint)",
    outline: "1px solid var(--warn)",
  },
  ".cm-selectionMatch": { backgroundColor: "var(--warn-tint)" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--ink)" },
  ".cm-panels-top": { borderBottom: "1px solid var(--line-strong)" },
  ".cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".editor-hint": { margin: "0", padding: "0.15rem 0.7rem", color: "var(--ink-soft)", fontSize: "var(--size-small)" },
  ".cm-panel.cm-search": { padding: "0.4rem 1.6rem 0.4rem 0.5rem" },
  ".cm-panel.cm-search label": { display: "inline", fontWeight: "400" },
  ".cm-panel.cm-search [name=close]": {
    padding: "0 0.3rem",
    backgroundColor: "transparent",
    color: "var(--ink)",
    border: "0",
  },
  ".cm-searchMatch": { backgroundColor: "var(--warn-tint)", outline: "1px solid var(--warn)" },
  ".cm-textfield, .cm-button": {
    backgroundColor: "var(--surface)",
    backgroundImage: "none",
    color: "var(--ink)",
    border: "1px solid var(--line-strong)",
  },
});

const colours = HighlightStyle.define([
  {
    tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.processingInstruction, tags.meta],
    color: "var(--code-keyword)",
  },
  { tag: [tags.string, tags.character, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--code-comment)", fontStyle: "italic" },
  {
    tag: [
      tags.function(tags.variableName),
      tags.definition(tags.variableName),
      tags.standard(tags.variableName),
      tags.macroName,
    ],
    color: "var(--code-name)",
  },
  { tag: [tags.typeName, tags.className, tags.namespace], color: "var(--code-type)" },
]);

export const theme = [look, syntaxHighlighting(colours)];
