import type { GatewayStatus, ModelStatus, StatusError } from './gateway-stats.ts';

/** Renders the status as one HTML page without scripts or external resources. The page reloads every 5 seconds. */
export function statusPage(status: GatewayStatus): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="5">
<title>Longhaul gateway</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Longhaul gateway</h1>
<p class="quiet">Running since ${time(status.startedAt)}</p>
<h2>Models</h2>
${status.models.length === 0 ? '<p class="quiet">No request yet.</p>' : modelTable(status.models)}
<h2>Upstreams</h2>
${upstreamTable(status)}
${unhelpedList(status)}
<h2>Last errors</h2>
${status.errors.length === 0 ? '<p class="quiet">None.</p>' : errorTable(status.errors)}
</main>
</body>
</html>
`;
}

const STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8dade, #3a3d44); --quiet: light-dark(#5c626b, #9aa1ab); --bar: light-dark(#3567c8, #7ea6f4); }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 70rem; margin: 0 auto; padding: 2rem 1rem; }
h1 { font-size: 1.4rem; margin: 0; }
h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
.quiet, td small { color: var(--quiet); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { font-weight: 600; color: var(--quiet); font-size: .85rem; white-space: nowrap; }
td.number, th.number { text-align: right; }
td small { display: block; font-size: .8rem; }
meter { width: 6rem; height: .5rem; accent-color: var(--bar); }
`;

function modelTable(models: readonly ModelStatus[]): string {
  const heads = [
    'Model',
    'Window',
    'Last request',
    '#Requests',
    '#Compactions',
    '#Restarts',
    '#Overflows',
    '#Tokens saved',
  ];
  return table(heads, models.map(modelRow));
}

function modelRow(model: ModelStatus): string[] {
  const { windowTokens, windowSource, lastTokens = 0 } = model;
  const full =
    windowTokens === null
      ? number(lastTokens)
      : `<meter min="0" max="${windowTokens}" value="${Math.min(lastTokens, windowTokens)}"></meter><small>${number(lastTokens)} tokens</small>`;
  return [
    `${escapeHtml(model.model || '(none named)')}<small>${escapeHtml(model.upstream)}</small>`,
    `${windowTokens === null ? 'unknown' : number(windowTokens)}<small>${escapeHtml(windowSource)}</small>`,
    full,
    number(model.requests),
    `${number(model.compactions)}<small>${number(model.compactedRequests)} requests sent compacted</small>`,
    number(model.restarts),
    `${number(model.overflows)}<small>${number(model.silentCuts)} silent cuts</small>`,
    number(model.tokensSaved),
  ];
}

function upstreamTable({ upstreams }: GatewayStatus): string {
  const rows = upstreams.map(({ name, baseUrl, compaction }) => [
    escapeHtml(name),
    escapeHtml(baseUrl),
    compaction ? 'compacted when needed' : 'passed unchanged',
  ]);
  return table(['Name', 'Address', 'Requests'], rows);
}

function unhelpedList({ unhelped }: GatewayStatus): string {
  if (unhelped.length === 0) return '';
  const items = unhelped.map((kind) => `<li>${escapeHtml(kind)}</li>`);
  return `<h2>Requests that are never compacted</h2><ul>${items.join('')}</ul>`;
}

function errorTable(errors: readonly StatusError[]): string {
  const rows = errors.map(({ at, code, upstream = '', model = '' }) => [
    time(at),
    escapeHtml(code),
    escapeHtml(upstream),
    escapeHtml(model),
  ]);
  return table(['Time', 'Error', 'Upstream', 'Model'], rows);
}

/** A heading that begins with `#` marks a column of numbers. */
function table(heads: readonly string[], rows: readonly string[][]): string {
  const classOf = (column: number) => (heads[column]?.startsWith('#') ? ' class="number"' : '');
  const head = heads.map((text, column) => `<th${classOf(column)}>${text.replace('#', '')}</th>`).join('');
  const body = rows.map(
    (cells) => `<tr>${cells.map((cell, column) => `<td${classOf(column)}>${cell}</td>`).join('')}</tr>`,
  );
  return `<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}

function time(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
