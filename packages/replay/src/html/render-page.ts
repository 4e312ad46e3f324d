import { readFile } from 'node:fs/promises';
import type { BacktestReport } from '../backtest/run-backtest.ts';
import { pageData } from './page-data.ts';

/**
 * A report as one page that needs nothing else: totals, recall against cost, tokens over the steps of each session, and for any step what it
 * needed and what was missing. The report must have been made with `wantsTrace`.
 */
export async function renderPage(report: BacktestReport): Promise<string> {
  const [style, ...scripts] = await Promise.all([
    asset('page.css'),
    ...SCRIPTS.map((name) => asset(`page/${name}`)),
  ]);
  // `<` is escaped, so that no text of a session can end the element it stands in.
  const data = JSON.stringify(pageData(report)).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Longhaul replay</title>
<style>
${style}</style>
</head>
<body>
<main id="page"><noscript>This page draws itself with JavaScript; it loads nothing from elsewhere.</noscript></main>
<script type="application/json" id="data">${data}</script>
<script type="module">
${scripts.map(withoutModules).join('\n')}</script>
</body>
</html>
`;
}

/** The page's program is modules to be read and checked; in the page it is one, in an order in which each finds what it needs. */
const SCRIPTS = [
  'state.js',
  'dom.js',
  'chart.js',
  'totals.js',
  'frontier.js',
  'session.js',
  'step.js',
  'main.js',
];

function withoutModules(script: string): string {
  return script.replace(/^import [^;]*;\n/gm, '').replace(/^export /gm, '');
}

/** Assets are shipped as source, two folders up from here in the source and in the build alike. */
function asset(name: string): Promise<string> {
  return readFile(new URL(`../../src/html/${name}`, import.meta.url), 'utf8');
}
