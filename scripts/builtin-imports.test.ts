import { expect, it } from 'vitest';
import { withoutBuiltinImports } from './builtin-imports.ts';

const HTTP = 'process.getBuiltinModule("node:http")';

it.each([
  ['import { request } from "node:http";', `const { request } = ${HTTP};`],
  ['import { request as ask, get } from "node:http";', `const { request: ask, get } = ${HTTP};`],
  ['import { gzip } from "zlib";', 'const { gzip } = process.getBuiltinModule("zlib");'],
  [
    'import { DatabaseSync } from "node:sqlite";',
    'const { DatabaseSync } = process.getBuiltinModule("node:sqlite");',
  ],
  ['import * as http$1 from "node:http";', `const http$1 = ${HTTP};`],
  ['import http from "node:http";', `const http = ${HTTP};`],
  ['import http, { get } from "node:http";', `const http = ${HTTP}, { get } = ${HTTP};`],
])('replaces %s', (before, after) => {
  expect(withoutBuiltinImports(`import a from "./a.js";\n${before}\ncode();\n`)).toBe(
    `import a from "./a.js";\n${after}\ncode();\n`,
  );
});

it.each([
  'import { http } from "./node.js";',
  'import { Database } from "bun:sqlite";',
  'export { get } from "node:http";',
  '  import { get } from "node:http";',
])('leaves %s unchanged', (code) => {
  expect(withoutBuiltinImports(code)).toBe(code);
});
