import { readFile } from 'node:fs/promises';
import type { BacktestReport } from '../backtest/run-backtest.ts';
import { pageData } from './page-data.ts';

/**
 * Returns a report as one HTML page that loads nothing: totals, recall against cost, tokens over the steps of each
 * session, and for each step the facts it needed and those that were missing. Make the report with `wantsTrace`.
 */
export async function renderPage(report: BacktestReport): Promise<string> {
  const [style, ...scripts] = await Promise.all([
    asset('page.css'),
    ...SCRIPTS.map((name) => asset(`page/${name}`)),
  ]);
  // `<` is escaped, so that no text of a session can end the `script` element.
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
<main id="page"><noscript>This page needs JavaScript. It loads nothing from the network.</noscript></main>
<script type="application/json" id="data">${data}</script>
<script type="module">
${scripts.map(withoutModules).join('\n')}</script>
</body>
</html>
`;
}

/**
 * The modules of the page's program. In the page they are one script: a module comes after those it uses while it is
 * loaded.
 */
const SCRIPTS = [
  'state.js',
  'dom.js',
  'format.js',
  'axis.js',
  'labels.js',
  'chart.js',
  'totals.js',
  'frontier.js',
  'against.js',
  'session.js',
  'step.js',
  'main.js',
];

function withoutModules(script: string): string {
  return script.replace(/^import [^;]*;\n/gm, '').replace(/^export /gm, '');
}

/** Assets are shipped as source. The path is valid from `src/html` and from `dist/html`. */
function asset(name: string): Promise<string> {
  return readFile(new URL(`../../src/html/${name}`, import.meta.url), 'utf8');
}
