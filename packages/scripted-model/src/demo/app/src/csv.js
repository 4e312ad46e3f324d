// CSV as RFC 4180 has it: quoted fields may hold commas, quotes (doubled) and line breaks.

/** Rows of fields. Empty lines are left out; a byte order mark at the start is ignored. */
export function parseCsv(text) {
  const rows = [];
  let row = [];
  let position = text.startsWith('\uFEFF') ? 1 : 0;
  while (position < text.length) {
    const field = readField(text, position);
    row.push(field.value);
    position = field.end;
    if (text[position] === ',') {
      position += 1;
      if (position < text.length) continue;
      row.push('');
    }
    if (text[position] === '\r') position += 1;
    if (text[position] === '\n') position += 1;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
  }
  return rows;
}

/** Objects keyed by the header. A row with more or fewer fields than the header is an error. */
export function parseRecords(text, required) {
  const [header = [], ...rows] = parseCsv(text);
  const names = header.map((name) => name.trim().toLowerCase());
  for (const name of required) {
    if (!names.includes(name))
      throw new Error(`The first line must name a column "${name}"; it has: ${names}`);
  }
  return rows.map((row, index) => {
    if (row.length !== names.length) {
      throw new Error(`Record ${index + 1} has ${row.length} fields, expected ${names.length}`);
    }
    return Object.fromEntries(names.map((name, column) => [name, row[column]]));
  });
}

export function formatCsv(rows) {
  return rows.map((row) => `${row.map(formatField).join(',')}\n`).join('');
}

function readField(text, start) {
  if (text[start] === '"') return readQuoted(text, start);
  let end = start;
  while (end < text.length && !',\r\n'.includes(text[end])) end += 1;
  return { value: text.slice(start, end), end };
}

function readQuoted(text, start) {
  let value = '';
  let position = start + 1;
  while (position < text.length) {
    const close = text.indexOf('"', position);
    if (close === -1) break;
    value += text.slice(position, close);
    if (text[close + 1] !== '"') return { value, end: close + 1 };
    value += '"';
    position = close + 2;
  }
  throw new Error(`The quote opened at character ${start + 1} is never closed`);
}

function formatField(value) {
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
