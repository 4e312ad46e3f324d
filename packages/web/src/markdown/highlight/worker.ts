import { createHighlighterCore, type GrammarState, type LanguageInput } from 'shiki/core';
import { createJavaScriptRegexEngine } from 'shiki/engine/javascript';
import type { Language } from './language-names.ts';
import type { HighlightedLines, HighlightRequest, Line } from './messages.ts';
import { kindOf, theme } from './theme.ts';

/** Reads code in a thread of its own, because the first line of a language can take a tenth of a second. */

const LINES_AT_ONCE = 50;
/** The first line of a language takes long on a busy machine: its patterns are compiled. */
const LINE_MS = 5_000;

const LANGUAGES: Record<Language, LanguageInput> = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  graphql: () => import('shiki/langs/graphql.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  ini: () => import('shiki/langs/ini.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/jsonc.mjs'),
  jsx: () => import('shiki/langs/jsx.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  lua: () => import('shiki/langs/lua.mjs'),
  make: () => import('shiki/langs/make.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  powershell: () => import('shiki/langs/powershell.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  scss: () => import('shiki/langs/scss.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  vue: () => import('shiki/langs/vue.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
};
/** The only grammar with another name than its file. */
const GRAMMAR_NAMES: Partial<Record<Language, string>> = { json: 'jsonc' };

const opening = createHighlighterCore({
  themes: [theme],
  langs: [],
  engine: createJavaScriptRegexEngine({ forgiving: true }),
});
let turn = Promise.resolve();

addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  turn = turn
    .then(() => highlight(data))
    .catch((error: unknown) => {
      console.warn('This code is shown without colours:', error);
      send({ id: data.id, lines: [], isLast: true });
    });
});

async function highlight({ id, code, language }: HighlightRequest): Promise<void> {
  const highlighter = await opening;
  await highlighter.loadLanguage(LANGUAGES[language]);
  const lines = code.split('\n');
  let grammarState: GrammarState | undefined;
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
    const { tokens, grammarState: next } = highlighter.codeToTokens(
      lines.slice(at, at + LINES_AT_ONCE).join('\n'),
      {
        lang: GRAMMAR_NAMES[language] ?? language,
        theme: 'page',
        tokenizeMaxLineLength: 2_000,
        tokenizeTimeLimit: LINE_MS,
        ...(grammarState !== undefined && { grammarState }),
      },
    );
    grammarState = next;
    const shown = tokens.map((line): Line => line.map(({ content, color }) => [content, kindOf(color)]));
    send({ id, lines: shown, isLast: at + LINES_AT_ONCE >= lines.length });
  }
}

function send(lines: HighlightedLines): void {
  postMessage(lines);
}
